import { emulatedWords } from '../../experiment/emulated.ts';
import {
  defaultExperiment,
  type Experiment,
  type ExperimentKey,
  experimentKeys,
  isUsed,
  settingOf,
} from '../../experiment/experiment.ts';
import { labelOf, plainValue } from '../../experiment/setting.ts';
import { bytes, count, duration, fixed, loss, NOTHING, percent, rate } from '../../observe/format.ts';
import type { RunNumbers } from '../../observe/run-numbers.ts';
import { type ComparedRun, examplesOf, lastTest, reached, stepsOf, timeOf } from './run-summary.ts';

/** One line of the comparison: a cell for each run, and whether it is the best of them. */
export interface ComparedRow {
  readonly name: string;
  readonly hint: string;
  readonly cells: readonly { readonly text: string; readonly isBest: boolean }[];
}

export interface Comparison {
  /** What was set differently. */
  readonly settings: readonly ComparedRow[];
  readonly results: readonly ComparedRow[];
  /** What a reader must know before believing the lines; empty where nothing is in the way. */
  readonly caveats: readonly string[];
}

function settingText(experiment: Experiment, key: ExperimentKey): string {
  if (!isUsed(key, experiment)) return NOTHING;
  if (key === 'emulate') return emulatedWords(experiment) ?? 'no';
  return plainValue(settingOf(key), experiment[key]);
}

/** Settings in which the runs that look at them differ, or one of those is not as usual. */
function settingRows(runs: readonly ComparedRun[]): ComparedRow[] {
  return experimentKeys.flatMap((key) => {
    const texts = runs.map(({ log }) => settingText(log.experiment, key));
    const usual = String(defaultExperiment[key]);
    const values = new Set(runs.map(({ log }) => (isUsed(key, log.experiment) ? String(log.experiment[key]) : usual)));
    const isEmulated = key === 'emulate' && texts.some((text) => text !== 'no');
    if (values.size === 1 && !isEmulated) return [];
    return [{ name: labelOf(settingOf(key)), hint: '', cells: texts.map((text) => ({ text, isBest: false })) }];
  });
}

interface Measure {
  readonly name: string;
  readonly hint: string;
  /** Which end is better; null where neither is. */
  readonly better: 'less' | 'more' | null;
  readonly format: (value: number) => string;
  readonly read: (run: ComparedRun) => number | null | undefined;
  /** Left out when no run has any of it. */
  readonly isRare: boolean;
}

const total = (tally: RunNumbers['bytesUp']) => Object.values(tally).reduce((sum, part) => sum + part, 0);
const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole);
const bytesPerExample = ({ numbers }: ComparedRun) =>
  numbers && ratio(total(numbers.bytesUp) + total(numbers.bytesDown) + numbers.bytesBetween, numbers.countedExamples);

/** The lowest test loss that all runs reached; null if one was never tested. */
export function commonLoss(runs: readonly ComparedRun[]): number | null {
  const lowest = runs.map(({ log }) => Math.min(...log.test.map((point) => point.loss)));
  const common = Math.max(...lowest);
  return Number.isFinite(common) ? common : null;
}

function perSecond(run: ComparedRun): number | null {
  const examples = examplesOf(run);
  return examples === null ? null : ratio(examples * 1000, timeOf(run));
}

function bytesTo(run: ComparedRun, target: number | null): number | null {
  const [each, point] = [bytesPerExample(run), reached(run, target)];
  return each === null || point === undefined ? null : each * point.examples;
}

/** Totals compare only where runs did as much. */
function measures(target: number | null, isAlike: boolean): Measure[] {
  const measure = (
    name: string,
    hint: string,
    better: Measure['better'],
    format: Measure['format'],
    read: Measure['read'],
    isRare = false,
  ): Measure => ({ name, hint, better, format, read, isRare });
  const totals = isAlike ? 'less' : null;
  const at = `test loss ≤ ${loss(target)}`;
  const [end, lowest] = ['At the end', 'The lowest test loss that all of these runs reached'];
  const older = 'Updates by others between a gradient’s start and its use';
  const late = ({ numbers }: ComparedRun) => numbers && ratio(numbers.stale, numbers.applied + numbers.stale);
  return [
    measure(`Time to ${at}`, lowest, 'less', duration, (run) => reached(run, target)?.elapsedMs),
    measure(`Bytes to ${at}`, 'Bytes per example times the examples until then', 'less', bytes, (run) =>
      bytesTo(run, target),
    ),
    measure('Test accuracy', end, 'more', percent, (run) => lastTest(run)?.accuracy),
    measure('Test loss', end, 'less', loss, (run) => lastTest(run)?.loss),
    measure(
      'AUC',
      end,
      'more',
      (value) => fixed(value, 3),
      (run) => lastTest(run)?.auc,
      true,
    ),
    measure('Time in all', 'Pauses left out', totals, duration, timeOf),
    measure('Steps', '', null, count, stepsOf),
    measure('Examples', '', null, count, examplesOf),
    measure('Examples per second', '', 'more', rate, perSecond),
    measure('Workers that took part', '', null, count, ({ numbers }) => numbers?.workers),
    measure('Bytes up', 'From workers to the host', totals, bytes, ({ numbers }) => numbers && total(numbers.bytesUp)),
    measure('Bytes down', 'From the host to workers', totals, bytes, ({ numbers: all }) => all && total(all.bytesDown)),
    measure('Bytes between workers', '', totals, bytes, ({ numbers }) => numbers?.bytesBetween, true),
    measure('Bytes per example', 'All that went over a wire', 'less', bytes, bytesPerExample),
    measure('Came too late', 'Share of gradients that were not used', 'less', percent, late),
    measure(
      'Staleness, mean',
      older,
      'less',
      (value) => fixed(value, 1),
      ({ numbers }) => numbers?.stalenessMean,
      true,
    ),
    measure(
      'Waiting',
      'Share of the workers’ time spent waiting for others',
      'less',
      percent,
      ({ numbers }) => numbers?.waitShare,
    ),
  ];
}

/** What reads the same is equally good; where all read the same, or only one has a number, none is best. */
function rowOf(
  { name, hint, better, read, format, isRare }: Measure,
  runs: readonly ComparedRun[],
): ComparedRow | null {
  const values = runs.map((run) => read(run) ?? null);
  const texts = values.map((value) => (value === null ? NOTHING : format(value)));
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[];
  if (isRare && known.every((value) => value === 0)) return null;
  const best = better === 'less' ? Math.min(...known) : Math.max(...known);
  const bestText = known.length > 0 ? format(best) : '';
  const hasBest = better !== null && known.length > 1 && texts.some((text) => text !== bestText && text !== NOTHING);
  return { name, hint, cells: texts.map((text) => ({ text, isBest: hasBest && text === bestText })) };
}

/** Runs whose examples differ by less than this did the same work. */
const ALIKE = 0.01;

/** Runs line by line: what was set differently, then what they came to. */
export function compare(runs: readonly ComparedRun[]): Comparison {
  const examples = runs.map(examplesOf).filter((value) => value !== null);
  const isAlike = Math.min(...examples) >= Math.max(...examples) * (1 - ALIKE);
  const subjects = new Set(runs.map(({ log }) => `${log.experiment.model} ${log.experiment.data}`));
  const caveats: string[] = [];
  if (subjects.size > 1) caveats.push('These runs train different models or data: their losses do not compare.');
  if (!isAlike) caveats.push('These runs went through different numbers of examples, so their totals are not marked.');
  if (runs.some(({ numbers }) => numbers === null)) caveats.push('Bytes of some earlier runs were not kept.');
  if (runs.some(({ numbers }) => numbers !== null && numbers.countedExamples < numbers.examples * (1 - ALIKE)))
    caveats.push('Bytes of a resumed run are counted from when it resumed.');
  if (runs.some(({ log }) => emulatedWords(log.experiment) !== null))
    caveats.push('Conditions of some runs were made up: see Emulated.');
  const rows = measures(commonLoss(runs), isAlike).map((measure) => rowOf(measure, runs));
  return { settings: settingRows(runs), results: rows.filter((row) => row !== null), caveats };
}
