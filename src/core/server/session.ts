import type { Verdict } from '../wire/protocol.ts';
import type { Member } from './member.ts';

/** What a worker is doing, as far as the host knows. Whoever computes is not paused: a pause takes its work back. */
type Work =
  | { readonly kind: 'preparing' | 'ready'; isPaused: boolean }
  /** `isRevoked`: its lease was taken back, and its push will be stale. `owesKeys`: it must first send the lease's keys. */
  | { readonly kind: 'computing'; isRevoked: boolean; owesKeys: boolean }
  /** Its push waits for a verdict. */
  | { readonly kind: 'held'; isPaused: boolean; readonly seq: number; readonly sinceMs: number }
  /** Its push has a verdict, and is answered before the event is over. */
  | {
      readonly kind: 'decided';
      isPaused: boolean;
      readonly seq: number;
      readonly sinceMs: number;
      readonly verdict: Verdict;
    };

/** One worker on one link, from its hello to the link's end. */
export class Session {
  readonly member: Member;
  readonly link: number;
  heardMs: number;
  work: Work = { kind: 'preparing', isPaused: false };
  /** Of its last push. */
  lastSeq = 0;
  /** How many were heard. */
  pauses = 0;
  /** The version it was given last, and the one before: with overlap, a worker is a step behind what was sent to it. */
  version = 0;
  previousVersion = 0;

  constructor(member: Member, link: number, nowMs: number) {
    this.member = member;
    this.link = link;
    this.heardMs = nowMs;
  }

  get isPaused(): boolean {
    return this.work.kind !== 'computing' && this.work.isPaused;
  }

  /** Ready for work: nothing to compute and no push that still needs a verdict. */
  get isIdle(): boolean {
    return (this.work.kind === 'ready' || this.work.kind === 'decided') && !this.work.isPaused;
  }

  /** Takes part just now: idle, computing, or waiting for a verdict. */
  get isActive(): boolean {
    return this.work.kind !== 'preparing' && !this.isPaused;
  }

  pause(): void {
    this.pauses += 1;
    if (this.work.kind === 'computing') this.work = { kind: 'ready', isPaused: true };
    else this.work.isPaused = true;
  }

  resume(): void {
    if (this.work.kind !== 'computing') this.work.isPaused = false;
  }

  /** It got something to compute on this version. */
  give(version: number, owesKeys: boolean): void {
    this.previousVersion = this.version;
    this.version = version;
    this.work = { kind: 'computing', isRevoked: false, owesKeys };
  }

  /** Its push came. */
  hold(seq: number, nowMs: number): void {
    this.lastSeq = seq;
    this.work = { kind: 'held', isPaused: this.isPaused, seq, sinceMs: nowMs };
  }

  /** Its push has a verdict. False if none was waiting for one. */
  decide(verdict: Verdict): boolean {
    if (this.work.kind !== 'held') return false;
    const { isPaused, seq, sinceMs } = this.work;
    this.work = { kind: 'decided', isPaused, seq, sinceMs, verdict };
    return true;
  }

  /** It waits for its next run, or for work in this one. */
  enter(kind: 'preparing' | 'ready'): void {
    this.work = { kind, isPaused: this.isPaused };
  }
}
