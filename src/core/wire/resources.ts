import * as z from 'zod/mini';

const bytes = z.nullable(z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER)));
const share = z.nullable(z.number().check(z.minimum(0), z.maximum(100_000)));

export const pressures = ['nominal', 'fair', 'serious', 'critical'] as const;

/** What a node used when it was last sampled. Null: this platform does not report it. Bytes over links and disks are totals so far. */
export const sampleSchema = z.object({
  /** The share of the time since the last sample in which the computing thread was busy. */
  busy: share,
  /** Processor time since the last sample; 1 is one core, all the time. */
  cpu: share,
  memoryBytes: bytes,
  sentBytes: bytes,
  receivedBytes: bytes,
  readBytes: bytes,
  writtenBytes: bytes,
  /** Kept by the site in the browser. */
  storageBytes: bytes,
  pressure: z.nullable(z.enum(pressures)),
});
export type ResourceSample = z.infer<typeof sampleSchema>;

/** A node of which nothing is known. */
export const noSample = Object.fromEntries(Object.keys(sampleSchema.shape).map((key) => [key, null])) as ResourceSample;

/** A sample with its time: milliseconds of wall time since the run began, by the host's clock. */
export interface TimedSample extends ResourceSample {
  readonly atMs: number;
}

/**
 * What one node used over time. A node may be seen from two sides: by its own tab (`tab`), and by the operating system
 * (`process`); `machine` is all processes together.
 */
export interface NodeResources {
  /** Names the node in every table and chart: `host`, `worker 3`, `browser`, `machine`. */
  readonly node: string;
  /** Null if it is not a worker. */
  readonly worker: number | null;
  readonly source: 'tab' | 'process' | 'machine';
  readonly samples: readonly TimedSample[];
}
