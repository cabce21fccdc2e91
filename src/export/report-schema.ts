import * as z from 'zod/mini';
import { noCounters, stopReasons, type TrainPoint, type WorkerPoint } from '../core/server/progress.ts';
import { kinds, phasesSchema } from '../core/wire/protocol.ts';
import { sampleSchema } from '../core/wire/resources.ts';
import { defaultExperiment, experimentSchema } from '../experiment/experiment.ts';
import type { RunReport } from '../observe/run-report.ts';
import type { StepTrace } from '../observe/step-trace.ts';
import { bounds, runVerdict } from '../observe/verdict.ts';

const number = z.number();
const text = z.string();
const orNull = z.nullable;
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
  precisions: z.array(number),
  auc: orNull(number),
});

const isNumber = (value: unknown): boolean => typeof value === 'number';
const isNumberOrNull = (value: unknown): boolean => value === null || isNumber(value);
const trainPoint = { step: isNumber, elapsedMs: isNumber, wallMs: isNumber, loss: isNumberOrNull };
const phaseNames = Object.keys(phasesSchema.shape);

const bytes = z.record(z.enum([...kinds, 'total']), number);
const transport = z.object({
  messagesSent: number,
  messagesReceived: number,
  bytesSent: number,
  bytesReceived: number,
  wireBytesSent: orNull(number),
  wireBytesReceived: orNull(number),
  roundTripMs: orNull(number),
  unaccountedBytes: number,
});

const worker = z.object({
  worker: number,
  name: text,
  isLocal: z.boolean(),
  backend: text,
  why: text,
  device: text,
  phase: z.enum(['greeting', 'preparing', 'ready', 'computing', 'held', 'paused', 'gone']),
  trouble: orNull(text),
  steps: number,
  applied: number,
  stale: number,
  rejected: number,
  examples: number,
  phases: sums(phasesSchema.shape),
  staleness: z.object({ mean: number, max: number }),
  bytesUp: bytes,
  bytesDown: bytes,
  bytesToPeers: number,
  transport: orNull(transport),
  curve: rows<WorkerPoint>({ ...trainPoint, accuracy: isNumberOrNull }, {}),
});

const steps = rows<StepTrace>(
  {
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
  },
  // Not recorded before these existed.
  { givenMs: null, pausedMs: 0 },
);
const span = z.object({ kind: z.enum(['evaluation', 'checkpoint']), startMs: number, durationMs: number });

const resources = z.object({
  node: text,
  worker: orNull(number),
  source: z.enum(['tab', 'process', 'machine']),
  samples: z.array(z.extend(sampleSchema, { atMs: number })),
});

const profile = z.object({
  backend: text,
  batch: number,
  operators: z.array(z.object({ name: text, outputShape: z.array(number), outputBytes: number, ms: number })),
  stepMs: number,
});

const verdict = z.object({
  bound: z.enum(bounds),
  shares: z.record(z.enum(bounds), number),
  sentence: text,
  because: z.array(text),
  tryThis: z.array(
    z.object({ text, change: orNull(z.partial(experimentSchema) as z.ZodMiniType<object>), flags: orNull(text) }),
  ),
});

const report = z.object({
  format: z.literal('manyhands-run/2'),
  id: text,
  experiment: experimentSchema,
  emulated: orNull(text),
  phase: z.enum(['waiting', 'running', 'paused', 'finishing', 'finished', 'failed']),
  stopReason: orNull(z.enum(stopReasons)),
  steps: number,
  examples: number,
  wallSeconds: number,
  startedAt: text,
  testLoss: orNull(loss),
  testAccuracy: orNull(number),
  best: orNull(testPoint),
  workers: z.array(worker),
  server: sums(noCounters),
  machine: z.record(text, z.union([text, number, z.boolean(), z.null()])),
  series: z.object({ train: rows<TrainPoint>(trainPoint, {}), test: z.array(testPoint) }),
  resources: z.array(resources),
  timeline: z.object({ steps, spans: z.array(span) }),
  profile: orNull(profile),
});

/**
 * A long list whose rows are checked by hand: with a schema, the steps and points of one report take a tenth of a second.
 * What a row does not have is as in `usual`; a loss that JSON had no word for is not a number.
 */
function rows<Row extends object>(
  checks: Readonly<Record<keyof Row, (value: unknown) => boolean>>,
  usual: Partial<Row>,
) {
  const all = Object.entries(checks) as [keyof Row & string, (value: unknown) => boolean][];
  const late = Object.keys(usual);
  const whole = (row: Row): Row => {
    const isWhole = late.every((key) => Object.hasOwn(row, key));
    const known = isWhole ? row : { ...usual, ...row };
    return 'loss' in known && known.loss === null ? { ...known, loss: Number.NaN } : known;
  };
  const isRow = (row: unknown) =>
    all.every(([key, isRight]) => {
      const value = Object(row)[key];
      return value === undefined ? late.includes(key) : isRight(value);
    });
  return z.pipe(
    z.custom<Row[]>((value) => Array.isArray(value) && value.every(isRow)),
    z.transform((list) => list.map(whole)),
  );
}

/** An object of numbers with these keys. */
function sums<Key extends string>(keys: Readonly<Record<Key, unknown>>) {
  return z.object(Object.fromEntries(Object.keys(keys).map((key) => [key, number])) as Record<Key, typeof number>);
}

/**
 * A report from a file or a store, checked; null if it is none, or of a version that said things differently. Settings it
 * does not have were as usual. What held the run up is found out again where it was said differently.
 */
export function readReport(input: unknown): RunReport | null {
  const { experiment, verdict: said, ...rest } = Object(input) as Record<string, unknown>;
  const read = report.safeParse({ ...rest, experiment: { ...defaultExperiment, ...Object(experiment) } });
  if (!read.success) return null;
  const known = z.nullable(verdict).safeParse(said);
  return { ...read.data, verdict: known.success ? known.data : runVerdict(read.data) };
}
