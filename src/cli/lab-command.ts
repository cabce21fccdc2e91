import { resolve } from 'node:path';
import { BrowserTrainer } from '../headless/browser-trainer.ts';
import { ensureChromium } from '../headless/chromium.ts';
import { labMachine } from '../headless/lab-machine.ts';
import { labText, ProgressLine } from '../headless/progress-line.ts';
import { layOut } from '../lab/layout.ts';
import { presets } from '../lab/presets.ts';
import { LabSession } from '../lab/session.ts';
import { labCommandText } from '../lab/sized-sweep.ts';
import { quickened } from '../lab/sweep.ts';
import type { SweepOutcome } from '../lab/sweep-result.ts';
import { counted, duration, loss, plainSpaces } from '../observe/format.ts';
import type { Command, OptionValues } from './command-line.ts';
import { LabFolder } from './lab-folder.ts';
import { type LabOptions, labOptions, readLabOptions, readSweep } from './lab-options.ts';
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
      return await runLab(options, folder, labCommandText(argv));
    } finally {
      await folder.close();
    }
  },
};

async function runLab(options: LabOptions, folder: LabFolder, command: string): Promise<number> {
  const { sweep, isQuick, isWanted, keepsLargeModels } = options;
  const line = new ProgressLine(process.stderr);
  const session = new LabSession(
    { sweep, isQuick, command, machine: labMachine(null), startedAt: folder.startedAt },
    {
      store: {
        load: (runs) => folder.load(runs),
        async keep(outcome, trained) {
          await folder.keep(outcome, trained);
          await folder.writeReport(session.result());
          line.note(`${outcome.key}: ${outcomeWords(outcome)}`);
        },
      },
      trainer: new BrowserTrainer(options, (text) => line.note(text)),
      keepsLargeModels,
      onProgress(progress) {
        if (progress.run !== null && progress.phase !== 'stopping') line.show(labText(progress), performance.now());
      },
      nowMs: () => performance.now(),
    },
  );
  await session.load();
  const kept = session.runs.filter((run) => isWanted(run) && session.outcomes.get(run.key)?.failure === null).length;
  if (kept > 0) line.note(`${kept} of the runs are there already and are not done again`);
  void nextSignal().then(() => {
    line.note('ending: the run under way is broken off');
    session.stop();
  });
  await session.run({ isWanted, retriesFailed: true });
  line.end();
  const result = session.result();
  await folder.writeReport(result);
  console.log(`report: ${resolve(folder.path, 'report.html')}`);
  const missing = result.missing.filter(isWanted).length;
  if (missing > 0) {
    const count = session.runs.filter(isWanted).length;
    console.error(`manyhands: ${missing} of ${count} runs are still to be done; the same command goes on with them`);
    return 130;
  }
  const failed = result.outcomes.filter((outcome) => isWanted(outcome) && outcome.failure !== null);
  for (const { label, failure } of failed) console.error(`manyhands: ${label}: ${failure}`);
  return failed.length > 0 ? 1 : 0;
}

function outcomeWords({ report, failure }: SweepOutcome): string {
  if (failure !== null) return `failed: ${failure}`;
  if (report === null) return 'no report';
  const result = report.testLoss === null ? '' : `, test loss ${loss(report.testLoss)}`;
  return plainSpaces(`${counted(report.steps, 'step')} in ${duration(report.wallSeconds * 1000)}${result}`);
}

async function list(given: OptionValues): Promise<number> {
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
