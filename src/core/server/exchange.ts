import type { Aggregate } from '../math/aggregate/aggregate.ts';
import type { Gradient } from '../math/gradient.ts';
import type { Delivery, Ring, StrategyVerdict } from '../strategy/strategy.ts';
import type { Lease, Rejection, ToWorker, Verdict } from '../wire/protocol.ts';
import type { Crew } from './crew.ts';
import type { Evaluations } from './evaluations.ts';
import type { Push } from './push-check.ts';
import type { Roster } from './roster.ts';
import type { Run } from './run.ts';
import type { Session } from './session.ts';
import type { Turn } from './turn.ts';

interface ExchangeDeps {
  readonly run: Run;
  readonly roster: Roster;
  readonly crew: Crew;
  readonly turn: Turn;
  readonly evaluations: Evaluations;
  /** The parameters have a new version. */
  onUpdate(): void;
}

type Answer = Extract<ToWorker, { type: 'answer' }>;
type Decided = Omit<Extract<Session['work'], { kind: 'decided' }>, 'kind' | 'isPaused'>;

const nothingToDo = { isNext: false, leases: [], due: 0 };

/** The one answer to a push. */
function answer(
  turn: Turn,
  session: Session,
  { run, version }: Pick<Answer, 'run' | 'version'>,
  { seq, sinceMs, verdict }: Decided,
  { isNext, leases, due }: Pick<Answer, 'isNext' | 'leases' | 'due'> = nothingToDo,
  withParams = false,
): void {
  const heldMs = turn.nowMs - sinceMs;
  const { pauses } = session;
  turn.send(session, { type: 'answer', run, seq, verdict, version, pauses, heldMs, isNext, leases, due }, withParams);
}

/** Answers a push that was not expected, and leaves everything as it is. */
export function reject(turn: Turn, session: Session, { run, seq }: Push, version: number, reason: Rejection): void {
  const verdict: Verdict = { kind: 'rejected', reason };
  session.member.count(verdict, 0, turn.nowMs);
  answer(turn, session, { run, version }, { seq, sinceMs: turn.nowMs, verdict });
}

/**
 * What one run gives its workers and takes from them: examples, parameters, verdicts. A strategy sees and does what comes first,
 * up to `wakeAt`: it decides about each delivery once, before its update, and a worker goes on when it is released.
 */
export class Exchange {
  /** Unusable pushes and troubles, with none applied between. */
  rejectionsInARow = 0;
  readonly #deps: ExchangeDeps;
  /** Whose push has a verdict that has yet to be sent. */
  readonly #decided = new Set<Session>();
  readonly #leasesAhead: number;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
    const { strategy, overlap } = deps.run.plan.experiment;
    // The lease it computes and the one whose batch it prepares meanwhile. With overlap, it is handing in one more. With keys,
    // those of the next lease are known already, and it prepares the one after.
    this.#leasesAhead = (strategy === 'async' && overlap) || deps.run.keys ? 3 : 2;
  }

  get nowMs(): number {
    return this.#deps.turn.nowMs;
  }

  get version(): number {
    return this.#deps.run.version;
  }

  /** What makes one update of a round's gradients. */
  aggregate(): Aggregate {
    return this.#deps.run.aggregate();
  }

  /** Workers that are here, even if they pause, by number. */
  present(): readonly number[] {
    return numbersOf(this.#deps.crew.sessions);
  }

  /** Workers that take part just now, at work or not, by number. */
  active(): readonly number[] {
    return numbersOf(this.#deps.crew.sessions.filter((session) => session.isActive));
  }

  /** Workers with nothing to do, by number. */
  idle(): readonly number[] {
    return this.#isOpen ? numbersOf(this.#deps.crew.sessions.filter((session) => session.isIdle)) : [];
  }

  /** Moves the parameters by `gradient × scale` and makes the next version. `loss` is the mean over its examples. */
  update(gradient: Gradient, scale: number, loss: number): void {
    const { run, turn, onUpdate } = this.#deps;
    run.apply(gradient, scale, loss, turn.nowMs, turn.wallMs);
    onUpdate();
  }

  /** Makes the next version of parameters that only the workers have. */
  advance(loss: number): void {
    const { run, turn, onUpdate } = this.#deps;
    run.advance(loss, turn.nowMs, turn.wallMs);
    onUpdate();
  }

  decide({ worker, lease, examples, gradient }: Delivery, verdict: StrategyVerdict): void {
    const { run } = this.#deps;
    if (verdict.kind === 'applied') run.leases.settle(lease);
    else run.leases.giveBack(lease);
    run.recycle(gradient);
    this.#conclude(worker, verdict, examples);
  }

  /** Takes back what the worker is computing; it goes to another. Its late push will be stale. */
  revoke(worker: number): void {
    const { leases } = this.#deps.run;
    const oldest = leases.heldBy(worker)[0];
    if (oldest) leases.giveBack(oldest.id);
    const work = this.#sessionOf(worker)?.work;
    if (work?.kind === 'computing') work.isRevoked = true;
  }

  /** Gives these workers examples and, unless `isBare`, the host's parameters, in this order. Says who got some: at the end none are left. */
  release(workers: readonly number[], isBare = false): readonly number[] {
    if (!this.#isOpen) return [];
    const { run } = this.#deps;
    if (!isBare && workers.length > 0) run.fallBackToCopy();
    const fresh = new Map<Session, Lease[]>();
    for (const worker of workers) {
      const session = this.#sessionOf(worker);
      if (session?.isIdle) fresh.set(session, []);
    }
    // Everyone's next batch before anyone's second: so rounds take examples in the order of one big batch.
    for (let depth = 1; depth <= this.#leasesAhead; depth++) {
      for (const [{ member }, leases] of fresh) {
        if (run.leases.heldBy(member.worker).length >= depth) continue;
        const lease = run.leases.deal(member.worker);
        if (lease) leases.push(lease);
      }
    }
    const released: number[] = [];
    for (const [session, leases] of fresh) {
      const { worker } = session.member;
      const oldest = run.leases.heldBy(worker)[0];
      if (!oldest) continue;
      released.push(worker);
      this.#give(session, leases, oldest.id, isBare);
    }
    return released;
  }

  #give(session: Session, leases: Lease[], oldest: number, isBare: boolean): void {
    const { run, turn } = this.#deps;
    const { work } = session;
    const owesKeys = run.keys !== null && run.keys.of(oldest) === null;
    const due = run.keys ? oldest : 0;
    const withParams = !isBare && !owesKeys;
    session.give(run.version, owesKeys);
    if (work.kind !== 'decided') return this.#work(session, leases, due, withParams);
    this.#decided.delete(session);
    answer(turn, session, run, work, { isNext: true, leases, due }, withParams);
  }

  /** Tells these workers about a ring. Whoever is not among its members no longer takes part in the round. */
  form(ring: Ring, to: readonly number[]): void {
    const { run, turn } = this.#deps;
    for (const worker of to) {
      const session = this.#sessionOf(worker);
      if (!session) continue;
      // Whoever is to feed others must first hear that the version counts.
      this.#tellToWait(session);
      turn.send(session, { type: 'ring', run: run.run, version: run.version, ...ring });
    }
  }

  /** Shown beside the worker's name. */
  warn(worker: number, text: string): void {
    const member = this.#deps.roster.members.get(worker);
    if (member) member.trouble = text;
  }

  /** Asks for a `tick` at this time. */
  wakeAt(atMs: number): void {
    this.#deps.turn.effects.push({ type: 'wake', atMs });
  }

  /** The worker sent the keys of the lease that is due: it gets their current values. */
  feed(session: Session, due: number): void {
    session.give(this.version, false);
    this.#work(session, [], due, true);
  }

  /** The push comes too late, whatever the strategy. */
  tooLate({ member }: Session, staleness: number, gradient: Gradient): void {
    this.#deps.run.recycle(gradient);
    this.#conclude(member.worker, { kind: 'stale', staleness });
  }

  /** The worker's lease led to nothing usable. */
  refuse({ member }: Session, reason: Rejection): void {
    this.#conclude(member.worker, { kind: 'rejected', reason });
  }

  /** No round will use what this worker delivered. */
  dismiss({ member, work }: Session): void {
    if (work.kind !== 'held') return;
    this.#deps.run.leases.giveBackDelivered(member.worker);
    this.#conclude(member.worker, { kind: 'stale', staleness: 0 });
  }

  /** The end of an event: whoever has a verdict but no work gets its answer now, and waits. */
  settle(): void {
    for (const session of this.#decided) this.#tellToWait(session);
  }

  get #isOpen(): boolean {
    return this.#deps.run.phase === 'running' && !this.#deps.evaluations.holdsTraining;
  }

  #sessionOf(worker: number): Session | null {
    return this.#deps.roster.members.get(worker)?.session ?? null;
  }

  /** Gives the verdict, which the worker hears with its next parameters or at the end of the event. */
  #conclude(worker: number, verdict: Verdict, examples = 0): void {
    this.#deps.run.counters[verdict.kind] += 1;
    if (verdict.kind === 'applied') this.rejectionsInARow = 0;
    if (verdict.kind === 'rejected') this.rejectionsInARow += 1;
    const member = this.#deps.roster.members.get(worker);
    member?.count(verdict, examples, this.nowMs);
    if (member?.session?.decide(verdict)) this.#decided.add(member.session);
  }

  #tellToWait(session: Session): void {
    const { work } = session;
    if (work.kind !== 'decided') return;
    const { run, turn } = this.#deps;
    this.#decided.delete(session);
    session.enter('ready');
    answer(turn, session, run, work);
  }

  #work(session: Session, leases: Lease[], due: number, withParams: boolean): void {
    const { run, version } = this.#deps.run;
    const { pauses } = session;
    this.#deps.turn.send(session, { type: 'work', run, version, pauses, leases, due }, withParams);
  }
}

const numbersOf = (sessions: readonly Session[]) => sessions.map(({ member }) => member.worker);
