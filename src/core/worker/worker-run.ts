import type { Experiment } from '../../experiment/experiment.ts';
import { codecNamed } from '../math/codec/codec.ts';
import { Decoder } from '../math/codec/decoder.ts';
import { ErrorFeedback } from '../math/codec/feedback.ts';
import { type Rng, rng } from '../math/rng.ts';
import type { Schema } from '../math/schema.ts';
import { KeptParams } from '../ring/kept-params.ts';
import { stateBytes } from '../ring/state.ts';
import { leaseExamples } from '../server/leases.ts';
import { KeySets } from '../sparse/key-sets.ts';
import { LeaseKeys } from '../sparse/lease-keys.ts';
import { LocalSteps } from './local-steps.ts';
import type { WorkerTurn } from './worker-turn.ts';

/** What a worker has for one run, once it is prepared. */
export interface WorkerRun {
  readonly run: number;
  readonly experiment: Experiment;
  readonly down: Decoder;
  readonly feedback: ErrorFeedback;
  readonly local: LocalSteps | null;
  /** Where parameters have keys. */
  readonly keys: LeaseKeys | null;
  /** Where workers keep the parameters. */
  readonly kept: KeptParams | null;
  /** For rounding only. */
  readonly random: Rng;
  /** The longest bodies to come, from the host and from other workers. */
  readonly bytes: number;
  readonly peerBytes: number;
}

export interface WorkerRunOptions {
  readonly run: number;
  readonly experiment: Experiment;
  readonly schema: Schema;
  readonly self: number;
  readonly turn: WorkerTurn;
}

/** Lays out what worker number `self` needs for a run. */
export function workerRun(options: WorkerRunOptions): WorkerRun {
  const { run, experiment, schema, self, turn } = options;
  const { size } = schema;
  const up = codecNamed(experiment.up, experiment.topk);
  const down = codecNamed(experiment.down, experiment.topk);
  const random = rng(experiment.seed, 'worker', self);
  const keys = schema.keysPerExample === null ? null : new LeaseKeys(up, down, turn);
  const kept = experiment.strategy === 'allreduce' ? new KeptParams({ ...options, up, random }) : null;
  const maxKeys = keys ? new KeySets(size, schema.keysPerExample ?? size).maxFor(leaseExamples(experiment)) : size;
  const keptBytes = stateBytes(size, kept?.slots ?? 0);
  return {
    run,
    experiment,
    down: new Decoder(down, size),
    feedback: new ErrorFeedback(up, size),
    local: experiment.strategy === 'local' ? new LocalSteps(experiment, keys ? 0 : size) : null,
    keys,
    kept,
    random,
    bytes: kept ? keptBytes : down.bytesFor(maxKeys),
    peerBytes: Math.max(up.bytesFor(size), keptBytes),
  };
}
