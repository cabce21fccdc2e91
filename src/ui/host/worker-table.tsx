import './worker-table.css';
import { tallyBytes } from '../../core/wire/traffic.ts';
import type { WorkerRow } from '../../host/state.ts';
import { count, megabytes, NOTHING, percent, rate } from '../../observe/format.ts';
import { TimeShares } from '../inspect/time-shares.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { WorkerDot } from '../parts/worker-dot.tsx';
import { workerPhaseWords } from '../words/words.ts';
import type { HostModel } from './model.ts';

function Row({ row, hasPeers, onRemove }: { row: WorkerRow; hasPeers: boolean; onRemove(): void }) {
  const steps = row.applied + row.stale + row.rejected;
  const staleness =
    row.applied === 0 ? NOTHING : `${(row.stalenessSum / row.applied).toFixed(1)} / ${row.stalenessMax}`;
  const lost = `${count(row.applied)} applied, ${count(row.stale)} stale, ${count(row.rejected)} rejected`;
  return (
    <tr class={row.phase === 'gone' ? 'gone' : undefined}>
      <th scope="row" title={row.name}>
        <WorkerDot worker={row.worker} />
        {row.name}
        {row.isLocal && <span class="aside"> this tab</span>}
      </th>
      <td class="text" title={row.device}>
        {row.device}
      </td>
      <td title={row.why}>{row.backend || NOTHING}</td>
      <td class={row.trouble === null ? 'text state' : 'text state trouble'} title={row.trouble ?? undefined}>
        {row.trouble ?? workerPhaseWords(row.phase)}
      </td>
      <td class="number" title={lost}>
        {count(steps)}
      </td>
      <td class="number">{row.phase === 'gone' ? NOTHING : rate(row.examplesPerSecond)}</td>
      <td>
        <TimeShares phases={row.phases} steps={steps} />
      </td>
      {!hasPeers && <td class="number">{staleness}</td>}
      <td class="number" title={lost}>
        {steps === 0 ? NOTHING : percent(row.stale / steps, 0)}
      </td>
      <td class="number">{row.isLocal ? NOTHING : megabytes(tallyBytes(row.traffic.received))}</td>
      <td class="number">{row.isLocal ? NOTHING : megabytes(tallyBytes(row.traffic.sent))}</td>
      {hasPeers && <td class="number">{megabytes(row.peerBytes)}</td>}
      <td>
        {!row.isLocal && row.phase !== 'gone' && (
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${row.name}`}
            title="Remove this worker"
            onClick={onRemove}
          >
            ×
          </button>
        )}
      </td>
    </tr>
  );
}

/** Every worker, here or away, with what it does and what it costs. */
export function WorkerTable({ model }: { model: HostModel }) {
  const { workers } = model.state.value;
  // There nobody computes on older parameters, so bytes between workers take the place of staleness.
  const hasPeers = model.experiment.value.strategy === 'allreduce';
  const present = workers.filter(({ phase }) => phase !== 'gone').length;
  return (
    <section aria-label="Workers">
      <h2>
        Workers <span class="aside">{count(present)}</span>
      </h2>
      {workers.length === 0 ? (
        <p class="empty">
          Each tab that computes appears here. Press Start to train in this tab, or share the link and press Contribute
          on another device.
        </p>
      ) : (
        <Scroll label="List of workers">
          <table class="workers">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Device</th>
                <th scope="col">Backend</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Steps
                </th>
                <th scope="col" class="number">
                  Examples/s
                </th>
                <th scope="col" class="key" title="Share of each step's time, in percent">
                  <i class="compute" /> Compute <i class="wait" /> wait <i class="transfer" /> transfer
                </th>
                {!hasPeers && (
                  <th
                    scope="col"
                    class="number"
                    title="Updates made by others between a gradient's start and its arrival"
                  >
                    Stale mean / max
                  </th>
                )}
                <th scope="col" class="number" title="Share of its gradients that came too late to be used">
                  Unused
                </th>
                <th scope="col" class="number" title="Megabytes from the worker">
                  MB up
                </th>
                <th scope="col" class="number" title="Megabytes to the worker">
                  MB down
                </th>
                {hasPeers && (
                  <th scope="col" class="number" title="Megabytes sent straight to other workers">
                    MB to others
                  </th>
                )}
                <th scope="col">
                  <span class="hidden">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {workers.map((row) => (
                <Row
                  key={row.worker}
                  row={row}
                  hasPeers={hasPeers}
                  onRemove={() => model.deps.host.remove(row.worker)}
                />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
