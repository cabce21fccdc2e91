import { type Rng, rng } from '../../core/math/rng.ts';
import { type Conditions, unhindered } from '../../experiment/emulation.ts';
import { BaseLink, CLOSED_HERE } from './base-link.ts';
import { HIGH_WATER_BYTES, type Link, LOW_WATER_BYTES } from './link.ts';

/** What a sender may have under way besides what waits for bandwidth: as in Chromium, whose window is 5 MiB. */
const FLIGHT_BYTES = 5 << 20;
/** A lost frame is noticed by a timer or by repeated receipts of later ones. */
const NOTICE_LOSS_MS = 50;
/** How long an end waits for frames sent before it, as a data channel's does. */
const LINGER_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Wraps a link; it changes nothing until it is given conditions. The same `random` and frames give the same times. */
export const emulate = (link: Link, random: Rng, now: () => number): EmulatedLink =>
  new EmulatedLink(link, random, now);

/** A link with conditions made worse than they are. */
export class EmulatedLink extends BaseLink {
  readonly #link: Link;
  readonly #out: Pipe;
  readonly #in: Pipe;
  readonly #cuts: Rng;
  #cutTimer: ReturnType<typeof setTimeout> | undefined;
  #lingerTimer: ReturnType<typeof setTimeout> | undefined;
  #wasAboveLow = false;

  constructor(link: Link, random: Rng, now: () => number) {
    super();
    // A stream each, so that neither direction depends on how it meets the other.
    const seed = random.uint32();
    this.#cuts = rng(seed, 'cuts');
    const hasRoom = () => link.bufferedBytes < HIGH_WATER_BYTES;
    this.#out = new Pipe(rng(seed, 'out'), now, hasRoom, () => this.#checkLow());
    this.#in = new Pipe(
      rng(seed, 'in'),
      now,
      () => true,
      () => {},
    );
    this.#link = link;
    link.onFrame = (frame) => this.#arriving(frame.byteLength, () => this.deliver(frame));
    link.onClose = (reason) => this.#arriving(0, () => this.#lost(reason));
    link.onLow = () => {
      this.#out.goOn();
      this.#checkLow();
    };
  }

  get bufferedBytes(): number {
    if (this.isEnded) return 0;
    // What has flown comes to the link in bursts; its sender has nothing to do with them any more.
    return this.#out.isEmpty ? this.#link.bufferedBytes : this.#out.bufferedBytes;
  }

  /** For what is sent and what comes from now on; frames under way keep their times. */
  setConditions(conditions: Conditions): void {
    if (this.isEnded) return;
    this.#out.conditions = conditions;
    this.#in.conditions = conditions;
    clearTimeout(this.#cutTimer);
    const waitMs = -Math.log(1 - this.#cuts.uniform()) * conditions.cutEverySeconds * 1000;
    if (waitMs > LONGEST_TIMER_MS) return;
    this.#cutTimer = setTimeout(() => this.#lost('the connection broke, as the emulation asks'), waitMs);
  }

  send(frame: ArrayBuffer): void {
    if (this.isEnded) return;
    this.#out.carry(frame.byteLength, () => this.#link.send(frame));
    this.#wasAboveLow ||= this.bufferedBytes > LOW_WATER_BYTES;
  }

  close(reason = CLOSED_HERE): void {
    if (!this.#finish(reason, true)) return;
    this.#lingerTimer = setTimeout(() => this.#drop(), LINGER_MS);
    this.#out.carry(0, () => this.#drop());
  }

  protected taken(): void {}

  #arriving(bytes: number, arrive: () => void): void {
    if (!this.isEnded) this.#in.carry(bytes, arrive);
  }

  #lost(reason: string): void {
    if (this.#finish(reason, false)) this.#drop();
  }

  #finish(reason: string, isLocal: boolean): boolean {
    if (!this.end(reason, isLocal)) return false;
    clearTimeout(this.#cutTimer);
    this.#in.stop();
    return true;
  }

  #drop(): void {
    clearTimeout(this.#lingerTimer);
    this.#out.stop();
    this.#link.close();
  }

  #checkLow(): void {
    if (!this.#wasAboveLow || this.isEnded || this.bufferedBytes > LOW_WATER_BYTES) return;
    this.#wasAboveLow = false;
    this.onLow();
  }
}

interface Passing {
  readonly bytes: number;
  /** When its last bit has left. */
  readonly sentMs: number;
  readonly arrivesMs: number;
  arrive(): void;
}

/**
 * One direction: frames wait for bandwidth, then fly. Every time follows from the times before, never from when a timer
 * came: within a late tick the clock shows when things were due, so a sender told late of room loses nothing by it.
 */
class Pipe {
  conditions: Conditions = unhindered;
  readonly #random: Rng;
  readonly #now: () => number;
  readonly #hasRoom: () => boolean;
  readonly #onSent: () => void;
  #waiting: Passing[] = [];
  #flying: Passing[] = [];
  #waitingBytes = 0;
  #flyingBytes = 0;
  #freeMs = Number.NEGATIVE_INFINITY;
  #lastArrivalMs = Number.NEGATIVE_INFINITY;
  #tickMs: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  /** Nothing arrives while `hasRoom` is false; when it becomes true again, call `goOn`. */
  constructor(random: Rng, now: () => number, hasRoom: () => boolean, onSent: () => void) {
    this.#random = random;
    this.#now = now;
    this.#hasRoom = hasRoom;
    this.#onSent = onSent;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#flying.length === 0;
  }

  get bufferedBytes(): number {
    return this.#waitingBytes + Math.max(0, this.#flyingBytes - FLIGHT_BYTES);
  }

  carry(bytes: number, arrive: () => void): void {
    const { latencyMs, mbps, loss } = this.conditions;
    const isFree = latencyMs === 0 && mbps === Number.POSITIVE_INFINITY && loss === 0;
    if (isFree && this.isEmpty) return arrive();
    const nowMs = this.#tickMs ?? this.#now();
    const sentMs = Math.max(nowMs, this.#freeMs) + (bytes * 8) / (mbps * 1000);
    const isLost = loss > 0 && this.#random.uniform() < loss;
    const delayMs = isLost ? 3 * latencyMs + NOTICE_LOSS_MS : latencyMs;
    const arrivesMs = Math.max(this.#lastArrivalMs, sentMs + delayMs);
    this.#freeMs = sentMs;
    this.#lastArrivalMs = arrivesMs;
    this.#waiting.push({ bytes, sentMs, arrivesMs, arrive });
    this.#waitingBytes += bytes;
    if (this.#tickMs === null) this.#advance(nowMs);
  }

  goOn(): void {
    if (this.#tickMs === null) this.#advance(this.#now());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timerMs = Number.POSITIVE_INFINITY;
    this.#waiting = [];
    this.#flying = [];
    this.#waitingBytes = 0;
    this.#flyingBytes = 0;
  }

  get #nextMs(): number {
    const sentMs = this.#waiting[0]?.sentMs ?? Number.POSITIVE_INFINITY;
    const arrivesMs = this.#flying[0]?.arrivesMs ?? Number.POSITIVE_INFINITY;
    return this.#hasRoom() ? Math.min(sentMs, arrivesMs) : sentMs;
  }

  /** Does all that is due until `untilMs`, in order, and sets the timer for the rest. */
  #advance(untilMs: number): void {
    try {
      while (this.#nextMs <= untilMs) {
        this.#tickMs = this.#nextMs;
        this.#step(this.#tickMs);
      }
    } finally {
      this.#tickMs = null;
      this.#setTimer();
    }
  }

  #setTimer(): void {
    if (this.#nextMs >= this.#timerMs) return;
    clearTimeout(this.#timer);
    this.#timerMs = this.#nextMs;
    this.#timer = setTimeout(
      () => {
        this.#timerMs = Number.POSITIVE_INFINITY;
        this.#advance(this.#now());
      },
      Math.ceil(this.#timerMs - this.#now()),
    );
  }

  #step(nowMs: number): void {
    const arrived = this.#flying[0];
    if (arrived !== undefined && arrived.arrivesMs <= nowMs && this.#hasRoom()) {
      this.#flying.shift();
      this.#flyingBytes -= arrived.bytes;
      arrived.arrive();
    } else {
      const sent = this.#waiting.shift();
      if (sent === undefined) return;
      this.#waitingBytes -= sent.bytes;
      this.#flyingBytes += sent.bytes;
      this.#flying.push(sent);
    }
    this.#onSent();
  }
}
