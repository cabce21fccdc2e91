import { clock, percent as wholePercent } from '../observe/format.ts';
import type { SimulatedRun } from './result.ts';

/** From here on a part of the host is what everyone waits for. */
const FULL = 0.9;

/** Closer than this, one seed tells nothing of who is ahead. */
const CLOSE = 0.02;

const percent = (share: number) => wholePercent(share, 0);

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

/** Which strategy came first and why, and what held up the one that came last; empty where there is nothing to say. */
export function winnerWords(runs: readonly SimulatedRun[], untilLoss: number | null): string {
  const ranked = untilLoss === null ? byLoss(runs) : byTime(runs);
  const [first, ...others] = ranked;
  const last = others.at(-1);
  if (!first) return '';
  const own = `${first.strategy} ${limitWords(first)}`;
  if (!last) return `${own}.`;
  const why = `${own}, ${last.strategy} ${limitWords(last)}.`;
  if (untilLoss !== null && first.toTargetMs === null)
    return `None gets to a test loss of ${untilLoss} in time: ${why}`;
  const close = others.filter((run) => isClose(first, run, untilLoss)).map(({ strategy }) => strategy);
  const place =
    untilLoss === null
      ? `a test loss of ${loss(first)}`
      : `a test loss of ${untilLoss}, after ${clock(first.toTargetMs ?? 0)}`;
  if (close.length > 0)
    return `${[first.strategy, ...close].join(' and ')} are level at ${place}; one seed tells no more. ${why}`;
  if (untilLoss === null) return `${first.strategy} gets furthest, to ${place}: ${why}`;
  const ahead =
    last.toTargetMs === null
      ? `; ${last.strategy} does not get there`
      : `, ${(last.toTargetMs / Math.max(1, first.toTargetMs ?? 0)).toPrecision(2)} times as fast as ${last.strategy}`;
  return `${first.strategy} is first at ${place}${ahead}: ${why}`;
}

/** Whether two runs came to the same, as far as one seed tells. */
function isClose(first: SimulatedRun, other: SimulatedRun, untilLoss: number | null): boolean {
  const [a, b] = untilLoss === null ? [first.testLoss, other.testLoss] : [first.toTargetMs, other.toTargetMs];
  return a !== null && b !== null && b - a <= CLOSE * Math.abs(a);
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
