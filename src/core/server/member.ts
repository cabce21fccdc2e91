import { addPhases } from '../wire/phases.ts';
import type { Verdict } from '../wire/protocol.ts';
import { MeanCurve } from './mean-curve.ts';
import { noWorkerCounts, type TrainPoint, type WorkerPhase, type WorkerState } from './progress.ts';
import type { Push } from './push-check.ts';
import { Rate } from './rate.ts';
import type { Session } from './session.ts';

/** Short, easy to tell apart, easy to say. */
const NAMES =
  'Wren Finch Robin Swift Heron Lark Owl Crane Dove Egret Falcon Gull Ibis Jay Kite Loon Magpie Nuthatch Osprey Plover Quail Raven Stork Tern Vireo Warbler Avocet Bunting Curlew Dipper Eider Fulmar'.split(
    ' ',
  );

/** What survives a restart of the host. */
export interface MemberRecord {
  readonly worker: number;
  readonly token: string;
  readonly name: string;
}

/** One worker, from its first hello to the end of the host; its counters are of the current run. */
export class Member implements MemberRecord {
  readonly worker: number;
  readonly token: string;
  readonly isLocal: boolean;
  name: string;
  device = '';
  backend = '';
  why = '';
  trouble: string | null = null;
  /** Null while it is away. */
  session: Session | null = null;
  #counts = { ...noWorkerCounts };
  #rate = new Rate();
  /** Its own batches in this run. */
  curve = new MeanCurve();

  constructor(worker: number, token: string, name: string, isLocal: boolean) {
    this.worker = worker;
    this.token = token;
    this.isLocal = isLocal;
    this.name = name || (isLocal ? 'Host' : (NAMES[(worker - 1 + NAMES.length) % NAMES.length] ?? `Worker ${worker}`));
  }

  count(verdict: Verdict, examples: number, nowMs: number): void {
    const counts = this.#counts;
    counts[verdict.kind] += 1;
    if (verdict.kind !== 'applied') return;
    counts.examples += examples;
    counts.stalenessSum += verdict.staleness;
    counts.stalenessMax = Math.max(counts.stalenessMax, verdict.staleness);
    this.#rate.add(nowMs, examples);
  }

  measure({ phases, loss, peerBytes, examples, correct }: Push, at: TrainPoint): void {
    const counts = this.#counts;
    counts.peerBytes += peerBytes;
    counts.phases = addPhases(counts.phases, phases);
    counts.lastLoss = loss;
    this.curve.add(at, examples, correct && Math.min(correct, examples));
  }

  /** A new run: the counters start again. */
  restart(): void {
    this.#counts = { ...noWorkerCounts };
    this.#rate = new Rate();
    this.curve = new MeanCurve();
    this.trouble = null;
  }

  state(nowMs: number): WorkerState {
    const { worker, name, isLocal, device, backend, why, trouble } = this;
    const [phase, examplesPerSecond] = [this.#phase, this.#rate.perSecond(nowMs)];
    return { worker, name, isLocal, device, backend, why, phase, trouble, ...this.#counts, examplesPerSecond };
  }

  get #phase(): WorkerPhase {
    if (!this.session) return 'gone';
    const { work } = this.session;
    switch (work.kind) {
      case 'preparing':
      case 'ready':
        return work.isPaused ? 'paused' : work.kind;
      case 'computing':
        return 'computing';
      case 'held':
      case 'decided':
        return 'held';
      default:
        return work satisfies never;
    }
  }
}
