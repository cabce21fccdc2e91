import type { Effect, ServerEvent } from '../core/server-events.ts';
import type { HostSpan, StepTrace, Timeline } from '../core/step-trace.ts';

/** Of either kind: some seconds of a fast run, all of a slow one. */
const MOST_STEPS = 2000;
const MOST_SPANS = 500;

type Push = Extract<Extract<ServerEvent, { type: 'message' }>['message'], { type: 'push' }>;
type Answer = Extract<Extract<Effect, { type: 'send' }>['message'], { type: 'answer' }>;
type OpenStep = { -readonly [Key in keyof StepTrace]: StepTrace[Key] };

/** Remembers when pushes came and were answered, and gives it away piece by piece. Times are of one clock, in milliseconds. */
export class StepRecorder {
  /** By link: a worker has at most one push that waits for its answer. */
  readonly #open = new Map<number, OpenStep>();
  #steps: StepTrace[] = [];
  #spans: HostSpan[] = [];

  /** A push came and was dealt with: its effects follow. */
  pushed(link: number, worker: number, push: Push, receivedMs: number, applyMs: number): void {
    const { seq, version, examples, phases } = push;
    const rest = { answeredMs: null, answerMs: 0, verdict: null, staleness: 0 };
    this.#open.set(link, { worker, seq, version, examples, receivedMs, applyMs, phases, ...rest });
  }

  /** An answer went out; making and sending it took so long. */
  answered(link: number, { seq, verdict }: Answer, atMs: number, answerMs: number): void {
    const step = this.#open.get(link);
    if (step?.seq !== seq) return;
    this.#open.delete(link);
    step.answeredMs = atMs;
    step.answerMs = answerMs;
    step.verdict = verdict.kind;
    step.staleness = verdict.kind === 'rejected' ? 0 : verdict.staleness;
    if (this.#steps.length < MOST_STEPS) this.#steps.push(step);
  }

  /** Something else took this long. */
  spent(span: HostSpan): void {
    if (this.#spans.length < MOST_SPANS) this.#spans.push(span);
  }

  /** What came since the last call, or null if nothing did. */
  news(): Timeline | null {
    if (this.#steps.length === 0 && this.#spans.length === 0) return null;
    const news = { steps: this.#steps, spans: this.#spans };
    this.#steps = [];
    this.#spans = [];
    return news;
  }

  /** Another run: what is under way belongs to the one before. */
  restart(): void {
    this.#open.clear();
    this.#steps = [];
    this.#spans = [];
  }
}

/** A timeline with the news at its end, as long as is kept. */
export function extendTimeline(timeline: Timeline, news: Timeline): Timeline {
  return {
    steps: [...timeline.steps, ...news.steps].slice(-MOST_STEPS),
    spans: [...timeline.spans, ...news.spans].slice(-MOST_SPANS),
  };
}
