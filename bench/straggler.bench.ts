import type { Experiment } from '../src/experiment/experiment.ts';
import { realRun } from './real-run.ts';

export const name = 'straggler';
export const describe =
  'updates/s of four workers, one of them ten times slower, ÷ without it; sync, sync with one backup, async';

/** Most of every step is sleep, so that the machine's own speed hardly matters. */
const EVEN = '*:slow=40';
const ONE_SLOW = '*:slow=40 4:slow=400';
const SECONDS = 20;

export async function run(): Promise<object> {
  const rows: Record<string, object> = {};
  const settings: Record<string, Partial<Experiment>> = {
    sync: { strategy: 'sync' },
    'sync with one backup': { strategy: 'sync', backup: 1 },
    async: { strategy: 'async' },
  };
  for (const [title, setting] of Object.entries(settings)) {
    const rates = async (emulate: string) => {
      const report = await realRun(4, { ...setting, batch: 100, lr: 0.1, minutes: SECONDS / 60, emulate });
      const perWorker = report.workers
        .filter(({ isLocal }) => !isLocal)
        .map(({ applied }) => applied / report.wallSeconds);
      return { updates: report.steps / report.wallSeconds, perWorker };
    };
    const even = await rates(EVEN);
    const slowed = await rates(ONE_SLOW);
    const three = (perWorker: readonly number[]) => perWorker.slice(0, 3).reduce((sum, rate) => sum + rate, 0);
    rows[title] = {
      updatesPerSecond: { even: even.updates, oneSlow: slowed.updates },
      ratio: slowed.updates / even.updates,
      ratioOfTheOtherThree: three(slowed.perWorker) / three(even.perWorker),
    };
    console.error(title, JSON.stringify(rows[title]));
  }
  return { what: describe, rows };
}
