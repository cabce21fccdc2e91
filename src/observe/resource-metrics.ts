import type { ResourceSample, TimedSample } from '../core/wire/resources.ts';

/** Something that is measured of a node over time. */
export interface ResourceMetric {
  readonly key: Exclude<keyof ResourceSample, 'pressure'>;
  readonly name: string;
  readonly hint: string;
  /** What is kept as a total is charted as its growth, in bytes/s. */
  readonly unit: 'share' | 'bytes' | 'bytes/s';
}

const metric = (
  key: ResourceMetric['key'],
  unit: ResourceMetric['unit'],
  name: string,
  hint: string,
): ResourceMetric => ({ key, unit, name, hint });

const bySystem = 'Per second; only the operating system reports it';

/** All that is charted of a node's resources, in order. */
export const resourceMetrics: readonly ResourceMetric[] = [
  metric('busy', 'share', 'Busy', 'The part of the time in which the thread that computes, or serves, was at it'),
  metric('cpu', 'share', 'Processor', '100 % is one core, all the time; only the operating system reports it'),
  metric('memoryBytes', 'bytes', 'Memory', 'In use when sampled'),
  metric('sentBytes', 'bytes/s', 'Network out', 'Sent, per second'),
  metric('receivedBytes', 'bytes/s', 'Network in', 'Received, per second'),
  metric('readBytes', 'bytes/s', 'Disk reads', bySystem),
  metric('writtenBytes', 'bytes/s', 'Disk writes', bySystem),
  metric('storageBytes', 'bytes', 'Storage', 'Kept by this site in the browser'),
];

/**
 * A metric's value for each sample; null where it is not told. Of a total, how fast it grew since the sample before: null
 * for the first, and where it was counted anew.
 */
export function metricValues(
  samples: readonly TimedSample[],
  { key, unit }: Pick<ResourceMetric, 'key' | 'unit'>,
): (number | null)[] {
  if (unit !== 'bytes/s') return samples.map((sample) => sample[key]);
  return samples.map((sample, at) => {
    const before = samples[at - 1];
    const [now, then] = [sample[key], before?.[key] ?? null];
    if (before === undefined || now === null || then === null) return null;
    const tookMs = sample.atMs - before.atMs;
    return now < then || tookMs <= 0 ? null : ((now - then) / tookMs) * 1000;
  });
}
