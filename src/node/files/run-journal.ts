import { closeSync, fdatasync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { HostState, RunLog } from '../../host/state.ts';

/** One thing that happened in a run. */
export type JournalEvent =
  | { readonly event: 'started'; readonly run: string; readonly experiment: object }
  | { readonly event: 'resumed'; readonly run: string; readonly version: number }
  | { readonly event: 'evaluation'; readonly step: number; readonly loss: number; readonly accuracy: number }
  | { readonly event: 'joined' | 'left'; readonly worker: number; readonly name: string }
  | { readonly event: 'checkpoint'; readonly version: number; readonly sizeBytes: number }
  | { readonly event: 'stopping'; readonly version: number }
  | { readonly event: 'finished'; readonly phase: string; readonly reason: string | null; readonly version: number };

/** A line of a run's log. */
export type JournalEntry = { readonly at: string } & JournalEvent;

/** The log of one run: each line is in the file before the next thing happens, and none is ever changed. */
export class Journal {
  readonly #file: number;
  readonly #now: () => number;

  /** Goes on after the last whole line of the file, if there is one. */
  constructor(path: string, now: () => number = Date.now) {
    mkdirSync(dirname(path), { recursive: true });
    this.#file = openSync(path, 'a+');
    this.#now = now;
    // A line that a crash cut off must not run into the next one.
    ftruncateSync(this.#file, readFileSync(path).lastIndexOf('\n') + 1);
  }

  write(event: JournalEvent): void {
    writeSync(this.#file, `${JSON.stringify({ at: new Date(this.#now()).toISOString(), ...event })}\n`);
    // A killed process loses nothing that was written; a machine that stops loses what is not flushed, a moment's worth.
    fdatasync(this.#file, () => {});
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** What a run's log says; a last line that a crash cut off is left out. */
export function readJournal(path: string): JournalEntry[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalEntry);
}

/** Says what happened between two looks at a host; whatever it said once it does not say again. */
export class JournalFeed {
  #run: string | null = null;
  #here = new Map<number, string>();
  #step = -1;
  #isOver = false;

  /** `isResumed`: the run goes on from a checkpoint. `isLast`: there will be no other look. */
  news({ run, workers }: HostState, log: RunLog | null, isResumed: boolean, isLast = false): JournalEvent[] {
    if (run === null) return [];
    const events: JournalEvent[] = [];
    if (run.id !== this.#run) {
      const { id, version, experiment } = run;
      events.push(isResumed ? { event: 'resumed', run: id, version } : { event: 'started', run: id, experiment });
      this.#run = id;
      this.#here.clear();
      // The points before a checkpoint are in the log already.
      this.#step = isResumed ? version : -1;
      this.#isOver = false;
    }
    const here = new Map(workers.filter(({ phase }) => phase !== 'gone').map(({ worker, name }) => [worker, name]));
    for (const [worker, name] of here) if (!this.#here.has(worker)) events.push({ event: 'joined', worker, name });
    for (const [worker, name] of this.#here) if (!here.has(worker)) events.push({ event: 'left', worker, name });
    this.#here = here;
    for (const { step, loss, accuracy } of log?.id === run.id ? log.test : []) {
      if (step <= this.#step) continue;
      events.push({ event: 'evaluation', step, loss, accuracy });
      this.#step = step;
    }
    // A run's last test is told a moment after its end, and belongs before it.
    const isOver = run.phase === 'failed' || (run.phase === 'finished' && (isLast || this.#step >= run.version));
    if (isOver && !this.#isOver) {
      events.push({ event: 'finished', phase: run.phase, reason: run.stopReason, version: run.version });
      this.#isOver = true;
    }
    return events;
  }
}
