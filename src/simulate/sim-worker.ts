import { type Rng, rng } from '../core/math/rng.ts';
import type { Phases } from '../core/wire/protocol.ts';
import { WorkerSide } from '../core/worker/worker-side.ts';
import { Pipe } from './pipe.ts';
import type { Scenario } from './scenario.ts';

/** A worker's machine with its link. Who comes back comes from the same machine. */
export interface Machine {
  readonly index: number;
  readonly latencyMs: number;
  readonly mbps: number;
  /** For one step, without jitter. */
  readonly stepMs: number;
}

/** Draws one machine. The middle of the log-normal spread is a typical worker. */
export function drawMachine(index: number, scenario: Scenario): Machine {
  const { seed, spread, stragglers, slowdown, latency, bandwidth, compute } = scenario;
  const random = rng(seed, 'place', index);
  const factor = () => Math.exp(spread * random.normal());
  // Every so many machines one is slow, so that the share is met exactly. The little more is for shares like 0.1.
  const slowBefore = (count: number) => Math.floor(count * stragglers + 1e-9);
  const isSlow = slowBefore(index + 1) > slowBefore(index);
  return {
    index,
    stepMs: compute * factor() * (isSlow ? slowdown : 1),
    latencyMs: latency * factor(),
    mbps: bandwidth * factor(),
  };
}

/** A link between two workers. */
export interface PeerLink {
  readonly other: SimWorker;
  readonly openMs: number;
  readonly latencyMs: number;
}

/** One worker over one link: the real protocol side, with made-up links, and time kept of what it does. */
export class SimWorker {
  readonly link: number;
  readonly machine: Machine;
  readonly side: WorkerSide;
  readonly up: Pipe;
  readonly down: Pipe;
  readonly joinedMs: number;
  readonly peers = new Map<number, PeerLink>();
  /** Used again for each step: the side has copied it when the next begins. */
  readonly gradient: Float32Array;
  /** The number the host gave it. */
  number = 0;
  isGone = false;
  ringMembers = 1;
  #computing: { readonly fromMs: number; readonly untilMs: number } | null = null;
  #computeMs = 0;
  readonly #random: Rng;
  readonly #jitter: number;

  constructor(link: number, machine: Machine, token: string, scenario: Scenario, size: number, nowMs: number) {
    this.link = link;
    this.machine = machine;
    this.side = new WorkerSide(token, { isPaused: false, isFinishing: false });
    this.up = new Pipe(machine.mbps);
    this.down = new Pipe(machine.mbps);
    this.joinedMs = nowMs;
    this.gradient = new Float32Array(size);
    this.#random = rng(scenario.seed, 'link', link);
    this.#jitter = scenario.jitter;
  }

  /** Begins a step; gives how long it takes. */
  begin(nowMs: number): number {
    const jitter = this.#jitter === 0 ? 1 : Math.exp(this.#jitter * this.#random.normal());
    const tookMs = this.machine.stepMs * jitter;
    this.#computing = { fromMs: nowMs, untilMs: nowMs + tookMs };
    return tookMs;
  }

  /** The step is done. */
  done(): void {
    if (this.#computing) this.#computeMs += this.#computing.untilMs - this.#computing.fromMs;
    this.#computing = null;
  }

  /** How it spent its time from `fromMs` until now. */
  spent(fromMs: number, nowMs: number): { presentMs: number; computeMs: number; phases: Phases } {
    const underWayMs = this.#computing ? Math.max(0, nowMs - this.#computing.fromMs) : 0;
    return {
      presentMs: Math.max(0, nowMs - Math.max(fromMs, this.joinedMs)),
      computeMs: this.#computeMs + underWayMs,
      phases: this.side.phases,
    };
  }
}
