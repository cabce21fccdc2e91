import type { TestPoint } from './progress.ts';
import type { Roster } from './roster.ts';
import type { Mark, Run } from './run.ts';
import type { RunSnapshot } from './saved-run.ts';
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
  | ({ readonly kind: 'fetching'; readonly worker: number; readonly head: RunSnapshot; isAsked: boolean } & UnderWay)
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

  /** Evaluates the current parameters, in place of an evaluation under way if there is one. */
  begin(): void {
    const { run, turn, holder } = this.#deps;
    const heldSinceMs = this.#state.kind === 'none' ? null : this.#state.heldSinceMs;
    const underWay = { mark: run.mark(turn.nowMs, turn.wallMs), heldSinceMs };
    if (!run.isCopyCurrent) {
      const worker = holder();
      if (worker !== null) {
        this.#state = { kind: 'fetching', worker, head: run.head(turn.nowMs), isAsked: false, ...underWay };
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

  /** The end of an event: now the worker has heard that its version counts, and can be asked for it. */
  settle(): void {
    if (this.#state.kind !== 'fetching' || this.#state.isAsked) return;
    this.#state.isAsked = true;
    const session = this.#deps.roster.members.get(this.#state.worker)?.session;
    if (session) this.#deps.turn.send(session, { type: 'fetch', run: this.#deps.run.run });
  }

  /** A worker left. If its parameters were to be evaluated, those of another are, perhaps of a later version. */
  gone(worker: number): void {
    if (this.#state.kind === 'fetching' && this.#state.worker === worker) this.begin();
  }

  /** Takes the parameters that a worker was asked for; false if they are malformed. */
  copied(worker: number, version: number, body: Uint8Array): boolean {
    const state = this.#state;
    if (state.kind !== 'fetching' || state.worker !== worker) return true;
    if (version !== state.head.version || !this.#deps.run.takeCopy(state.head, body)) return false;
    this.#deps.turn.effects.push({ type: 'checkpoint' });
    this.#evaluate(state);
    return true;
  }

  #evaluate({ mark, heldSinceMs }: UnderWay): void {
    this.#state = { kind: 'evaluating', mark, heldSinceMs };
    this.#deps.run.remember(mark);
    this.#deps.turn.effects.push({ type: 'evaluate', run: this.#deps.run.run, version: mark.step });
  }

  /** Takes the result of the evaluation under way, and says whether training waited for it; null if it is of another. */
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

  /** Training need not wait any longer. True if it did wait. */
  letGo(): boolean {
    if (this.#state.kind === 'none' || this.#state.heldSinceMs === null) return false;
    this.#deps.run.counters.evaluationHoldMs += this.#deps.turn.nowMs - this.#state.heldSinceMs;
    this.#state.heldSinceMs = null;
    return true;
  }
}
