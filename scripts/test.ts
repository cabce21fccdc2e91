import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from '../src/headless/chromium.ts';
import { ensureBuilt } from '../src/node/build.ts';
import { check } from './check.ts';
import { prepareData } from './prepare-data.ts';
import { runTool } from './program.ts';

/** How one part went; a part that could not say counts as one failure. */
interface Count {
  readonly passed: number;
  readonly failed: number;
  /** Not tried, for a reason that was said; neither passed nor failed. */
  readonly skipped?: number;
}

const folder = await mkdtemp(join(tmpdir(), 'manyhands-test-'));
const total = { passed: 0, failed: 0 };

await part('browser and data', async () => {
  console.log(await ensureChromium(console.log));
  await prepareData(console.log);
  return { passed: 0, failed: 0 };
});
await part('check', check);
await part('unit and browser tests', vitest);
const hasBuilt = await part('build', async () => {
  await ensureBuilt(console.log);
  return { passed: 1, failed: 0 };
});
// Without this build the tests would see an older one, or none.
await part('end to end', hasBuilt ? playwright : async () => ({ passed: 0, failed: 1 }));

await rm(folder, { recursive: true });
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

async function part(name: string, run: () => Promise<Count>): Promise<boolean> {
  const beganAtMs = performance.now();
  console.log(`\n── ${name}`);
  const {
    passed,
    failed,
    skipped = 0,
  } = await run().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1, skipped: 0 };
  });
  total.passed += passed;
  total.failed += failed;
  const counts = `${passed} ok, ${failed} not${skipped > 0 ? `, ${skipped} SKIPPED` : ''}`;
  console.log(`── ${name}: ${counts}, ${((performance.now() - beganAtMs) / 1000).toFixed(1)} s`);
  return failed === 0;
}

async function vitest(): Promise<Count> {
  const file = join(folder, 'vitest.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { code } = await runTool('vitest', args);
  const report = (await readJson(file)) as { numPassedTests: number; numFailedTests: number };
  return atLeastOneFailed(code, report.numPassedTests, report.numFailedTests);
}

async function playwright(): Promise<Count> {
  const file = join(folder, 'playwright.json');
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  const { code } = await runTool('playwright', ['test', '--reporter=list,json'], { env });
  const { stats } = (await readJson(file)) as {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  };
  return { ...atLeastOneFailed(code, stats.expected, stats.unexpected + stats.flaky), skipped: stats.skipped };
}

/** A file that does not even load fails no test, yet the tool's exit code is not 0. */
function atLeastOneFailed(code: number, passed: number, failed: number): Count {
  if (code !== 0 && failed === 0) console.error(`no test failed, but the exit code is ${code}: see the output above`);
  return { passed, failed: code === 0 ? failed : Math.max(1, failed) };
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error('it ended without a report: see its output above');
  });
  return JSON.parse(text);
}
