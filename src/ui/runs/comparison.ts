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
import type { RunLog } from '../../host/state.ts';
import { bytes, count, duration, loss, NOTHING, percent, rate } from '../../observe/format.ts';
import type { RunNumbers } from '../../observe/run-numbers.ts';

/** A run with what it came to. */
export interface ComparedRun {
  readonly log: RunLog;
  readonly numbers: RunNumbers | null;
}

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
  readonly hint?: string;
  /** Which end is better; null where neither is. */
  readonly better: 'less' | 'more' | null;
  /** Left out when no run has any of it. */
  readonly isRare?: boolean;
  read(run: ComparedRun): number | null;
  format(value: number): string;
}

const total = (tally: RunNumbers['bytesUp']) => Object.values(tally).reduce((sum, part) => sum + part, 0);
const wireBytes = ({ bytesUp, bytesDown, bytesBetween }: RunNumbers) =>
  total(bytesUp) + total(bytesDown) + bytesBetween;
const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole);
const bytesPerExample = ({ numbers }: ComparedRun) => numbers && ratio(wireBytes(numbers), numbers.countedExamples);
const lastTest = ({ log }: ComparedRun) => log.test.at(-1);

/** The lowest test loss that all runs reached; null if one was never tested. */
export function commonLoss(runs: readonly ComparedRun[]): number | null {
  const lowest = runs.map(({ log }) => Math.min(...log.test.map((point) => point.loss)));
  const common = Math.max(...lowest);
  return Number.isFinite(common) ? common : null;
}

function measures(target: number | null, isAlike: boolean): Measure[] {
  const reached = ({ log }: ComparedRun) =>
    target === null ? undefined : log.test.find((point) => point.loss <= target);
  const totals = isAlike ? 'less' : null;
  const at = `test loss ≤ ${loss(target)}`;
  return [
    {
      name: `Time to ${at}`,
      hint: 'The lowest test loss that all of these runs reached',
      better: 'less',
      read: (run) => reached(run)?.elapsedMs ?? null,
      format: duration,
    },
    {
      name: `Bytes to ${at}`,
      hint: 'About: bytes per example times the examples until then',
      better: 'less',
      read: (run) => {
        const [each, point] = [bytesPerExample(run), reached(run)];
        return each === null || point === undefined ? null : each * point.examples;
      },
      format: bytes,
    },
    {
      name: 'Test accuracy',
      hint: 'At the end',
      better: 'more',
      read: (run) => lastTest(run)?.accuracy ?? null,
      format: percent,
    },
    { name: 'Test loss', hint: 'At the end', better: 'less', read: (run) => lastTest(run)?.loss ?? null, format: loss },
    {
      name: 'AUC',
      hint: 'At the end',
      better: 'more',
      isRare: true,
      read: (run) => lastTest(run)?.auc ?? null,
      format: (value) => value.toFixed(3),
    },
    { name: 'Time in all', hint: 'Pauses left out', better: totals, read: timeOf, format: duration },
    {
      name: 'Steps',
      better: null,
      read: ({ log, numbers }) => numbers?.steps ?? log.test.at(-1)?.step ?? null,
      format: count,
    },
    { name: 'Examples', better: null, read: examplesOf, format: count },
    { name: 'Examples per second', better: 'more', read: (run) => perSecond(run), format: rate },
    { name: 'Workers that took part', better: null, read: ({ numbers }) => numbers?.workers ?? null, format: count },
    {
      name: 'Bytes up',
      hint: 'From workers to the host',
      better: totals,
      read: ({ numbers }) => numbers && total(numbers.bytesUp),
      format: bytes,
    },
    {
      name: 'Bytes down',
      hint: 'From the host to workers',
      better: totals,
      read: ({ numbers }) => numbers && total(numbers.bytesDown),
      format: bytes,
    },
    {
      name: 'Bytes between workers',
      better: totals,
      isRare: true,
      read: ({ numbers }) => numbers?.bytesBetween ?? null,
      format: bytes,
    },
    {
      name: 'Bytes per example',
      hint: 'All that went over a wire',
      better: 'less',
      read: bytesPerExample,
      format: bytes,
    },
    {
      name: 'Came too late',
      hint: 'Share of gradients that were not used',
      better: 'less',
      read: ({ numbers }) => numbers && ratio(numbers.stale, numbers.applied + numbers.stale),
      format: percent,
    },
    {
      name: 'Staleness, mean',
      hint: 'Updates by others between a gradient’s start and its use',
      better: 'less',
      isRare: true,
      read: ({ numbers }) => numbers?.stalenessMean ?? null,
      format: (value) => value.toFixed(1),
    },
    {
      name: 'Waiting',
      hint: 'Share of the workers’ time spent waiting for others',
      better: 'less',
      read: ({ numbers }) => numbers?.waitShare ?? null,
      format: percent,
    },
  ];
}

const timeOf = ({ log, numbers }: ComparedRun) => numbers?.elapsedMs ?? log.test.at(-1)?.elapsedMs ?? null;
const examplesOf = ({ log, numbers }: ComparedRun) => numbers?.examples ?? log.test.at(-1)?.examples ?? null;
function perSecond(run: ComparedRun): number | null {
  const [examples, ms] = [examplesOf(run), timeOf(run)];
  return examples === null || ms === null ? null : ratio(examples * 1000, ms);
}

/** What looks the same is equally good; where all look the same, or only one has a number, none is best. */
function rowOf(
  { name, hint = '', better, read, format, isRare }: Measure,
  runs: readonly ComparedRun[],
): ComparedRow | null {
  const values = runs.map(read);
  const texts = values.map((value) => (value === null ? NOTHING : format(value)));
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[];
  if (isRare && known.every((value) => value === 0)) return null;
  const best = better === 'less' ? Math.min(...known) : Math.max(...known);
  const bestText = known.length > 0 ? format(best) : '';
  const isTold = better !== null && known.length > 1 && texts.some((text) => text !== bestText && text !== NOTHING);
  return { name, hint, cells: texts.map((text) => ({ text, isBest: isTold && text === bestText })) };
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
  if (runs.some(({ numbers }) => numbers === null)) caveats.push('Of earlier runs the bytes were not kept.');
  if (runs.some(({ numbers }) => numbers !== null && numbers.countedExamples < numbers.examples * (1 - ALIKE)))
    caveats.push('Of a run that was resumed, bytes are counted since then.');
  if (runs.some(({ log }) => emulatedWords(log.experiment) !== null))
    caveats.push('Conditions of some runs were made up: see Emulated.');
  const rows = measures(commonLoss(runs), isAlike).map((measure) => rowOf(measure, runs));
  return { settings: settingRows(runs), results: rows.filter((row) => row !== null), caveats };
}
