import type { TestPoint } from './progress.ts';
import type { Roster } from './roster.ts';
import type { Mark, Run } from './run.ts';
import type { ServerEvent } from './server-events.ts';
import type { Turn } from './turn.ts';

interface UnderWay {
  /** Which parameters it is about. */
  readonly mark: Mark;
  /** Since when training waits, if the next evaluation is due before this one is done. */
  heldSinceMs: number | null;
}

interface EvaluationsDeps {
  readonly run: Run;
  readonly roster: Roster;
  readonly turn: Turn;
  /** Where workers keep the parameters: one that has the current ones, if there is any. */
  holder(): number | null;
}

type State =
  | { readonly kind: 'none' }
  /** Where workers keep the parameters: this one is asked for them at the end of the event. */
  | ({ readonly kind: 'fetching'; readonly worker: number; isAsked: boolean } & UnderWay)
  | ({ readonly kind: 'evaluating' } & UnderWay);

/** Evaluations on the test set: one at a time; training goes on meanwhile, but never gets more than one ahead. */
export class Evaluations {
  readonly #deps: EvaluationsDeps;
  readonly #updatesBetween: number;
  #state: State = { kind: 'none' };

  constructor(deps: EvaluationsDeps) {
    this.#deps = deps;
    const { strategy, evalEvery, localSteps } = deps.run.plan.experiment;
    // With local steps an update stands for many steps.
    this.#updatesBetween = strategy === 'local' ? Math.max(1, Math.round(evalEvery / localSteps)) : evalEvery;
  }

  get isUnderWay(): boolean {
    return this.#state.kind !== 'none';
  }

  get holdsTraining(): boolean {
    return this.#state.kind !== 'none' && this.#state.heldSinceMs !== null;
  }

  /** Evaluates the parameters of this moment, also if the evaluation before came to nothing. */
  begin(): void {
    const { run, turn, holder } = this.#deps;
    const heldSinceMs = this.#state.kind === 'none' ? null : this.#state.heldSinceMs;
    const underWay = { mark: run.mark(turn.nowMs, turn.wallMs), heldSinceMs };
    if (!run.isCopyCurrent) {
      const worker = holder();
      if (worker !== null) {
        run.prepareCopy(turn.nowMs);
        this.#state = { kind: 'fetching', worker, isAsked: false, ...underWay };
        return;
      }
      run.fallBackToCopy();
    }
    this.#evaluate(underWay);
  }

  /** An update was made. */
  updated(): void {
    if (this.#deps.run.version % this.#updatesBetween !== 0) return;
    if (this.#state.kind === 'none') this.begin();
    else this.#state.heldSinceMs ??= this.#deps.turn.nowMs;
  }

  /** The end of an event: a worker can be asked now, since it has heard that its version counts. */
  settle(): void {
    if (this.#state.kind !== 'fetching' || this.#state.isAsked) return;
    this.#state.isAsked = true;
    const session = this.#deps.roster.members.get(this.#state.worker)?.session;
    if (session) this.#deps.turn.send(session, { type: 'fetch', run: this.#deps.run.run });
  }

  /** A worker is away. If it took along what was to be evaluated, another has that, perhaps of a later version. */
  gone(worker: number): void {
    if (this.#state.kind === 'fetching' && this.#state.worker === worker) this.begin();
  }

  /** The parameters a worker was asked for; false if they are not what they must be. */
  copied(worker: number, version: number, body: Uint8Array): boolean {
    const state = this.#state;
    if (state.kind !== 'fetching' || state.worker !== worker) return true;
    if (version !== state.mark.step || !this.#deps.run.takeCopy(version, body)) return false;
    this.#deps.turn.effects.push({ type: 'checkpoint' });
    this.#evaluate(state);
    return true;
  }

  #evaluate({ mark, heldSinceMs }: UnderWay): void {
    this.#state = { kind: 'evaluating', mark, heldSinceMs };
    this.#deps.run.remember(mark);
    this.#deps.turn.effects.push({ type: 'evaluate', run: this.#deps.run.run, version: mark.step });
  }

  /** The result of the evaluation under way, and whether training waited for it; null if this is none. */
  take(result: Extract<ServerEvent, { type: 'evaluated' }>): { point: TestPoint; wasHolding: boolean } | null {
    const { run: number, version, loss, accuracy, precisions, auc = null } = result;
    const { run, test, counters } = this.#deps.run;
    if (number !== run || this.#state.kind !== 'evaluating' || version !== this.#state.mark.step) return null;
    const point = { ...this.#state.mark, loss, accuracy, precisions, auc };
    const wasHolding = this.letGo();
    this.#state = { kind: 'none' };
    counters.evaluations += 1;
    if (test.points.at(-1)?.step !== version && Number.isFinite(loss)) test.add(point);
    return { point, wasHolding };
  }

  /** Training need not wait any longer; true if it did. */
  letGo(): boolean {
    if (this.#state.kind === 'none' || this.#state.heldSinceMs === null) return false;
    this.#deps.run.counters.evaluationHoldMs += this.#deps.turn.nowMs - this.#state.heldSinceMs;
    this.#state.heldSinceMs = null;
    return true;
  }
}
