import './operators.css';
import { useState } from 'preact/hooks';
import { errorText } from '../../experiment/error-text.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { operatorsCsv } from '../../export/run-tables.ts';
import type { Host } from '../../host/state.ts';
import { bytes, count, duration, fixed, NBSP, percent } from '../../observe/format.ts';
import type { OperatorTime, StepProfile } from '../../observe/step-trace.ts';
import type { ShownRun } from '../host/model.ts';
import { Segments } from '../parts/choice.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { type Column, number, Table } from '../parts/table.tsx';
import { subject } from '../words/words.ts';

/** As they ran, or the slowest first. */
type OperatorOrder = 'ran' | 'time';

/** An operator with its place in the step and its part of the time of all operators. */
interface RankedOperator extends OperatorTime {
  readonly place: number;
  readonly share: number;
}

/** What all operators took together. */
export const operatorsMs = ({ operators }: StepProfile): number => operators.reduce((sum, { ms }) => sum + ms, 0);

/** The operators of a step in an order. */
export function ranked(profile: StepProfile, order: OperatorOrder): readonly RankedOperator[] {
  const total = operatorsMs(profile);
  const rows = profile.operators.map((operator, index) => ({
    ...operator,
    place: index + 1,
    share: total === 0 ? 0 : operator.ms / total,
  }));
  return order === 'ran' ? rows : rows.sort((a, b) => b.ms - a.ms);
}

type Profiling =
  | { readonly kind: 'idle' | 'working' }
  | { readonly kind: 'failed'; readonly words: string }
  | { readonly kind: 'done'; readonly profile: StepProfile };

interface OperatorsProps {
  readonly host: Host;
  readonly experiment: Experiment;
  /** Undefined while there is no run at all: a step can be taken apart before the first. */
  readonly run: ShownRun | undefined;
}

/** One step operator by operator: what the time of computing is made of. */
export function OperatorsTab({ host, experiment, run }: OperatorsProps) {
  const [profiling, setProfiling] = useState<Profiling>({ kind: 'idle' });
  const profile = profiling.kind === 'done' ? profiling.profile : (run?.log.profile ?? null);
  const start = () => {
    setProfiling({ kind: 'working' });
    host.profile(experiment).then(
      (made) => setProfiling({ kind: 'done', profile: made }),
      (error: unknown) => setProfiling({ kind: 'failed', words: errorText(error) }),
    );
  };
  // The host keeps a profile with its own run: that of another experiment would be wrong there.
  const isElsewhere = run !== undefined && run.slot !== 0 && host.log !== null;
  return (
    <div class="operators">
      <div class="tools">
        <button
          type="button"
          disabled={profiling.kind === 'working' || isElsewhere}
          title={isElsewhere ? 'Only a step of this page’s own run can be taken apart while there is one' : undefined}
          onClick={start}
        >
          Take one step apart
        </button>
        <span role="status" class={profiling.kind === 'failed' ? 'problem' : 'aside'}>
          {profiling.kind === 'working' &&
            'Loading the model and timing one step in a thread of its own; this takes some seconds, and slows a run here meanwhile.'}
          {profiling.kind === 'failed' && `That did not work: ${profiling.words}`}
        </span>
      </div>
      {profile === null ? (
        <p class="empty">
          Each operator of one step of {subject(experiment)}, with the size of what it makes and its time, appears here
          once a step is taken apart in this tab.
        </p>
      ) : (
        <OperatorTable profile={profile} id={run?.log.id ?? ''} />
      )}
    </div>
  );
}

const orders: Readonly<Record<OperatorOrder, string>> = { time: 'Slowest first', ran: 'As they ran' };

/** As many decimals for a whole column as its largest needs: most operators are over before a tenth of a millisecond is. */
const decimalsFor = (longestMs: number): number => (longestMs < 9.9995 ? 3 : longestMs < 99.995 ? 2 : 1);

const columnsOf = (decimals: number): readonly Column<RankedOperator>[] => [
  number('Order', ({ place }) => place),
  { name: 'Operator', isName: true, cell: ({ name }) => name },
  number('Time', ({ ms }) => `${fixed(ms, decimals)}${NBSP}ms`),
  {
    name: 'Share',
    cell: ({ share }) => (
      <>
        <span class="share-bar">
          <i style={{ width: `${share * 100}%` }} />
        </span>
        {percent(share)}
      </>
    ),
  },
  { name: 'Output', cell: ({ outputShape: shape }) => (shape.length === 0 ? 'one number' : shape.join(' × ')) },
  number('Size', ({ outputBytes }) => bytes(outputBytes)),
];

function OperatorTable({ profile, id }: { profile: StepProfile; id: string }) {
  const [order, setOrder] = useState<OperatorOrder>('time');
  const { backend, batch, stepMs, operators } = profile;
  return (
    <>
      <div class="tools">
        <Segments
          label="Order of the operators"
          name="operator-order"
          options={orders}
          value={order}
          onChoose={setOrder}
        />
        <span>
          {count(operators.length)} operators on {backend}, batch {count(batch)}: {duration(operatorsMs(profile))}{' '}
          together; the whole step takes {duration(stepMs)} when nobody watches
        </span>
        <CopyButton
          label="Copy as CSV"
          failed="Not copied"
          class="text"
          text={() => operatorsCsv({ id, profile }) ?? ''}
        />
      </div>
      <Table
        label="Operators"
        columns={columnsOf(decimalsFor(Math.max(...operators.map(({ ms }) => ms))))}
        rows={ranked(profile, order)}
        keyOf={({ place }) => place}
        isTall
      />
    </>
  );
}
