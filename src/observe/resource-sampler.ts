import { noSample, type ResourceSample } from '../core/wire/resources.ts';
import { Growth } from './growth.ts';

/** What a platform tells about the tab or process it runs. */
export type Gauged = Pick<
  ResourceSample,
  'memoryBytes' | 'readBytes' | 'writtenBytes' | 'storageBytes' | 'pressure'
> & {
  /** Processor time so far. */
  readonly cpuMs: number | null;
};

/** Asks the platform. `close` stops what watches meanwhile. */
export interface Gauges {
  read(): Promise<Gauged>;
  close(): void;
}

/** What a link carried so far. */
export interface LinkBytes {
  /** The same for as long as the link lives. */
  readonly key: string;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export interface ResourceSampler {
  /** What was used since the last call, and so far. */
  sample(): Promise<ResourceSample>;
  /** Nothing watches any more; a later sample starts it again. Totals stay. */
  close(): void;
}

export interface SamplerDeps {
  /** Milliseconds of a clock that does not jump. */
  now(): number;
  /** How long the thread that counts was at work so far; starts again from zero when it likes. */
  busyMs(): number;
  links(): Promise<readonly LinkBytes[]>;
  openGauges(): Gauges;
}

/** Work is counted when it is done: for so long a thread without news may be in the middle of a step. */
const IDLE_MS = 10_000;

/** Takes samples of the node that it runs on, when asked. Totals never fall, whatever becomes of links and threads. */
export function resourceSampler({ now, busyMs, links, openGauges }: SamplerDeps): ResourceSampler {
  let gauges: Gauges | null = null;
  const [sent, received] = [new Growth(true), new Growth(true)];
  const [cpu, busy] = [shareOf(0), shareOf(IDLE_MS)];
  return {
    async sample() {
      gauges ??= openGauges();
      const [{ cpuMs, ...gauged }, carried] = await Promise.all([gauges.read(), links()]);
      const nowMs = now();
      return {
        ...noSample,
        ...gauged,
        busy: busy(busyMs(), nowMs),
        cpu: cpuMs === null ? null : cpu(cpuMs, nowMs),
        sentBytes: sent.add(carried.map(({ key, sentBytes }) => [key, sentBytes])),
        receivedBytes: received.add(carried.map(({ key, receivedBytes }) => [key, receivedBytes])),
      };
    },
    close() {
      gauges?.close();
      gauges = null;
    },
  };
}

/**
 * A counter of milliseconds as a share of the time in which it grew; null where nothing is known yet: at first, and
 * while it stands still, for up to `idleMs`. What it grows by then belongs to all of that time.
 */
export function shareOf(idleMs: number): (countedMs: number, nowMs: number) => number | null {
  const growth = new Growth(false);
  let before: { readonly countedMs: number; readonly nowMs: number } | null = null;
  return (value, nowMs) => {
    const countedMs = growth.add([['', value]]) ?? 0;
    const last = before;
    before ??= { countedMs, nowMs };
    if (last === null || nowMs <= last.nowMs) return null;
    if (countedMs === last.countedMs && nowMs - last.nowMs < idleMs) return null;
    before = { countedMs, nowMs };
    return Math.round((1000 * (countedMs - last.countedMs)) / (nowMs - last.nowMs)) / 1000;
  };
}
