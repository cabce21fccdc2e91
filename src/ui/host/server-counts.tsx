import './server-counts.css';
import type { ServerCounters } from '../../core/server/progress.ts';
import { count, duration, percent } from '../../observe/format.ts';
import type { ShownRun } from './model.ts';

/** What is counted, in the order shown: its name and what that means. */
const counters: readonly (readonly [keyof ServerCounters, string, string])[] = [
  ['updates', 'Updates', 'Steps of the parameters'],
  ['applied', 'Applied', 'Gradients that became part of an update'],
  ['stale', 'Stale', 'Gradients that came too late to be used'],
  ['rejected', 'Rejected', 'Pushes that were not valid'],
  ['clipped', 'Clipped', 'Gradients scaled down because they were far longer than usual'],
  ['lost', 'Lost', 'Updates that only workers had who all left; the run went on from the host’s last copy'],
  ['dropped', 'Dropped', 'Updates made after the evaluation that ended the run; not part of its result'],
  ['leasesReturned', 'Reassigned', 'Batches that went to another worker because theirs left or was too slow'],
  ['evaluations', 'Evaluations', 'Of the test set'],
  ['evaluationHoldMs', 'Held for evaluation', 'Time in which training stood still because an evaluation was not done'],
  ['busyMs', 'Server busy', 'Share of the time the server thread spent on messages'],
];

/** What the host counted in a run. */
export function ServerCounts({ run: { moment } }: { run: ShownRun }) {
  if (moment === null) return <p class="empty">What the host counted appears here once a run is over.</p>;
  const { run } = moment;
  const text = (key: keyof ServerCounters): string => {
    if (key === 'evaluationHoldMs') return duration(run.counters[key]);
    return key === 'busyMs' ? percent(run.counters[key] / run.elapsedMs) : count(run.counters[key]);
  };
  return (
    <dl class="counts">
      {counters.map(([key, name, hint]) => (
        <div key={key} title={hint}>
          <dt>{name}</dt>
          <dd>{text(key)}</dd>
        </div>
      ))}
    </dl>
  );
}
