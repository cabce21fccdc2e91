import type { RunState } from '../core/server/progress.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { Machine, RunReport } from '../observe/run-report.ts';
import { workersOf } from './summary.ts';
import type { Sweep, SweepRun } from './sweep.ts';
import type { SweepOutcome } from './sweep-result.ts';

/** One run to be trained, and what is wanted of it. */
export interface RunOrder extends SweepRun {
  /** The host computes too, as one of the workers. */
  readonly hostTrains: boolean;
  /** Worker tabs beside the host. */
  readonly tabs: number;
  readonly keepsModel: boolean;
  /** One step is to be taken apart when it is over. */
  readonly profiles: boolean;
}

/** Where one run of a lab is. */
export type RunStage =
  | { readonly kind: 'starting'; readonly text: string }
  /** Fewer tabs are connected than it needs: it waits. */
  | { readonly kind: 'short'; readonly needed: number; readonly here: number }
  /** It is the host's run of this id. `leftMs` is null while that is not known. */
  | { readonly kind: 'training'; readonly id: string; readonly text: string; readonly leftMs: number | null }
  /** It is over; what else is wanted of it is fetched. */
  | { readonly kind: 'rounding-off'; readonly id: string; readonly text: string };

/** A run under way. When a loss will be reached nobody knows: other stop rules then only say when it ends at the latest. */
export function trainingStage({ id, phase, experiment, leftMs }: RunState, text: string): RunStage {
  const isKnown = phase !== 'waiting' && experiment.untilLoss === null;
  return { kind: 'training', id, text, leftMs: isKnown ? leftMs : null };
}

/** What came of one run. */
export interface TrainedRun<Model> {
  /** Null if it failed before there was anything to report. */
  readonly report: RunReport | null;
  /** Null if it trained to its end. */
  readonly failure: string | null;
  /** Null if it failed, or is not to be kept. */
  readonly model: Model | null;
  /** What pages complained about. */
  readonly problems: readonly string[];
  /** What ran it. */
  readonly machine: Machine;
}

/** Who trains the runs of a lab, one at a time. */
export interface RunTrainer<Model> {
  /** Trains once; null if it was broken off, and is still to be done. A failure is a result, not a rejection. */
  train(order: RunOrder, onStage: (stage: RunStage) => void): Promise<TrainedRun<Model> | null>;
  /** Breaks off the run under way. */
  breakOff(): void;
}

/** Larger models are only kept where that is asked for: a lab has many. */
export const LARGE_MODEL_BYTES = 32e6;

/** What the parameters of a run take. */
export const modelBytesOf = ({ experiment }: SweepRun): number => resolveExperiment(experiment).schema.size * 4;

const hostTrains = ({ experiment }: SweepRun, sweep: Sweep): boolean =>
  sweep.hostTrains || experiment.strategy === 'single';

/** How many tabs beside the host a run needs. */
export const tabsNeeded = (run: SweepRun, sweep: Sweep): number =>
  workersOf(run.experiment) - (hostTrains(run, sweep) ? 1 : 0);

/** One step is the same for all of these. */
const stepKey = ({ model, data, batch, features }: Experiment): string => `${model} ${data} ${batch} ${features}`;

/** What is wanted of a run, where these are done: one step of each kind is taken apart. */
export function orderOf(
  run: SweepRun,
  sweep: Sweep,
  done: readonly SweepOutcome[],
  keepsLargeModels: boolean,
): RunOrder {
  const step = stepKey(run.experiment);
  return {
    ...run,
    hostTrains: hostTrains(run, sweep),
    tabs: tabsNeeded(run, sweep),
    keepsModel: keepsLargeModels || modelBytesOf(run) <= LARGE_MODEL_BYTES,
    profiles: !done.some(({ experiment, report }) => report?.profile && stepKey(experiment) === step),
  };
}
