import type { TestPoint } from './progress.ts';
import type { Mark, Run } from './run.ts';

/** Looks at the test set: one at a time; training goes on meanwhile, but never gets more than one look ahead. */
export class Looks {
  readonly #run: Run;
  readonly #ask: (mark: Mark) => void;
  /** The one under way. */
  #asked: Mark | null = null;
  /** Since when training waits because the next look is due before the last one is done. */
  #heldSinceMs: number | null = null;

  readonly #updatesBetween: number;

  /** `ask` gets a look under way whose result comes back through `take`. */
  constructor(run: Run, ask: (mark: Mark) => void) {
    this.#run = run;
    this.#ask = ask;
    const { strategy, evalEvery, localSteps } = run.plan.experiment;
    // With local steps an update stands for many steps.
    this.#updatesBetween = strategy === 'local' ? Math.max(1, Math.round(evalEvery / localSteps)) : evalEvery;
  }

  get isUnderWay(): boolean {
    return this.#asked !== null;
  }

  get holdsTraining(): boolean {
    return this.#heldSinceMs !== null;
  }

  /** The version that is being looked at. */
  get version(): number | null {
    return this.#asked?.step ?? null;
  }

  /** Looks at the parameters of this moment, also if the one before came to nothing. */
  look(nowMs: number, wallMs: number): void {
    this.#asked = this.#run.mark(nowMs, wallMs);
    this.#ask(this.#asked);
  }

  /** An update was made. */
  updated(nowMs: number, wallMs: number): void {
    if (this.#run.version % this.#updatesBetween !== 0) return;
    if (this.#asked) this.#heldSinceMs ??= nowMs;
    else this.look(nowMs, wallMs);
  }

  /** The parameters that are being looked at are those in the run now. */
  remember(): void {
    if (this.#asked) this.#run.remember(this.#asked);
  }

  /** The result of the look under way; null if this is none. */
  take(
    version: number,
    result: Pick<TestPoint, 'loss' | 'accuracy' | 'precisions'> & { readonly auc?: number | null },
  ): TestPoint | null {
    const { test, counters } = this.#run;
    if (version !== this.#asked?.step) return null;
    const { loss, accuracy, precisions, auc = null } = result;
    const point = { ...this.#asked, loss, accuracy, precisions, auc };
    this.#asked = null;
    counters.evaluations += 1;
    if (test.points.at(-1)?.step !== version && Number.isFinite(loss)) test.add(point);
    return point;
  }

  /** Training need not wait any longer; true if it did. */
  letGo(nowMs: number): boolean {
    if (this.#heldSinceMs === null) return false;
    this.#run.counters.evaluationHoldMs += nowMs - this.#heldSinceMs;
    this.#heldSinceMs = null;
    return true;
  }
}
