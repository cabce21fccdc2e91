import { resolve } from 'node:path';
import { ensureChromium } from '../headless/chromium.ts';
import { labMachine } from '../headless/lab-machine.ts';
import type { LabOptions } from '../headless/lab-runs.ts';
import { LabRuns } from '../headless/lab-runs.ts';
import { ProgressLine, sweepText } from '../headless/progress-line.ts';
import { layOut } from '../lab/layout.ts';
import { presets } from '../lab/presets.ts';
import { quickened } from '../lab/sweep.ts';
import { runSweep, type SweepProgress } from '../lab/sweep-runner.ts';
import { counted, duration, loss, plainSpaces } from '../observe/format.ts';
import type { Command, Given } from './command-line.ts';
import { LabFolder } from './lab-folder.ts';
import { labOptions, readLabOptions, readSweep } from './lab-options.ts';
import { reportFiles } from './lab-report.ts';
import { nextSignal } from './shutdown.ts';

/** Runs a sweep in real tabs, one run after another, and reports. Exit code 0 only if every run that was asked for trained. */
export const labCommand: Command = {
  name: 'lab',
  describe: 'runs a sweep of experiments in tabs of a headless Chromium, and writes a report of them',
  options: labOptions,
  argument: { name: 'sweep', describe: 'the name of a sweep (--list has them), or a JSON file of one', unless: 'list' },
  async run(given, argv) {
    if (given.list === true) return await list(given);
    const options = await readLabOptions(given);
    // Said once, not by every run.
    await ensureChromium((line) => console.error(line));
    const { sweep, isQuick, host, backend } = options;
    const setting = { sweep, isQuick, host, backend, file: options.file?.path ?? null };
    const folder = await LabFolder.open(options.out, setting, Date.now());
    try {
      return await runLab(options, folder, `npm run lab -- ${argv.map(shellWord).join(' ')}`);
    } finally {
      await folder.close();
    }
  },
};

async function runLab(options: LabOptions, folder: LabFolder, command: string): Promise<number> {
  const { sweep, isQuick, isWanted } = options;
  const line = new ProgressLine(process.stderr);
  const interrupt = new AbortController();
  const { outcomes: kept, machine: before } = await folder.kept(layOut(sweep));
  const runs = new LabRuns(options, { signal: interrupt.signal, note: (text) => line.note(text) }, kept);
  const machine = () => runs.machine ?? before ?? labMachine(null);

  const writeReport = ({ outcomes, missing }: SweepProgress) =>
    folder.write(
      reportFiles({
        sweep,
        isQuick,
        command,
        machine: machine(),
        startedAt: folder.startedAt,
        outcomes,
        missing,
      }),
    );
  const running = runSweep(sweep, false, {
    run: (run, tell) => runs.run(run, tell),
    kept,
    isWanted,
    onProgress: (progress) => {
      if (progress.run !== null && progress.phase !== 'stopping') line.show(sweepText(progress), performance.now());
    },
    async onOutcome(outcome, progress) {
      await folder.keep(outcome, runs.takeModel(), { problems: runs.problems, machine: machine() });
      await writeReport(progress);
      line.note(`${outcome.key}: ${outcomeWords(outcome)}`);
    },
    nowMs: () => performance.now(),
  });
  void nextSignal().then(() => {
    line.note('ending: the run under way is broken off');
    interrupt.abort();
    running.stop();
  });

  const keptWanted = kept.filter(isWanted).length;
  if (keptWanted > 0) line.note(`${keptWanted} of the runs are there already and are not done again`);
  const end = await running.done;
  line.end();
  await writeReport(end);
  const missing = end.missing.filter(isWanted).length;
  const failed = end.outcomes.filter((outcome) => isWanted(outcome) && outcome.failure !== null);
  console.log(`report: ${resolve(folder.path, 'report.html')}`);
  if (missing > 0) {
    console.error(
      `manyhands: ${missing} of ${end.count} runs are still to be done; the same command goes on with them`,
    );
    return 130;
  }
  for (const { label, failure } of failed) console.error(`manyhands: ${label}: ${failure}`);
  return failed.length > 0 ? 1 : 0;
}

function outcomeWords({ report, failure }: SweepProgress['outcomes'][number]): string {
  if (failure !== null) return `failed: ${failure}`;
  if (report === null) return 'no report';
  const result = report.testLoss === null ? '' : `, test loss ${loss(report.testLoss)}`;
  return plainSpaces(`${counted(report.steps, 'step')} in ${duration(report.wallSeconds * 1000)}${result}`);
}

/** What was typed again, as a shell takes it. */
const shellWord = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

async function list(given: Given): Promise<number> {
  if (given.sweep !== undefined) {
    for (const { key, label } of layOut((await readSweep(given)).sweep)) console.log(`${key}  ${label}`);
    return 0;
  }
  const width = Math.max(...presets.map(({ name }) => name.length));
  for (const preset of presets) {
    const [all, few] = [layOut(preset).length, layOut(quickened(preset)).length];
    console.log(`${preset.name.padEnd(width)}  ${preset.title} (${all} runs; --quick: ${few})`);
  }
  return 0;
}
