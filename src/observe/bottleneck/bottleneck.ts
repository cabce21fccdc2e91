import { bytes, counted, duration, fixed, percent } from '../format.ts';
import { type Advice, advice } from './advice.ts';
import { type Bound, bounds, type RunFacts, splitTime, type TimeSplit } from './shares.ts';

/** What a run was bound by, with the numbers it follows from. */
export interface Bottleneck {
  readonly bound: Bound;
  /** The part of the run's time that would be saved if this alone cost nothing; they need not add up to 1. */
  readonly shares: Readonly<Record<Bound, number>>;
  /** One sentence that says it. */
  readonly sentence: string;
  /** The numbers behind it, one sentence each. */
  readonly because: readonly string[];
  /** What to try, the most promising first. */
  readonly tryThis: readonly Advice[];
}

/** Says what a run was bound by; null if nothing was trained. */
export function bottleneckOf(report: RunFacts): Bottleneck | null {
  const found = splitTime(report);
  if (found === null) return null;
  const { saved } = found;
  // The first of equals: where nothing stands out, computing is what a run is for.
  const bound = bounds.reduce((largest, next) => (saved[next] > saved[largest] ? next : largest));
  return {
    bound,
    shares: saved,
    sentence: `Bound by ${sentenceFor(bound, found)}.`,
    because: reasons(found, report),
    tryThis: advice(bound, found, report),
  };
}

function sentenceFor(bound: Bound, found: TimeSplit): string {
  const { paces, ownMs, linkMs, stepMs, serverBusy, held, slowest, stale, meanStaleness, saved } = found;
  const ofStep = (ms: number) => `${duration(ms)} (${percent(ms / stepMs, 0)}) of each ${duration(stepMs)} step`;
  switch (bound) {
    case 'compute':
      return `computing: workers compute for ${ofStep(ownMs)}`;
    case 'network':
      return `the network: ${ofStep(linkMs)} are spent on the links`;
    case 'server':
      // A worker in the host's own tab has threads to cross, and nobody to queue behind.
      return paces.every(({ worker }) => worker.isLocal)
        ? `the server: ${ofStep(slowest.wayMs)} are spent in it and between the threads of its tab`
        : `the server: it is busy ${percent(serverBusy, 0)} of the time, and workers queue for it`;
    case 'stragglers':
      return `stragglers: workers spend ${percent(saved.stragglers, 0)} of the time waiting for the slowest, mostly ${nameOf(slowest)}`;
    case 'staleness':
      return stale > saved.staleness / 2
        ? `staleness: ${percent(stale, 0)} of the pushes came too late to count`
        : `staleness: gradients are ${fixed(meanStaleness, 1)} versions old on average, among ${counted(paces.length, 'worker')}`;
    case 'evaluation':
      return `evaluation: training stood still ${percent(held, 0)} of the time until an evaluation was done`;
    default:
      return bound satisfies never;
  }
}

const nameOf = ({ worker: { name, worker } }: TimeSplit['slowest']): string => `${name} (worker ${worker})`;

/** The numbers that let readers judge for themselves. */
function reasons(found: TimeSplit, { server, wallSeconds, timeline }: RunFacts): string[] {
  const { paces, stepMs, ownMs, linkMs, serverBusy, serverMsPerPush, slowest, stale, meanStaleness } = found;
  const sum = (read: (pace: TimeSplit['slowest']) => number) => paces.reduce((total, pace) => total + read(pace), 0);
  const evaluationsMs = timeline.spans.flatMap(({ kind, durationMs }) => (kind === 'evaluation' ? durationMs : []));
  const evaluationMs = evaluationsMs.reduce((total, ms) => total + ms, 0) / evaluationsMs.length;
  const roundTrips = paces.flatMap(({ worker }) => worker.transport?.roundTripMs ?? []);
  const moved = sum(({ worker }) => worker.bytesUp.total + worker.bytesDown.total + worker.bytesToPeers);
  const each = evaluationsMs.length > 0 ? ` (${duration(evaluationMs)} each)` : '';
  return [
    `A typical step takes ${duration(stepMs)}: ${duration(ownMs)} at the worker, ${duration(linkMs)} on the links; the server holds it for ${range(paces.map(({ waitMs }) => waitMs))}.`,
    `The server works ${duration(serverMsPerPush)} on each push and is busy ${percent(serverBusy, 0)} of ${duration(wallSeconds * 1000)}.`,
    `A step moves ${bytes(moved / sum(({ worker }) => worker.steps))}${roundTrips.length > 0 ? `; a round trip takes ${range(roundTrips)}` : ''}.`,
    paces.length > 1 &&
      `The slowest, ${nameOf(slowest)}, takes ${duration(slowest.ownMs)} to compute and ${duration(slowest.wayMs)} to exchange; a typical worker computes for ${duration(ownMs)}.`,
    (stale > 0 || meanStaleness > 0) &&
      `${percent(stale, 0)} of the pushes were stale; those that counted were ${fixed(meanStaleness, 1)} versions old.`,
    `${counted(server.evaluations, 'evaluation')}${each} held training up for ${duration(server.evaluationHoldMs)}.`,
  ].filter((reason) => reason !== false);
}

/** The least and the most of some times, once where they read the same. */
function range(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(duration);
  return least === most ? `${least}` : `${least} to ${most}`;
}
