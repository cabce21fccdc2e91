import { count, duration, NOTHING } from '../../../observe/format.ts';
import { type PlacedKind, placeSteps } from '../../../observe/placed-steps.ts';
import type { Timeline } from '../../../observe/step-trace.ts';
import type { ShownRun } from '../../host/model.ts';
import { Behind } from '../../parts/choice.tsx';
import { type Column, number, Table } from '../../parts/table.tsx';
import { WorkerDot } from '../../parts/worker-dot.tsx';
import { SERVER, workerName } from '../node-names.tsx';
import { ganttRows, ownersOf, type RowMeans, type RowOwner, rowMeans, spanKinds, spanWords } from './gantt-rows.ts';

/** What a line of the timeline is called. */
export const ownerWords = (owner: RowOwner, run: ShownRun): string =>
  owner === 'server' ? SERVER : owner === 'beside' ? 'Evaluation, saves' : workerName(run, owner);

/** The name at the head of a line, with a worker's colour. */
export function OwnerName({ owner, run }: { owner: RowOwner; run: ShownRun }) {
  return (
    <>
      {typeof owner === 'number' && <WorkerDot worker={owner} />}
      {ownerWords(owner, run)}
    </>
  );
}

const togetherMs = ({ meanMs }: RowMeans): number => Object.values(meanMs).reduce((sum, ms) => sum + ms, 0);

function columnsOf(run: ShownRun, means: readonly RowMeans[]): Column<RowMeans>[] {
  const unlessBeside = (read: (row: RowMeans) => string) => (row: RowMeans) =>
    row.owner === 'beside' ? NOTHING : read(row);
  const kindColumn = (kind: PlacedKind) =>
    number<RowMeans>(spanWords(kind), ({ meanMs }) => (meanMs[kind] === 0 ? NOTHING : duration(meanMs[kind])));
  return [
    { name: 'Node', isName: true, cell: ({ owner }) => <OwnerName owner={owner} run={run} /> },
    number(
      'Steps',
      unlessBeside(({ steps }) => count(steps)),
    ),
    ...spanKinds.filter((kind) => means.some(({ meanMs }) => meanMs[kind] > 0)).map(kindColumn),
    number(
      'together',
      unlessBeside((row) => duration(togetherMs(row))),
    ),
  ];
}

/** The timeline in numbers: the mean time of each kind per step. */
export const TimelineTable = ({ timeline, run }: { timeline: Timeline; run: ShownRun }) => (
  <Behind summary="Timeline as a table">
    {() => {
      const means = rowMeans(ganttRows(placeSteps(timeline), ownersOf(timeline)));
      return (
        <>
          <p class="aside">Mean time per step of what is recorded; of evaluations and saves, the mean of each.</p>
          <Table label="Mean time per step" columns={columnsOf(run, means)} rows={means} keyOf={({ owner }) => owner} />
        </>
      );
    }}
  </Behind>
);
