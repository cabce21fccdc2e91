import type { ToWorker } from '../wire/protocol.ts';
import type { Effect } from './server-events.ts';
import type { Session } from './session.ts';

/** The event being handled: its time, and what is to be done about it so far. */
export class Turn {
  nowMs = 0;
  effects: Effect[] = [];
  readonly #wallOffsetMs: number;

  /** `wallOffsetMs` + now is the time of day. */
  constructor(wallOffsetMs: number) {
    this.#wallOffsetMs = wallOffsetMs;
  }

  get wallMs(): number {
    return this.#wallOffsetMs + this.nowMs;
  }

  begin(nowMs: number): void {
    this.nowMs = nowMs;
    this.effects = [];
  }

  send({ link }: Session, message: ToWorker, withParams = false): void {
    this.effects.push({ type: 'send', link, message, withParams });
  }
}
