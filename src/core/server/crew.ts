import type { Roster } from './roster.ts';
import type { Run } from './run.ts';
import type { Session } from './session.ts';

/** Who takes part in a run: everyone, or the first so many that are ready; with `single`, the host's own worker alone. */
export class Crew {
  readonly #run: Run;
  readonly #roster: Roster;
  readonly #chosen = new Set<Session>();

  constructor(run: Run, roster: Roster) {
    this.#run = run;
    this.#roster = roster;
  }

  /** Those who are here, by number. */
  get sessions(): readonly Session[] {
    const { experiment, maxWorkers } = this.#run.plan;
    const { inOrder } = this.#roster;
    const admitted = experiment.strategy === 'single' ? inOrder.filter(({ member }) => member.isLocal) : inOrder;
    return maxWorkers === undefined ? admitted : this.#limited(admitted, maxWorkers);
  }

  /** Whether the run can start, or go on. */
  get isEnough(): boolean {
    const { experiment } = this.#run.plan;
    const needed = this.#run.version > 0 || experiment.strategy === 'single' ? 1 : experiment.workers;
    return this.sessions.filter(({ isActive }) => isActive).length >= needed;
  }

  /** Whoever is in stays in until it leaves, so that nobody is dropped in the middle of a round. */
  #limited(admitted: readonly Session[], maxWorkers: number): readonly Session[] {
    const chosen = this.#chosen;
    for (const session of chosen) if (session.member.session !== session) chosen.delete(session);
    // A seat is kept for the host's own worker, even if others are ready sooner.
    const kept = admitted.some(({ member, work }) => member.isLocal && work.kind === 'preparing') ? 1 : 0;
    for (const session of admitted) {
      if (chosen.size < maxWorkers - kept && session.work.kind !== 'preparing') chosen.add(session);
    }
    return admitted.filter((session) => chosen.has(session));
  }
}
