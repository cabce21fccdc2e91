import type { Effect, ServerEvent } from '../core/server/server-events.ts';
import type { HostSpan, StepTrace, Timeline } from '../observe/step-trace.ts';

/** Of either kind: some seconds of a fast run, all of a slow one. */
const MOST_STEPS = 2000;
const MOST_SPANS = 500;

type Push = Extract<Extract<ServerEvent, { type: 'message' }>['message'], { type: 'push' }>;
type Answer = Extract<Extract<Effect, { type: 'send' }>['message'], { type: 'answer' }>;
type OpenStep = { -readonly [Key in keyof StepTrace]: StepTrace[Key] };

/** Parameters that went out. */
interface Gift {
  readonly version: number;
  readonly atMs: number;
}

/** What is known of a worker between two of its answers. */
interface Course {
  /** At most one push waits for its answer. */
  open: OpenStep | null;
  /** For the step to come; with overlap, that is computed on those before. */
  given: Gift | null;
  before: Gift | null;
  pausedMs: number;
  pausedSinceMs: number | null;
}

/** Remembers when pushes came and were answered, and gives it away piece by piece. Times are of one clock, in milliseconds. */
export class StepRecorder {
  readonly #courses = new Map<number, Course>();
  #steps: StepTrace[] = [];
  #spans: HostSpan[] = [];

  /** A push came and was dealt with: its effects follow. */
  pushed(link: number, worker: number, push: Push, receivedMs: number, applyMs: number): void {
    const course = this.#courseOf(link);
    const { seq, version, examples, phases } = push;
    const { given, before, pausedMs } = course;
    const gift = [given, before].find((one) => one?.version === version);
    const rest = { givenMs: gift?.atMs ?? null, answeredMs: null, answerMs: 0, verdict: null, staleness: 0 };
    course.open = { worker, seq, version, examples, receivedMs, pausedMs, applyMs, phases, ...rest };
    course.pausedMs = 0;
    course.before = given;
    course.given = null;
  }

  /** An answer went out; making and sending it took so long. */
  answered(link: number, { seq, verdict, version, isNext }: Answer, atMs: number, answerMs: number): void {
    if (isNext) this.gave(link, version, atMs);
    const course = this.#courses.get(link);
    const step = course?.open;
    if (!course || step?.seq !== seq) return;
    course.open = null;
    step.answeredMs = atMs;
    step.answerMs = answerMs;
    step.verdict = verdict.kind;
    step.staleness = verdict.kind === 'rejected' ? 0 : verdict.staleness;
    if (this.#steps.length < MOST_STEPS) this.#steps.push(step);
  }

  /** Parameters went out, or word that the worker may use its own. If it asks again before it pushes, its step began then. */
  gave(link: number, version: number, atMs: number): void {
    const course = this.#courseOf(link);
    course.given = { version, atMs: course.given?.atMs ?? atMs };
  }

  /** The volunteer paused or went on; what was given before is not computed. */
  paused(link: number, isPaused: boolean, atMs: number): void {
    const course = this.#courses.get(link);
    if (!course) return;
    if (course.pausedSinceMs !== null) course.pausedMs += atMs - course.pausedSinceMs;
    course.pausedSinceMs = isPaused ? atMs : null;
    course.given = null;
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
    this.#courses.clear();
    this.#steps = [];
    this.#spans = [];
  }

  #courseOf(link: number): Course {
    const known = this.#courses.get(link);
    if (known) return known;
    const course: Course = { open: null, given: null, before: null, pausedMs: 0, pausedSinceMs: null };
    this.#courses.set(link, course);
    return course;
  }
}

/** A timeline with the news at its end, as long as is kept. */
export function extendTimeline(timeline: Timeline, news: Timeline): Timeline {
  return {
    steps: [...timeline.steps, ...news.steps].slice(-MOST_STEPS),
    spans: [...timeline.spans, ...news.spans].slice(-MOST_SPANS),
  };
}
