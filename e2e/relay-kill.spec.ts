import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rng } from '../src/core/math/rng.ts';
import { WorkerTab } from '../src/headless/tabs.ts';
import { lightWorker } from '../src/node/light-workers-for-tests.ts';
import { expect, test } from './fixtures.ts';
import { checkpointsIn, RelayProcess } from './relay-process.ts';

const seed = Number(process.env.MANYHANDS_SEED ?? 11);
/** A machine needs about five seconds for each. */
const kills = Number(process.env.MANYHANDS_KILLS ?? 2);
const INTERVAL_MS = 5000;
/** A checkpoint is due at the first push after its time, and has to be written. */
const SLACK_MS = 1500;

/** A port that was free a moment ago: a relay that starts again must have the one its workers know. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** Waits for a checkpoint to be under way, or for a random while where none comes. */
async function moment(folder: string, isMidCheckpoint: boolean, ms: number): Promise<void> {
  const giveUpAtMs = performance.now() + (isMidCheckpoint ? INTERVAL_MS + SLACK_MS : ms);
  const temporary = join(folder, 'checkpoints', 'next.tmp');
  while (performance.now() < giveUpAtMs && !(isMidCheckpoint && existsSync(temporary))) {
    await new Promise((resolve) => setTimeout(resolve, isMidCheckpoint ? 0 : 20));
  }
}

test(`a relay killed ${kills} times resumes each time, and its workers come back (seed ${seed})`, async ({
  browser,
}) => {
  test.setTimeout(60_000 + kills * 60_000);
  const random = rng(seed);
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-kill-'));
  const port = await freePort();
  const options = '--workers 3 --model mlp --optimizer adam --lr 0.001 --minutes 1000 --eval-every 100000 --resume';
  const start = () => new RelayProcess(folder, port, [...options.split(' '), '--backend', 'wasm']);

  let relay = start();
  const { url, hash, code, invite } = await relay.link();
  const light = ['one', 'two'].map((name) => lightWorker(name, { url, code, invite, thinkMs: 20 }));
  const problem = () => {};
  const tab = await WorkerTab.open(browser, url, hash, { index: 0, backend: 'wasm', problem });
  await tab.contribute();
  const progress = async () => [...light.map(({ pushes }) => pushes), (await tab.view())?.steps ?? 0];
  const beyond = async (before: readonly number[]) =>
    expect
      // A tab counts from the beginning on each link.
      .poll(async () => (await progress()).map((steps, i) => steps !== before[i]), {
        message: 'every worker computes again',
        timeout: 60_000,
        intervals: [100],
      })
      .toEqual([true, true, true]);

  const resumed = () => relay.journal().filter(({ event }) => event === 'resumed');
  const lostMs: number[] = [];
  let halfWritten = 0;
  for (let round = 0; round < kills; round++) {
    await beyond(await progress());
    const runningSinceMs = Date.now();
    await moment(folder, round % 2 === 0, random.below(2 * INTERVAL_MS));
    const resumes = resumed().length;
    await relay.kill();
    const killedAtMs = Date.now();
    if (existsSync(join(folder, 'checkpoints', 'next.tmp'))) halfWritten += 1;

    const [newest] = await checkpointsIn(folder);
    const safeAtMs = Math.max(newest?.savedAtMs ?? 0, runningSinceMs);
    lostMs.push(killedAtMs - safeAtMs);
    expect(killedAtMs - safeAtMs, `round ${round}`).toBeLessThan(INTERVAL_MS + SLACK_MS);

    relay = start();
    await expect.poll(() => relay.output, { timeout: 60_000 }).toContain('Join link');
    // Killed before the first checkpoint, there is nothing to resume.
    if (newest === undefined) continue;
    await expect.poll(() => resumed().length, { message: relay.output, timeout: 60_000 }).toBe(resumes + 1);
    expect(resumed().at(-1)).toMatchObject({ version: newest.version });
  }
  await beyond(await progress());

  const { code: exitCode, tookMs } = await relay.stop();
  expect(exitCode, relay.output).toBe(0);
  expect(tookMs).toBeLessThan(5000);
  const [last] = await checkpointsIn(folder);
  const stopping = relay.journal().at(-1);
  expect(stopping).toMatchObject({ event: 'stopping', version: last?.version });
  await Promise.all(light.map((worker) => worker.finish()));
  test
    .info()
    .annotations.push(
      { type: 'lost ms', description: lostMs.join(', ') },
      { type: 'killed while a checkpoint was written', description: String(halfWritten) },
    );
  await rm(folder, { recursive: true });
});
