import type { Roster } from './roster.ts';
import type { Run } from './run.ts';
import type { Session } from './session.ts';

/** Who takes part in a run: everyone the strategy admits or, where that is limited, the first so many of them. */
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
    const { strategy, plan } = this.#run;
    const admitted = this.#roster.inOrder.filter(({ member }) => strategy.admits(member.isLocal));
    return plan.maxWorkers === undefined ? admitted : this.#limited(admitted, plan.maxWorkers);
  }

  /** Whoever is in stays in until it leaves, so that nobody is dropped in the middle of a round. */
  #limited(admitted: readonly Session[], maxWorkers: number): readonly Session[] {
    const chosen = this.#chosen;
    for (const session of chosen) if (session.member.session !== session) chosen.delete(session);
    // The host's own worker has its place even if others are ready sooner.
    const kept = admitted.some(({ member, work }) => member.isLocal && work.kind === 'preparing') ? 1 : 0;
    for (const session of admitted) {
      if (chosen.size < maxWorkers - kept && session.work.kind !== 'preparing') chosen.add(session);
    }
    return admitted.filter((session) => chosen.has(session));
  }
}
