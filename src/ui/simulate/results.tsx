import { bytes, clock, count, duration, loss, NOTHING, percent } from '../../observe/format.ts';
import { comparable } from '../../simulate/scenario.ts';
import { verdict } from '../../simulate/verdict.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { Scroll } from '../parts/scroll.tsx';
import type { Shown, SimulateModel } from './model.ts';

function Row({ shown, isAimed, isBusy }: { shown: Shown; isAimed: boolean; isBusy: boolean }) {
  const { strategy, done } = shown;
  const name = (
    <th scope="row">
      <RunSwatch slot={comparable.indexOf(strategy)} />
      {strategy}
    </th>
  );
  if (!done) {
    return (
      <tr class="gone">
        {name}
        <td colSpan={13}>{isBusy ? 'being simulated' : 'not finished'}</td>
      </tr>
    );
  }
  const { run, tookMs } = done;
  const { compute, wait, transfer } = run.shares;
  const shares = { compute, wait, transfer };
  const cells = {
    time: isAimed ? (run.toTargetMs === null ? 'never' : clock(run.toTargetMs)) : clock(run.elapsedMs),
    updates: count(run.updates),
    examples: count(run.examples),
    loss: loss(run.testLoss),
    accuracy: percent(run.accuracy),
    up: bytes(run.workerBytes.up),
    down: bytes(run.workerBytes.down),
    hostIn: bytes(run.hostBytes.up),
    hostOut: bytes(run.hostBytes.down),
  };
  return (
    <tr>
      {name}
      {Object.entries(cells).map(([column, cell]) => (
        <td key={column} class="number">
          {cell}
        </td>
      ))}
      <td class="number">
        <span class="shares">
          <span class="stack" aria-hidden="true">
            {Object.entries(shares).map(([part, share]) => (
              <i key={part} class={part} style={{ width: `${share * 100}%` }} />
            ))}
          </span>
          <span class="figure">{percent(run.shares.idle, 0)}</span>
        </span>
      </td>
      <td class="number">{percent(run.staleShare)}</td>
      <td class="number">
        {count(run.joins)} / {count(run.leaves)}
      </td>
      <td class="number">{duration(tookMs)}</td>
    </tr>
  );
}

const columns: readonly (readonly [string, string])[] = [
  ['Updates', 'Of the parameters'],
  ['Examples', 'Computed and counted'],
  ['Test loss', 'At the end'],
  ['Accuracy', 'On the test set, at the end'],
  ['Up', 'Sent by one worker'],
  ['Down', 'Received by one worker'],
  ['Host in', 'Received by the host'],
  ['Host out', 'Sent by the host'],
  ['Idle', 'Of the workers’ time; the bar shows computing, waiting and transfer'],
  ['Stale', 'Pushes that came too late'],
  ['In / out', 'Workers that came and left while it trained'],
  ['Took', 'Real time to simulate it'],
];

/** What decided, in a sentence, and the numbers of each strategy. */
export function SimulateResults({ model }: { model: SimulateModel }) {
  const shown = model.shown.value;
  const scenario = model.scenario.value;
  if (shown.length === 0 || scenario === null) return null;
  const isBusy = model.activity.value.kind === 'busy';
  const runs = shown.flatMap(({ done }) => (done ? [done.run] : []));
  const { untilLoss } = scenario;
  return (
    <section aria-label="Results">
      <p class="verdict" role="status">
        {isBusy ? NOTHING : verdict(runs, untilLoss)}
      </p>
      <Scroll label="Outcomes">
        <table class="outcomes">
          <thead>
            <tr>
              <th scope="col">Strategy</th>
              <th scope="col" class="number">
                {untilLoss === null ? 'Time' : `To loss ${untilLoss}`}
              </th>
              {columns.map(([name, title]) => (
                <th key={name} scope="col" class="number" title={title}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <Row key={one.strategy} shown={one} isAimed={untilLoss !== null} isBusy={isBusy} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="aside key">
        <i class="compute" /> computing <i class="wait" /> waiting <i class="transfer" /> on the way
      </p>
    </section>
  );
}
