import type { Effect, ServerEvent } from '../core/server/server-events.ts';
import type { HostSpan, StepTrace, Timeline } from '../observe/step-trace.ts';

/** Of either kind: some seconds of a fast run, all of a slow one. */
const MAX_STEPS = 2000;
const MAX_SPANS = 500;

type Push = Extract<Extract<ServerEvent, { type: 'message' }>['message'], { type: 'push' }>;
type Answer = Extract<Extract<Effect, { type: 'send' }>['message'], { type: 'answer' }>;
type OpenStep = { -readonly [Key in keyof StepTrace]: StepTrace[Key] };

/** Parameters that went out. */
interface SentParams {
  readonly version: number;
  readonly atMs: number;
}

/** What is known of a worker's link between two of its answers. */
interface LinkState {
  /** At most one push waits for its answer. */
  open: OpenStep | null;
  /** For the step to come; with overlap, that is computed on those before. */
  sent: SentParams | null;
  before: SentParams | null;
  pausedMs: number;
  pausedSinceMs: number | null;
}

/** Remembers when pushes came and were answered, and gives it away piece by piece. Times are of one clock, in milliseconds. */
export class StepRecorder {
  readonly #links = new Map<number, LinkState>();
  #steps: StepTrace[] = [];
  #spans: HostSpan[] = [];

  /** A push came and was dealt with: its effects follow. */
  pushed(link: number, worker: number, push: Push, receivedMs: number, applyMs: number): void {
    const state = this.#stateOf(link);
    const { seq, version, examples, phases } = push;
    const { sent, before, pausedMs } = state;
    const params = [sent, before].find((one) => one?.version === version);
    const rest = { givenMs: params?.atMs ?? null, answeredMs: null, answerMs: 0, verdict: null, staleness: 0 };
    state.open = { worker, seq, version, examples, receivedMs, pausedMs, applyMs, phases, ...rest };
    state.pausedMs = 0;
    state.before = sent;
    state.sent = null;
  }

  /** An answer went out; making and sending it took so long. */
  answered(link: number, { seq, verdict, version, isNext }: Answer, atMs: number, answerMs: number): void {
    if (isNext) this.sentParams(link, version, atMs);
    const state = this.#links.get(link);
    const step = state?.open;
    if (!state || step?.seq !== seq) return;
    state.open = null;
    step.answeredMs = atMs;
    step.answerMs = answerMs;
    step.verdict = verdict.kind;
    step.staleness = verdict.kind === 'rejected' ? 0 : verdict.staleness;
    if (this.#steps.length < MAX_STEPS) this.#steps.push(step);
  }

  /** Parameters went out, or word that the worker may use its own. If it asks again before it pushes, its step began then. */
  sentParams(link: number, version: number, atMs: number): void {
    const state = this.#stateOf(link);
    state.sent = { version, atMs: state.sent?.atMs ?? atMs };
  }

  /** The volunteer paused or went on; what was sent before is not computed. */
  paused(link: number, isPaused: boolean, atMs: number): void {
    const state = this.#links.get(link);
    if (!state) return;
    if (state.pausedSinceMs !== null) state.pausedMs += atMs - state.pausedSinceMs;
    state.pausedSinceMs = isPaused ? atMs : null;
    state.sent = null;
  }

  /** Something else took this long. */
  spent(span: HostSpan): void {
    if (this.#spans.length < MAX_SPANS) this.#spans.push(span);
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
    this.#links.clear();
    this.#steps = [];
    this.#spans = [];
  }

  #stateOf(link: number): LinkState {
    const known = this.#links.get(link);
    if (known) return known;
    const state: LinkState = { open: null, sent: null, before: null, pausedMs: 0, pausedSinceMs: null };
    this.#links.set(link, state);
    return state;
  }
}

/** A timeline with the news at its end, as long as is kept. */
export function extendTimeline(timeline: Timeline, news: Timeline): Timeline {
  return {
    steps: [...timeline.steps, ...news.steps].slice(-MAX_STEPS),
    spans: [...timeline.spans, ...news.spans].slice(-MAX_SPANS),
  };
}
