import type { Phases, Verdict } from '../core/wire/protocol.ts';
import type { RunReport } from './report-schema.ts';

/**
 * One push as the server saw it. Times are milliseconds of wall time since the run began, by the host's clock; where the
 * worker's phases lie follows from when it was given its parameters and when its push came.
 */
export interface StepTrace {
  readonly worker: number;
  readonly seq: number;
  /** The parameters it was computed on. */
  readonly version: number;
  readonly examples: number;
  /** When the server gave it those; null if that was not recorded. */
  readonly givenMs: number | null;
  /** How much of the time since its last push the volunteer paused. */
  readonly pausedMs: number;
  readonly receivedMs: number;
  /** Null while it has no answer. */
  readonly answeredMs: number | null;
  /** Of the server's own work on it: checking, decoding, adding up, applying. */
  readonly applyMs: number;
  /** Of the server's work on what followed from it: answers made and sent. */
  readonly answerMs: number;
  /** Of this step at the worker, as its push told them: encoding and sending, known only afterwards, are of the push before. */
  readonly phases: Phases;
  readonly verdict: Verdict['kind'] | null;
  readonly staleness: number;
}

/** The last steps of a run, oldest first, and what else the host did. */
export type Timeline = RunReport['timeline'];
export type HostSpan = Timeline['spans'][number];
/** One step taken apart, on one backend. */
export type StepProfile = NonNullable<RunReport['profile']>;
/** One operator of it, in the order they ran. */
export type OperatorTime = StepProfile['operators'][number];
