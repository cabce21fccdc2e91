import * as z from 'zod/mini';
import { noCounters, stopReasons, type TrainPoint, type WorkerPoint } from '../core/server/progress.ts';
import { kinds, phasesSchema } from '../core/wire/protocol.ts';
import { sampleSchema } from '../core/wire/resources.ts';
import { defaultExperiment, experimentSchema } from '../experiment/experiment.ts';
import { type Bottleneck, bottleneckOf } from './bottleneck/bottleneck.ts';
import type { StepTrace } from './step-trace.ts';

const number = z.number();
const text = z.string();
const orNull = z.nullable;
const list = <T extends z.ZodMiniType>(item: T) => z.readonly(z.array(item));
/** A loss that grew beyond all numbers is kept as such by a browser, and as null in JSON. */
const loss = z.pipe(
  z.custom<number | null>((value) => value === null || typeof value === 'number'),
  z.transform((value) => value ?? Number.NaN),
);

const testPoint = z.object({
  step: number,
  elapsedMs: number,
  wallMs: number,
  loss,
  examples: number,
  accuracy: number,
  precisions: list(number),
  auc: orNull(number),
});

const isNumber = (value: unknown): boolean => typeof value === 'number';
const isNumberOrNull = (value: unknown): boolean => value === null || isNumber(value);
const trainPoint = { step: isNumber, elapsedMs: isNumber, wallMs: isNumber, loss: isNumberOrNull };
const phaseNames = Object.keys(phasesSchema.shape);

const bytes = z.record(z.enum([...kinds, 'total']), number);
export type Bytes = z.infer<typeof bytes>;

const workerSchema = z.object({
  worker: number,
  name: text,
  isLocal: z.boolean(),
  backend: text,
  why: text,
  device: text,
  phase: z.enum(['preparing', 'ready', 'computing', 'held', 'paused', 'gone']),
  trouble: orNull(text),
  /** All its pushes, whatever became of them. */
  steps: number,
  applied: number,
  stale: number,
  rejected: number,
  examples: number,
  phases: sums(phasesSchema.shape),
  staleness: z.object({ mean: number, max: number }),
  bytesUp: bytes,
  bytesDown: bytes,
  /** Sent straight to other workers. */
  bytesToPeers: number,
  transport: orNull(
    z.object({
      messagesSent: number,
      messagesReceived: number,
      bytesSent: number,
      bytesReceived: number,
      wireBytesSent: orNull(number),
      wireBytesReceived: orNull(number),
      roundTripMs: orNull(number),
      unaccountedBytes: number,
    }),
  ),
  curve: rows<WorkerPoint>({ ...trainPoint, accuracy: isNumberOrNull }),
});
/** What one worker did in a run. */
export type WorkerReport = Readonly<z.infer<typeof workerSchema>>;

const steps = rows<StepTrace>({
  worker: isNumber,
  seq: isNumber,
  version: isNumber,
  examples: isNumber,
  givenMs: isNumberOrNull,
  pausedMs: isNumber,
  receivedMs: isNumber,
  answeredMs: isNumberOrNull,
  applyMs: isNumber,
  answerMs: isNumber,
  phases: (value) => phaseNames.every((name) => isNumber(Object(value)[name])),
  verdict: (value) => value === null || value === 'applied' || value === 'stale' || value === 'rejected',
  staleness: isNumber,
});

const reportSchema = z.object({
  format: z.literal('manyhands-run/2'),
  id: text,
  experiment: experimentSchema,
  /** The conditions that were made up for it, in words; null if none were. */
  emulated: orNull(text),
  phase: z.enum(['waiting', 'running', 'paused', 'finishing', 'finished', 'failed']),
  stopReason: orNull(z.enum(stopReasons)),
  steps: number,
  examples: number,
  /** Spent training: pauses and waiting for the first workers do not count. */
  wallSeconds: number,
  startedAt: text,
  /** Of the last parameters. */
  testLoss: orNull(loss),
  testAccuracy: orNull(number),
  /** The evaluation with the least loss: training goes on while one is under way, and may leave it behind. */
  best: orNull(testPoint),
  workers: list(workerSchema),
  server: sums(noCounters),
  /** What ran it: versions, browser, cores, whatever helps to read the times. */
  machine: z.record(text, z.union([text, number, z.boolean(), z.null()])),
  series: z.object({ train: rows<TrainPoint>(trainPoint), test: list(testPoint) }),
  resources: list(
    z.object({
      node: text,
      worker: orNull(number),
      source: z.enum(['tab', 'process', 'machine']),
      samples: list(z.extend(sampleSchema, { atMs: number })),
    }),
  ),
  timeline: z.object({
    steps,
    spans: list(z.object({ kind: z.enum(['evaluation', 'checkpoint']), startMs: number, durationMs: number })),
  }),
  /** One step, operator by operator; null if nobody asked for it. */
  profile: orNull(
    z.object({
      backend: text,
      batch: number,
      /** Each run alone, until the device was done with it; the best of a few times. */
      operators: list(z.object({ name: text, outputShape: list(number), outputBytes: number, ms: number })),
      /** Of the whole step without the watching, for comparison. */
      stepMs: number,
    }),
  ),
});

/** Everything about one run, as plain JSON. */
export interface RunReport extends Readonly<z.infer<typeof reportSchema>> {
  /** What the run was bound by; null if nothing was trained. */
  readonly bottleneck: Bottleneck | null;
}
/** The curves of a run. */
export type Series = Readonly<RunReport['series']>;
export type Machine = RunReport['machine'];

/**
 * A long list whose rows are checked by hand: with a schema, the steps and points of one report take a tenth of a second.
 * A loss that JSON had no word for is not a number.
 */
function rows<Row extends object>(checks: Readonly<Record<keyof Row, (value: unknown) => boolean>>) {
  const all = Object.entries(checks) as [keyof Row & string, (value: unknown) => boolean][];
  return z.pipe(
    z.custom<readonly Row[]>(
      (value) => Array.isArray(value) && value.every((row) => all.every(([key, isRight]) => isRight(Object(row)[key]))),
    ),
    z.transform((list): readonly Row[] =>
      list.map((row) => ('loss' in row && row.loss === null ? { ...row, loss: Number.NaN } : row)),
    ),
  );
}

/** An object of numbers with these keys. */
function sums<Key extends string>(keys: Readonly<Record<Key, unknown>>) {
  return z.object(Object.fromEntries(Object.keys(keys).map((key) => [key, number])) as Record<Key, typeof number>);
}

/**
 * A report from a file or a store, checked; null if it is none, or of a version that said things differently. Settings it
 * does not have were as usual. Its bottleneck follows from the rest and is found again.
 */
export function readReport(input: unknown): RunReport | null {
  const { experiment, ...rest } = Object(input) as Record<string, unknown>;
  const { data } = reportSchema.safeParse({ ...rest, experiment: { ...defaultExperiment, ...Object(experiment) } });
  return data === undefined ? null : { ...data, bottleneck: bottleneckOf(data) };
}
