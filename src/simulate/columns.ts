import { bytes, clock, count, duration, loss, percent } from '../observe/format.ts';
import type { SimulatedRun } from './result.ts';

/** A run with how long it took to simulate, in real time. */
export interface TimedRun {
  readonly run: SimulatedRun;
  readonly tookMs: number;
}

/** One figure of a simulated run, as pages and terminals show it. */
export interface OutcomeColumn {
  readonly title: string;
  readonly hint: string;
  text(timed: TimedRun): string;
}

/** The figures of runs until a test loss, or until the time was over. */
export const outcomeColumns = (untilLoss: number | null): readonly OutcomeColumn[] => [
  {
    title: untilLoss === null ? 'Time' : `To loss ${untilLoss}`,
    hint: 'Virtual time',
    text({ run: { elapsedMs, toTargetMs } }) {
      if (untilLoss === null) return clock(elapsedMs);
      return toTargetMs === null ? 'never' : clock(toTargetMs);
    },
  },
  { title: 'Updates', hint: 'Of the parameters', text: ({ run }) => count(run.updates) },
  { title: 'Examples', hint: 'Computed and counted', text: ({ run }) => count(run.examples) },
  { title: 'Test loss', hint: 'At the end', text: ({ run }) => loss(run.testLoss) },
  { title: 'Accuracy', hint: 'On the test set, at the end', text: ({ run }) => percent(run.accuracy) },
  { title: 'Up', hint: 'Sent by one worker', text: ({ run }) => bytes(run.workerBytes.up) },
  { title: 'Down', hint: 'Received by one worker', text: ({ run }) => bytes(run.workerBytes.down) },
  { title: 'Host in', hint: 'Received by the host', text: ({ run }) => bytes(run.hostBytes.up) },
  { title: 'Host out', hint: 'Sent by the host', text: ({ run }) => bytes(run.hostBytes.down) },
  {
    title: 'Idle',
    hint: 'Share of the workers’ time spent waiting or in transfer',
    text: ({ run }) => percent(run.shares.idle, 0),
  },
  { title: 'Stale', hint: 'Pushes that came too late', text: ({ run }) => percent(run.staleShare) },
  {
    title: 'In / out',
    hint: 'Workers that came and left while it trained',
    text: ({ run }) => `${count(run.joins)} / ${count(run.leaves)}`,
  },
  { title: 'Took', hint: 'Real time to simulate it', text: ({ tookMs }) => duration(tookMs) },
];
