import './worker-table.css';
import { type Traffic, tallyBytes } from '../../core/wire/traffic.ts';
import type { WorkerRow } from '../../host/state.ts';
import { count, fixed, megabytes, NOTHING, percent, rate } from '../../observe/format.ts';
import { TimeShares } from '../inspect/time-shares.tsx';
import { type Column, Cross, number, Table } from '../parts/table.tsx';
import { WorkerDot } from '../parts/worker-dot.tsx';
import { workerPhaseWords } from '../words/words.ts';
import type { HostModel } from './model.ts';

const stepsOf = ({ applied, stale, rejected }: WorkerRow): number => applied + stale + rejected;
const outcomes = ({ applied, stale, rejected }: WorkerRow): string =>
  `${count(applied)} applied, ${count(stale)} stale, ${count(rejected)} rejected`;
const isThere = ({ phase }: WorkerRow): boolean => phase !== 'gone';

const wireMb = (row: WorkerRow, way: keyof Traffic): string =>
  row.isLocal ? NOTHING : megabytes(tallyBytes(row.traffic[way]));

/** With all-reduce nobody computes on older parameters, so bytes between workers take the place of staleness. */
function columnsOf(hasPeers: boolean, remove: (worker: number) => void): Column<WorkerRow>[] {
  const staleness = number<WorkerRow>(
    'Stale mean / max',
    ({ applied, stalenessSum: sum, stalenessMax: max }) =>
      applied === 0 ? NOTHING : `${fixed(sum / applied, 1)} / ${max}`,
    "Updates made by others between a gradient's start and its arrival",
  );
  const toPeers = number<WorkerRow>(
    'MB to others',
    ({ peerBytes }) => megabytes(peerBytes),
    'Megabytes sent straight to other workers',
  );
  return [
    {
      name: 'Name',
      isName: true,
      title: ({ name }) => name,
      cell: ({ worker, name, isLocal }) => (
        <>
          <WorkerDot worker={worker} />
          {name}
          {isLocal && <span class="aside"> this tab</span>}
        </>
      ),
    },
    { name: 'Device', class: 'text', title: ({ device }) => device, cell: ({ device }) => device },
    { name: 'Backend', title: ({ why }) => why, cell: ({ backend }) => backend || NOTHING },
    {
      name: 'State',
      class: ({ trouble }) => (trouble === null ? 'text state' : 'text state trouble'),
      title: ({ trouble }) => trouble ?? undefined,
      cell: ({ trouble, phase }) => trouble ?? workerPhaseWords[phase],
    },
    { ...number('Steps', (row) => count(stepsOf(row))), title: outcomes },
    number('Examples/s', (row) => (isThere(row) ? rate(row.examplesPerSecond) : NOTHING)),
    {
      name: 'Shares',
      hint: "Share of each step's time, in percent",
      head: (
        <span class="key">
          <i class="compute" /> Compute <i class="wait" /> wait <i class="transfer" /> transfer
        </span>
      ),
      cell: (row) => <TimeShares phases={row.phases} steps={stepsOf(row)} />,
    },
    ...(hasPeers ? [] : [staleness]),
    {
      ...number('Unused', (row) => percent(row.stale / stepsOf(row), 0), 'Share of its gradients that came too late'),
      title: outcomes,
    },
    number('MB up', (row) => wireMb(row, 'received'), 'Megabytes from the worker'),
    number('MB down', (row) => wireMb(row, 'sent'), 'Megabytes to the worker'),
    ...(hasPeers ? [toPeers] : []),
    {
      name: 'Remove',
      head: <span class="hidden">Remove</span>,
      cell: (row) =>
        !row.isLocal &&
        isThere(row) && (
          <Cross label={`Remove ${row.name}`} title="Remove this worker" onClick={() => remove(row.worker)} />
        ),
    },
  ];
}

/** Every worker, here or away, with what it does and what it costs. */
export function WorkerTable({ model }: { model: HostModel }) {
  const { workers } = model.state.value;
  return (
    <section aria-label="Workers">
      <h2>
        Workers <span class="aside">{count(workers.filter(isThere).length)}</span>
      </h2>
      {workers.length === 0 ? (
        <p class="empty">
          Each tab that computes appears here. Press Start to train in this tab, or share the link and press Contribute
          on another device.
        </p>
      ) : (
        <Table
          label="List of workers"
          class="workers"
          columns={columnsOf(model.experiment.value.strategy === 'allreduce', (worker) =>
            model.deps.host.remove(worker),
          )}
          rows={workers}
          keyOf={({ worker }) => worker}
          rowProps={(row) => ({ class: isThere(row) ? undefined : 'gone' })}
        />
      )}
    </section>
  );
}
