import type { RunState, TestPoint } from '../core/server/progress.ts';
import { stopWords } from '../export/summary-table.ts';
import type { HostView, RunOutcome } from '../host/watch-run.ts';
import type { LabProgress } from '../lab/session.ts';
import { clock, count, counted, fixed, percent, plainSpaces } from '../observe/format.ts';

/** A run under way in one line: where it is, how fast, how long still. */
export function progressText(run: RunState, test: TestPoint | null, workers: number): string {
  const seconds = run.elapsedMs / 1000;
  const parts = [
    `step ${count(run.version)}`,
    test === null ? 'not tested yet' : `test loss ${fixed(test.loss, 4)}, ${percent(test.accuracy)}`,
    counted(workers, 'worker'),
    ...(seconds > 0 ? [`${count(run.examples / seconds)} examples/s`] : []),
    clock(run.elapsedMs),
    run.leftMs === null ? 'time left unknown' : `about ${clock(run.leftMs)} left`,
  ];
  return plainSpaces(parts.join(' · '));
}

/** A host's run in one line: who is ready while it waits for workers, then where it is. */
export function viewText({ state: { run, workers }, test }: HostView): string {
  const present = workers.filter(({ phase }) => phase !== 'gone').length;
  if (run !== null && run.phase !== 'waiting') return progressText(run, test, present);
  const ready = workers.filter(({ phase }) => phase === 'ready').length;
  return `waiting for workers: ${ready} of ${run?.experiment.workers ?? 1} ready, ${present} here`;
}

/** Why a run that was watched did not finish. */
export function outcomeText(outcome: Exclude<RunOutcome, { kind: 'finished' }>): string {
  switch (outcome.kind) {
    case 'failed': {
      const { stopReason } = outcome.run;
      return `the run failed: ${stopReason === null ? 'no reason was given' : stopWords[stopReason]}`;
    }
    case 'stopped':
      return 'the host dropped the run';
    case 'given-up':
      return outcome.why;
    case 'timed-out':
      return `the run took too long: given up at step ${outcome.run?.version ?? 0}`;
    case 'aborted':
      return 'the run was broken off';
    default:
      return outcome satisfies never;
  }
}

/** A run under way in a few words, for a line that says more. */
export function shortProgressText(run: RunState, test: TestPoint | null): string {
  return [`step ${count(run.version)}`, ...(test === null ? [] : [`loss ${test.loss.toPrecision(2)}`])].join(' · ');
}

/** A lab under way in one line: which run, where that is, how long all of them still take. */
export function labText({ number, count: all, run, stage, leftMs }: LabProgress): string {
  const text = stage !== null && 'text' in stage ? stage.text : '';
  const left = leftMs === null ? 'time left unknown' : `${clock(leftMs)} left`;
  return [`run ${number} of ${all}`, run?.label, text, left].filter((part) => part).join(' · ');
}

/** How often a log that is not a terminal gets a line. */
const LOG_EVERY_MS = 5000;

/** Shows the latest text: one line rewritten on a terminal, a line every few seconds elsewhere. */
export class ProgressLine {
  readonly #stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;
  #lastAtMs = Number.NEGATIVE_INFINITY;
  #lastText = '';
  #isOpen = false;

  constructor(stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>) {
    this.#stream = stream;
  }

  show(text: string, nowMs: number): void {
    if (text === this.#lastText) return;
    if (this.#stream.isTTY) {
      // A line longer than the terminal would wrap, and rewriting would leave its first part behind.
      this.#stream.write(`\r\u001b[2K${text.slice(0, Math.max(1, (this.#stream.columns || 80) - 1))}`);
      this.#isOpen = true;
    } else {
      if (nowMs - this.#lastAtMs < LOG_EVERY_MS) return;
      this.#stream.write(`${text}\n`);
    }
    this.#lastText = text;
    this.#lastAtMs = nowMs;
  }

  /** A line of its own that stays. */
  note(text: string): void {
    this.end();
    this.#stream.write(`${text}\n`);
  }

  end(): void {
    if (this.#isOpen) this.#stream.write('\n');
    this.#isOpen = false;
    this.#lastText = '';
  }
}
