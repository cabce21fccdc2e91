import { type Bottleneck, bottleneck, type Judged } from './bottleneck.ts';
import { type Advice, advice } from './verdict-advice.ts';
import { counted, percent, range, size, time } from './verdict-numbers.ts';

export const bounds = ['compute', 'network', 'server', 'stragglers', 'staleness', 'evaluation'] as const;
/** What a run can be held up by. */
export type Bound = (typeof bounds)[number];

/** What held a run up, with the numbers it follows from. */
export interface RunVerdict {
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

/** Says what held a run up; null if nothing was trained. */
export function runVerdict(report: Judged): RunVerdict | null {
  const found = bottleneck(report);
  if (found === null) return null;
  const { saved } = found;
  // The first of equals: where nothing stands out, computing is what a run is for.
  const bound = bounds.reduce((most, next) => (saved[next] > saved[most] ? next : most));
  return {
    bound,
    shares: saved,
    sentence: sentenceFor(bound, found, report),
    because: reasons(found, report),
    tryThis: advice(bound, found, report),
  };
}

function sentenceFor(bound: Bound, found: Bottleneck, report: Judged): string {
  const { ownMs, linkMs, stepMs, serverBusy, held, slowest, stale, meanStaleness, saved } = found;
  switch (bound) {
    case 'compute':
      return `Bound by computing: of the ${time(stepMs)} of a step, workers compute for ${time(ownMs)} (${percent(ownMs / stepMs)}).`;
    case 'network':
      return `Bound by the network: of the ${time(stepMs)} of a step, ${time(linkMs)} (${percent(linkMs / stepMs)}) pass on the links.`;
    case 'server':
      // A worker in the host's own tab has threads to cross, and nobody to queue behind.
      if (found.paces.every(({ worker }) => worker.isLocal)) {
        return `Bound by the server: of the ${time(stepMs)} of a step, ${time(slowest.wayMs)} (${percent(slowest.wayMs / stepMs)}) pass in it and between the threads of its tab.`;
      }
      return `Bound by the server: it is busy ${percent(serverBusy)} of the time, and workers queue for it.`;
    case 'stragglers':
      return `Bound by stragglers: workers spend ${percent(saved.stragglers)} of the time waiting for the slowest, mostly ${slowest.worker.name} (worker ${slowest.worker.worker}).`;
    case 'staleness':
      return stale > saved.staleness / 2
        ? `Bound by staleness: ${percent(stale)} of the pushes came too late to count.`
        : `Bound by staleness: gradients are ${meanStaleness.toFixed(1)} versions old on average, among ${report.workers.length} workers.`;
    case 'evaluation':
      return `Bound by evaluation: training stood still ${percent(held)} of the time until a look at the test set was done.`;
    default:
      return bound satisfies never;
  }
}

/** The numbers a reader needs to judge by himself. */
function reasons(found: Bottleneck, report: Judged): string[] {
  const { paces, stepMs, ownMs, linkMs, serverBusy, serverMsPerPush, slowest, stale, meanStaleness } = found;
  const { server, wallSeconds, timeline } = report;
  const waits = paces.map(({ waitMs }) => waitMs);
  const looks = timeline.spans.filter(({ kind }) => kind === 'evaluation').map(({ durationMs }) => durationMs);
  const lookMs = looks.reduce((sum, ms) => sum + ms, 0) / looks.length;
  const roundTrips = paces.flatMap(({ worker }) => worker.transport?.roundTripMs ?? []);
  const bytes = paces.reduce((sum, { worker }) => sum + worker.bytesUp.total + worker.bytesDown.total, 0);
  const peerBytes = paces.reduce((sum, { worker }) => sum + worker.bytesToPeers, 0);
  const pushes = paces.reduce((sum, { worker }) => sum + worker.steps, 0);
  return [
    `A typical step takes ${time(stepMs)}: ${time(ownMs)} at the worker, ${time(linkMs)} on the links; held by the server for ${range(waits)}.`,
    `The server works ${time(serverMsPerPush)} for a push and is busy ${percent(serverBusy)} of ${time(wallSeconds * 1000)}.`,
    `A step moves ${size((bytes + peerBytes) / pushes)}${roundTrips.length > 0 ? `; a round trip takes ${range(roundTrips)}` : ''}.`,
    ...(paces.length > 1
      ? [
          `The slowest, ${slowest.worker.name} (worker ${slowest.worker.worker}), takes ${time(slowest.ownMs)} to compute and ${time(slowest.wayMs)} to exchange; the middle one ${time(ownMs)} to compute.`,
        ]
      : []),
    ...(stale > 0 || meanStaleness > 0
      ? [
          `${percent(stale)} of the pushes were stale; those that counted were ${meanStaleness.toFixed(1)} versions old.`,
        ]
      : []),
    `${counted(server.evaluations, 'look')} at the test set${looks.length > 0 ? ` of ${time(lookMs)}` : ''} held training up for ${time(server.evaluationHoldMs)}.`,
  ];
}
