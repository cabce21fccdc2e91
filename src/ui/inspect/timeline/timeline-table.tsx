import { useMemo, useState } from 'preact/hooks';
import { count, duration, NOTHING } from '../../../observe/format.ts';
import { type PlacedKind, placeSteps } from '../../../observe/placed-steps.ts';
import type { Timeline } from '../../../observe/step-trace.ts';
import { Scroll } from '../../parts/scroll.tsx';
import { WorkerDot } from '../../parts/worker-dot.tsx';
import { type Inspected, SERVER, workerName } from '../inspected.ts';
import { ganttRows, ownersOf, type RowMeans, type RowOwner, rowMeans, spanKinds, spanWords } from './gantt-rows.ts';

/** What a line of the timeline is called. */
export const ownerWords = (owner: RowOwner, inspected: Inspected): string =>
  owner === 'server' ? SERVER : owner === 'beside' ? 'Tests, saves' : workerName(inspected, owner);

/** The name at the head of a line, with a worker's colour. */
export function OwnerName({ owner, inspected }: { owner: RowOwner; inspected: Inspected }) {
  return (
    <>
      {typeof owner === 'number' && <WorkerDot worker={owner} />}
      {ownerWords(owner, inspected)}
    </>
  );
}

const togetherMs = (meanMs: RowMeans['meanMs']): number => Object.values(meanMs).reduce((sum, ms) => sum + ms, 0);

/** The timeline in numbers, made only while it is open: the mean time of each kind per step. */
export function TimelineTable({ timeline, inspected }: { timeline: Timeline; inspected: Inspected }) {
  const [isOpen, setOpen] = useState(false);
  const means = useMemo(
    () => (isOpen ? rowMeans(ganttRows(placeSteps(timeline), ownersOf(timeline))) : []),
    [isOpen, timeline],
  );
  const kinds = spanKinds.filter((kind) => means.some(({ meanMs }) => meanMs[kind] > 0));
  const isOf = (owner: RowOwner, kind: PlacedKind) =>
    (kind === 'evaluation' || kind === 'checkpoint') === (owner === 'beside');
  return (
    <details class="behind" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Timeline as a table</summary>
      {isOpen && (
        <p class="aside">Mean time per step of what is recorded; of tests and saves, per test and per save.</p>
      )}
      {isOpen && (
        <Scroll label="Mean time per step">
          <table aria-label="Mean time per step">
            <thead>
              <tr>
                <th scope="col">Node</th>
                <th scope="col" class="number">
                  Steps
                </th>
                {kinds.map((kind) => (
                  <th key={kind} scope="col" class="number">
                    {spanWords[kind]}
                  </th>
                ))}
                <th scope="col" class="number">
                  together
                </th>
              </tr>
            </thead>
            <tbody>
              {means.map(({ owner, steps, meanMs }) => (
                <tr key={owner}>
                  <th scope="row">
                    <OwnerName owner={owner} inspected={inspected} />
                  </th>
                  <td class="number">{owner === 'beside' ? NOTHING : count(steps)}</td>
                  {kinds.map((kind) => (
                    <td key={kind} class="number">
                      {meanMs[kind] === 0 || (typeof owner !== 'number' && !isOf(owner, kind))
                        ? NOTHING
                        : duration(meanMs[kind])}
                    </td>
                  ))}
                  <td class="number">{owner === 'beside' ? NOTHING : duration(togetherMs(meanMs))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </details>
  );
}
