import type { ReadonlySignal } from '@preact/signals';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Host } from '../../host/state.ts';
import type { SweepRun } from '../../lab/sweep.ts';
import type { SweepOutcome } from '../../lab/sweep-result.ts';
import { type RunningSweep, runSweep, type SweepProgress } from '../../lab/sweep-runner.ts';
import type { Machine } from '../../observe/run-report.ts';
import type { KeptModel } from '../../store/labs.ts';
import { patientClock } from './clock.ts';
import { type RunStage, trainRun } from './run.ts';
import { LARGE_MODEL_BYTES, type Lab, modelBytesOf, sized } from './sweep.ts';

export interface LabWork {
  readonly host: Host;
  readonly machine: Machine;
  /** Runs that are done already. */
  readonly kept: readonly SweepOutcome[];
  readonly isStopped: ReadonlySignal<boolean>;
  readonly skipsShort: ReadonlySignal<boolean>;
  isWanted(run: SweepRun): boolean;
  onStage(stage: RunStage): void;
  onProgress(progress: SweepProgress): void;
  /** After each run, and waited for; the model is null where it is not to be kept. */
  onOutcome(outcome: SweepOutcome, model: KeptModel | null): Promise<void>;
}

/** One step is the same for all of these. */
const stepKey = ({ model, data, batch, features }: Experiment): string => `${model} ${data} ${batch} ${features}`;

/** Runs what is missing of a lab with the tabs that are connected; one step of each kind is taken apart. */
export function runLab(lab: Lab, work: LabWork): RunningSweep {
  const { host, machine, kept, isStopped, skipsShort } = work;
  const clock = patientClock(() => performance.now());
  const profiled = new Set(kept.flatMap(({ experiment, report }) => (report?.profile ? stepKey(experiment) : [])));
  let model: KeptModel | null = null;
  return runSweep(sized(lab), false, {
    async run(run, tell) {
      const step = stepKey(run.experiment);
      const trained = await trainRun(run, tell, {
        ...{ host, machine, isStopped, skipsShort, hostTrains: lab.sweep.hostTrains },
        keepsModel: lab.keepsLargeModels || modelBytesOf(run) <= LARGE_MODEL_BYTES,
        profiles: !profiled.has(step),
        onStage(stage) {
          clock.setWaiting(stage.kind === 'short');
          work.onStage(stage);
        },
      });
      if (trained === null) return null;
      const { report, failure } = trained;
      model = trained.model;
      if (report?.profile) profiled.add(step);
      return { report, failure };
    },
    kept,
    isWanted: work.isWanted,
    onProgress: work.onProgress,
    async onOutcome(outcome) {
      await work.onOutcome(outcome, model);
      model = null;
    },
    nowMs: clock.nowMs,
  });
}
