import './server-counts.css';
import type { RunState, ServerCounters } from '../../core/server/progress.ts';
import { count, duration, NOTHING, percent } from '../../observe/format.ts';

interface Line {
  readonly name: string;
  readonly hint: string;
  read(counters: ServerCounters, elapsedMs: number): string;
}

const lines: readonly Line[] = [
  { name: 'Updates', hint: 'Steps of the parameters', read: ({ updates }) => count(updates) },
  { name: 'Applied', hint: 'Gradients that became part of an update', read: ({ applied }) => count(applied) },
  { name: 'Stale', hint: 'Gradients that came too late to be used', read: ({ stale }) => count(stale) },
  { name: 'Rejected', hint: 'Pushes that were not sound', read: ({ rejected }) => count(rejected) },
  {
    name: 'Clipped',
    hint: 'Gradients scaled down because they were far longer than usual',
    read: ({ clipped }) => count(clipped),
  },
  {
    name: 'Lost',
    hint: 'Updates that only workers had who all left; the run went on from the host’s last copy',
    read: ({ lost }) => count(lost),
  },
  {
    name: 'Dropped',
    hint: 'Updates made after the test that ended the run; not part of its result',
    read: ({ dropped }) => count(dropped),
  },
  {
    name: 'Given again',
    hint: 'Batches that went to another worker because theirs left or was too slow',
    read: ({ leasesReturned }) => count(leasesReturned),
  },
  { name: 'Tests', hint: 'Looks at the test set', read: ({ evaluations }) => count(evaluations) },
  {
    name: 'Held for tests',
    hint: 'Time in which training stood still because a test was not done',
    read: ({ evaluationHoldMs }) => duration(evaluationHoldMs),
  },
  {
    name: 'Server busy',
    hint: 'Share of the time the server thread spent on messages',
    read: ({ busyMs }, elapsedMs) => (elapsedMs === 0 ? NOTHING : percent(busyMs / elapsedMs)),
  },
];

/** What the host counted in this run. */
export function ServerCounts({ run }: { run: RunState | null }) {
  return run === null ? (
    <p class="empty">What the host counts appears here once a run has begun.</p>
  ) : (
    <dl class="counts">
      {lines.map(({ name, hint, read }) => (
        <div key={name} title={hint}>
          <dt>{name}</dt>
          <dd>{read(run.counters, run.elapsedMs)}</dd>
        </div>
      ))}
    </dl>
  );
}
