import type { SimulatedRun } from './result.ts';

/** From here on a part of the host is what everyone waits for. */
const FULL = 0.9;

const percent = (share: number) => `${Math.round(share * 100)} %`;
const clock = (ms: number) => {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** What holds a run up most, in words that follow its name. */
export function limitWords(run: SimulatedRun): string {
  const { strategy, shares, hostBusy, updates, leaves } = run;
  if (updates === 0) return leaves > 0 ? 'ends no round before somebody leaves' : 'ends not a single round in time';
  if (hostBusy.server > FULL) return `keeps the host’s processor busy ${percent(hostBusy.server)} of the time`;
  if (hostBusy.up > FULL) return `fills what the host can send (${percent(hostBusy.up)})`;
  if (hostBusy.down > FULL) return `fills what the host can receive (${percent(hostBusy.down)})`;
  const { wait, transfer, compute } = shares;
  if (compute >= wait && compute >= transfer) return `computes ${percent(compute)} of the time`;
  if (transfer > wait) return `spends ${percent(transfer)} of the time on the way to the host and back`;
  const what = strategy === 'allreduce' ? 'passing sums round the ring' : 'waiting for the slowest';
  return `spends ${percent(wait)} of the time ${what}`;
}

/** Which strategy came first, and what held up the one that came last; empty where there is nothing to say. */
export function verdict(runs: readonly SimulatedRun[], untilLoss: number | null): string {
  const ranked = untilLoss === null ? byLoss(runs) : byTime(runs);
  const [first, ...others] = ranked;
  const last = others.at(-1);
  if (!first) return '';
  if (!last) return `${first.strategy} ${limitWords(first)}.`;
  const why = `${last.strategy} ${limitWords(last)}.`;
  if (untilLoss === null) return `${first.strategy} gets furthest, to a test loss of ${loss(first)}: ${why}`;
  if (first.toTargetMs === null) return `None gets to a test loss of ${untilLoss} in time: ${why}`;
  const ahead =
    last.toTargetMs === null
      ? `; ${last.strategy} does not get there`
      : `, ${(last.toTargetMs / Math.max(1, first.toTargetMs)).toPrecision(2)} times as fast as ${last.strategy}`;
  return `${first.strategy} is first at a test loss of ${untilLoss}, after ${clock(first.toTargetMs)}${ahead}: ${why}`;
}

const loss = ({ testLoss }: SimulatedRun) => (testLoss === null ? 'nothing' : testLoss.toFixed(3));

const byLoss = (runs: readonly SimulatedRun[]) =>
  [...runs].sort((a, b) => (a.testLoss ?? Number.POSITIVE_INFINITY) - (b.testLoss ?? Number.POSITIVE_INFINITY));

/** Those that never got there come last, by how far they got. */
function byTime(runs: readonly SimulatedRun[]): readonly SimulatedRun[] {
  const there = runs.filter((run) => run.toTargetMs !== null);
  there.sort((a, b) => (a.toTargetMs as number) - (b.toTargetMs as number));
  return [...there, ...byLoss(runs.filter((run) => run.toTargetMs === null))];
}
