import { NOTHING } from '../../observe/format.ts';
import { outcomeColumns, type TimedRun } from '../../simulate/columns.ts';
import { comparable } from '../../simulate/scenario.ts';
import { winnerWords } from '../../simulate/winner.ts';
import { RunSwatch } from '../parts/run-swatch.tsx';
import { type Column, number, Table } from '../parts/table.tsx';
import type { Shown, SimulateModel } from './model.ts';

/** Where the workers' time went, as a bar; what it says is in the number beside it. */
function Shares({ run: { shares } }: TimedRun) {
  return (
    <span class="stack" aria-hidden="true">
      {(['compute', 'wait', 'transfer'] as const).map((part) => (
        <i key={part} class={part} style={{ width: `${shares[part] * 100}%` }} />
      ))}
    </span>
  );
}

/** What decided, in a sentence, and the numbers of each strategy. */
export function SimulateResults({ model }: { model: SimulateModel }) {
  const shown = model.shown.value;
  const scenario = model.scenario.value;
  if (shown.length === 0 || scenario === null) return null;
  const isBusy = model.activity.value.kind === 'busy';
  const runs = shown.flatMap(({ done }) => (done ? [done.run] : []));
  const columns: Column<Shown>[] = [
    {
      name: 'Strategy',
      isName: true,
      cell: ({ strategy }) => (
        <>
          <RunSwatch slot={comparable.indexOf(strategy)} />
          {strategy}
        </>
      ),
    },
    ...outcomeColumns(scenario.untilLoss).map(({ title, hint, text }, at) =>
      number<Shown>(
        title,
        ({ done }) => {
          if (done === null) return at > 0 ? NOTHING : isBusy ? 'being simulated' : 'not finished';
          if (title !== 'Idle') return text(done);
          return (
            <span class="shares">
              <Shares {...done} />
              <span class="figure">{text(done)}</span>
            </span>
          );
        },
        hint,
      ),
    ),
  ];
  return (
    <section aria-label="Results">
      <p class="winner" role="status">
        {isBusy ? NOTHING : winnerWords(runs, scenario.untilLoss)}
      </p>
      <Table
        label="Outcomes"
        class="outcomes"
        columns={columns}
        rows={shown}
        keyOf={({ strategy }) => strategy}
        rowProps={({ done }) => ({ class: done ? undefined : 'gone' })}
      />
      <p class="aside key">
        <i class="compute" /> computing <i class="wait" /> waiting <i class="transfer" /> on the way
      </p>
    </section>
  );
}
