import { addPhases, noPhases } from '../wire/phases.ts';
import type { Phases, ToHost } from '../wire/protocol.ts';
import type { WorkerEffect, WorkerEnd } from './worker-events.ts';

/** What the volunteer asked for. */
export interface WorkerSettings {
  readonly isPaused: boolean;
  readonly isFinishing: boolean;
}

/** The event being handled at a worker: its time, what is to be done about it so far, and what counts for the whole link. */
export class WorkerTurn {
  nowMs = 0;
  effects: WorkerEffect[] = [];
  settings: WorkerSettings;
  isOver = false;
  /** Of the link: pauses told, pushes sent, tasks begun. */
  pauses = 0;
  pushes = 0;
  tasks = 0;
  /** How long encoding and handing over the last push took; measured and set by whoever owns the clock. */
  readonly lastPush = { encodeMs: 0, sendMs: 0 };
  /** Replaced when it changes. */
  counted = { steps: 0, examples: 0, stale: 0, lastLoss: null as number | null };
  phases: Phases = noPhases;

  constructor(settings: WorkerSettings) {
    this.settings = settings;
  }

  /** Whether the volunteer wants nothing computed. */
  get isResting(): boolean {
    return this.settings.isPaused || this.settings.isFinishing;
  }

  begin(nowMs: number): void {
    this.nowMs = nowMs;
    this.effects = [];
  }

  emit(effect: WorkerEffect): void {
    if (!this.isOver) this.effects.push(effect);
  }

  send(message: ToHost, body: Uint8Array | null = null): void {
    this.emit({ type: 'send', message, body });
  }

  /** There is nothing to compute: because the volunteer wants it so, or until the host speaks. */
  idle(): void {
    this.emit({ type: 'stage', stage: this.settings.isPaused ? 'paused' : 'waiting' });
  }

  end(end: WorkerEnd): void {
    this.emit({ type: 'end', end });
    this.isOver = true;
  }

  countStep(steps: number, examples: number, lastLoss: number, phases: Phases): void {
    const { steps: before, examples: counted, stale } = this.counted;
    this.counted = { steps: before + steps, examples: counted + examples, stale, lastLoss };
    this.phases = addPhases(this.phases, phases);
  }

  countStale(): void {
    this.counted = { ...this.counted, stale: this.counted.stale + 1 };
  }
}
