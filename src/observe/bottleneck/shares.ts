import type { Experiment } from '../../experiment/experiment.ts';
import type { RunReport, WorkerReport } from '../run-report.ts';
import type { Timeline } from '../step-trace.ts';

export const bounds = ['compute', 'network', 'server', 'stragglers', 'staleness', 'evaluation'] as const;
/** What a run can be bound by. */
export type Bound = (typeof bounds)[number];

/** What is known of a run before its bottleneck is. */
export type RunFacts = Omit<RunReport, 'bottleneck'>;

/** One worker's average step. */
export interface Pace {
  readonly worker: WorkerReport;
  /** Decoding, computing, reading back, encoding, and resting where it was told to. */
  readonly ownMs: number;
  /** From the push to the answer, but for what the server held it: the links, and the server's queue and work. */
  readonly wayMs: number;
  /** Held by the server: for others, for an evaluation. */
  readonly waitMs: number;
  readonly stepMs: number;
}

/** Where the time of a run went. Shares are of the run's time, times per step of a worker. */
export interface TimeSplit {
  /**
   * The part of the run's time that would be saved if this cost nothing, all else being equal. Time for work that counted for
   * nothing is staleness, whatever it was spent on.
   */
  readonly saved: Readonly<Record<Bound, number>>;
  readonly paces: readonly Pace[];
  readonly stepMs: number;
  /** Of a typical worker. */
  readonly ownMs: number;
  /** Of a typical worker: on the links alone. */
  readonly linkMs: number;
  readonly serverBusy: number;
  readonly serverMsPerPush: number;
  /** The part of the time in which training stood still for an evaluation. */
  readonly held: number;
  /** The part of the pushes that counted for nothing. */
  readonly stale: number;
  readonly meanStaleness: number;
  /** Who takes longest for a step, waiting apart. */
  readonly slowest: Pace;
}

/** Everyone takes as many steps as the slowest, more or less. */
const paced: readonly Experiment['strategy'][] = ['sync', 'local', 'allreduce', 'bounded'];
/** Pushes come all at once and are answered all at once. */
const inRounds: readonly Experiment['strategy'][] = ['sync', 'local', 'allreduce'];

/** Held up less than this, evaluations and steps are in balance: fewer of them would save next to nothing. */
const LEAST_HOLD = 0.1;

/** Takes the run's time apart; null if nothing was trained. */
export function splitTime(report: RunFacts): TimeSplit | null {
  const paces = report.workers
    .filter(({ steps }) => steps > 0)
    .map((worker) => paceOf(worker, report.timeline))
    .filter(({ stepMs }) => stepMs > 0);
  const wallMs = report.wallSeconds * 1000;
  const pushes = sum(paces, ({ worker }) => worker.steps);
  if (pushes === 0 || wallMs === 0) return null;
  const { strategy } = report.experiment;
  const { busyMs, evaluationHoldMs } = report.server;
  const isPaced = paced.includes(strategy) && paces.length > 1;
  const isRound = inRounds.includes(strategy);
  const count = paces.length;
  const serverBusy = Math.min(1, busyMs / wallMs);
  const serverMsPerPush = busyMs / pushes;
  const held = Math.min(1, evaluationHoldMs / wallMs);

  // Where everyone keeps pace, a typical worker stands for all: what others have more of is straggling. Else each counts.
  const remote = paces.filter(({ worker }) => !worker.isLocal);
  const mean = (read: (pace: Pace) => number) => sum(paces, (pace) => read(pace) * pace.worker.steps) / pushes;
  const typical = (read: (pace: Pace) => number, of = paces) => (isPaced ? median(of.map(read)) : mean(read));
  const stepMs = typical((pace) => pace.stepMs);
  const ownMs = typical((pace) => pace.ownMs);
  const wayMs = typical((pace) => pace.wayMs, remote.length > 0 ? remote : paces);
  const ringMs = strategy === 'allreduce' ? Math.max(0, leastWaitMs(report.timeline, paces) - held * stepMs) : 0;

  // In a round the i-th of n pushes queues for i − 1 others and is answered with the last; else a queue as long as the
  // server is busy (closed network, Schweitzer's approximation).
  const queuedMs = isRound
    ? ((count + 1) / 2) * serverMsPerPush
    : serverMsPerPush / (1 - (serverBusy * (count - 1)) / count);
  const serverMs = Math.min(wayMs, queuedMs);
  const betweenMs = wayMs - serverMs + ringMs;
  // In the host's own tab there is no link: what lies between is the host's threads talking to each other.
  const linkMs = remote.length > 0 ? betweenMs : 0;
  const compute = ownMs / stepMs;
  const network = linkMs / stepMs;
  const server = (isRound ? serverBusy : serverMs / stepMs) + (betweenMs - linkMs) / stepMs;
  const longestWait = Math.max(...paces.map((pace) => pace.waitMs / pace.stepMs));
  const stragglers = isPaced ? Math.min(longestWait, 1 - compute - network - server - held) : 0;
  // One push of each is in vain when a run ends, whatever held it up.
  const stale = sum(paces, ({ worker }) => Math.max(0, worker.stale - 1)) / pushes;
  const applied = sum(paces, ({ worker }) => worker.applied);
  const meanStaleness = sum(paces, ({ worker }) => worker.staleness.mean * worker.applied) / Math.max(1, applied);
  // Of n workers that take turns, each is n − 1 versions behind, with overlap 2 n − 1; only what is beyond that is too much.
  const turns = report.experiment.overlap ? 2 * count : count;
  const excess = strategy === 'async' ? Math.max(0, 1 - turns / (1 + meanStaleness)) : 0;

  // Whatever else cost nothing, the server would still need its time, and so would an evaluator that is never idle.
  const evaluating = held >= LEAST_HOLD ? evaluatorBusy(report.timeline) : 0;
  const limit = Math.max(0, 1 - evaluating);
  const limitBesideServer = Math.min(limit, 1 - serverBusy);
  const within = (share: number, max: number) => (1 - stale) * Math.max(0, Math.min(share, max));
  return {
    saved: {
      compute: within(compute, limitBesideServer),
      network: within(network, limitBesideServer),
      server: within(server, limit),
      stragglers: within(stragglers, limitBesideServer),
      staleness: stale + (1 - stale) * excess,
      evaluation: (1 - stale) * held,
    },
    paces,
    stepMs,
    ownMs,
    linkMs,
    serverBusy,
    serverMsPerPush,
    held,
    stale,
    meanStaleness,
    slowest: paces.reduce((slowest, pace) =>
      pace.ownMs + pace.wayMs > slowest.ownMs + slowest.wayMs ? pace : slowest,
    ),
  };
}

function paceOf(worker: WorkerReport, { steps: all }: Timeline): Pace {
  const { phases, steps } = worker;
  const waitMs = phases.waitMs / steps;
  const wayMs = (phases.transferMs + phases.sendMs) / steps;
  const workMs = (phases.decodeMs + phases.computeMs + phases.readMs + phases.encodeMs) / steps;
  // What is no phase, such as waiting until the keys of the next lease are found, is the rest of the time between two pushes.
  const own = all.filter((step) => step.worker === worker.worker).sort((a, b) => a.seq - b.seq);
  const rests = own.flatMap((step, index) => {
    const before = own[index - 1];
    if (before === undefined || before.seq + 1 !== step.seq) return [];
    return [step.receivedMs - before.receivedMs - sum(Object.values(step.phases), (ms) => ms)];
  });
  const restMs = rests.length === 0 ? 0 : Math.max(0, median(rests));
  const ownMs = workMs + restMs;
  return { worker, ownMs, wayMs, waitMs, stepMs: ownMs + wayMs + waitMs };
}

/** All-reduce: even the last of a ring waits while the sums go round. */
function leastWaitMs({ steps }: Timeline, paces: readonly Pace[]): number {
  const rounds = new Map<number, number[]>();
  for (const { version, phases } of steps) rounds.set(version, [...(rounds.get(version) ?? []), phases.waitMs]);
  const whole = [...rounds.values()].filter((waits) => waits.length === paces.length);
  if (whole.length === 0) return Math.min(...paces.map(({ waitMs }) => waitMs));
  return sum(whole, (waits) => Math.min(...waits)) / whole.length;
}

/** The part of the time in which an evaluation was under way; 0 if nobody recorded it. */
function evaluatorBusy({ steps, spans }: Timeline): number {
  const fromMs = Math.min(...steps.map(({ receivedMs }) => receivedMs));
  const toMs = Math.max(...steps.map(({ receivedMs }) => receivedMs));
  if (!(toMs > fromMs)) return 0;
  const within = (ms: number) => Math.min(Math.max(ms, fromMs), toMs);
  const busyMs = sum(spans, ({ kind, startMs, durationMs }) =>
    kind === 'evaluation' ? within(startMs + durationMs) - within(startMs) : 0,
  );
  return Math.min(1, busyMs / (toMs - fromMs));
}

const sum = <T>(items: readonly T[], read: (item: T) => number) => items.reduce((total, item) => total + read(item), 0);

/** The lower one of two: of two workers the faster is typical, and the other late. */
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
