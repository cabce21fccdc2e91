import './operators.css';
import { useState } from 'preact/hooks';
import type { Experiment } from '../../experiment/experiment.ts';
import { operatorsCsv } from '../../export/run-tables.ts';
import type { Host } from '../../host/state.ts';
import { bytes, count, duration, percent } from '../../observe/format.ts';
import type { StepProfile } from '../../observe/step-trace.ts';
import { Scroll } from '../parts/scroll.tsx';
import { subject } from '../words/words.ts';
import type { Inspected } from './inspected.ts';
import { type OperatorOrder, operatorsMs, ranked } from './operators-order.ts';

type Profiling =
  | { readonly kind: 'idle' }
  | { readonly kind: 'working' }
  | { readonly kind: 'failed'; readonly words: string }
  | { readonly kind: 'done'; readonly profile: StepProfile };

interface OperatorsProps {
  readonly host: Host;
  readonly experiment: Experiment;
  /** Null while there is no run at all: a step can be taken apart before the first. */
  readonly inspected: Inspected | null;
}

/** One step operator by operator: what the time of computing is made of. */
export function OperatorsTab({ host, experiment, inspected }: OperatorsProps) {
  const [profiling, setProfiling] = useState<Profiling>({ kind: 'idle' });
  const profile = profiling.kind === 'done' ? profiling.profile : (inspected?.log.profile ?? null);
  const start = () => {
    setProfiling({ kind: 'working' });
    host.profile(experiment).then(
      (made) => setProfiling({ kind: 'done', profile: made }),
      (error: unknown) => setProfiling({ kind: 'failed', words: (error as Error).message }),
    );
  };
  // The host keeps a profile with its own run: that of another experiment would be wrong there.
  const isElsewhere = inspected !== null && inspected.now === null && host.log !== null;
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
        <OperatorTable profile={profile} id={inspected?.log.id ?? ''} />
      )}
    </div>
  );
}

const sorts: readonly [OperatorOrder, string][] = [
  ['time', 'Slowest first'],
  ['ran', 'As they ran'],
];

/** As many decimals for a whole column as its largest needs: most operators are over before a tenth of a millisecond is. */
const decimalsFor = (mostMs: number): number => (mostMs < 9.9995 ? 3 : mostMs < 99.995 ? 2 : 1);

function OperatorTable({ profile, id }: { profile: StepProfile; id: string }) {
  const [order, setOrder] = useState<OperatorOrder>('time');
  const [isCopied, setCopied] = useState(false);
  const { backend, batch, stepMs, operators } = profile;
  const decimals = decimalsFor(Math.max(...operators.map(({ ms }) => ms)));
  const copy = () => {
    void navigator.clipboard.writeText(operatorsCsv({ id, profile }) ?? '').then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <>
      <div class="tools">
        <div class="segments" role="radiogroup" aria-label="Order of the operators">
          {sorts.map(([name, words]) => (
            <label key={name}>
              <input type="radio" name="operator-order" checked={order === name} onChange={() => setOrder(name)} />
              <span>{words}</span>
            </label>
          ))}
        </div>
        <span>
          {count(operators.length)} operators on {backend}, batch {count(batch)}: {duration(operatorsMs(profile))}{' '}
          together; the whole step takes {duration(stepMs)} when nobody watches
        </span>
        <button type="button" class="text" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy as CSV'}
        </button>
      </div>
      <Scroll label="Operators" isTall>
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                Order
              </th>
              <th scope="col">Operator</th>
              <th scope="col" class="number">
                Time
              </th>
              <th scope="col">Share</th>
              <th scope="col">Output</th>
              <th scope="col" class="number">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {ranked(profile, order).map(({ place, name, outputShape, outputBytes, ms, share }) => (
              <tr key={place}>
                <td class="number">{place}</td>
                <th scope="row">{name}</th>
                <td class="number">{`${ms.toFixed(decimals)}\u00a0ms`}</td>
                <td>
                  <span class="share-bar">
                    <i style={{ width: `${share * 100}%` }} />
                  </span>
                  {percent(share)}
                </td>
                <td>{outputShape.length === 0 ? 'one number' : outputShape.join(' × ')}</td>
                <td class="number">{bytes(outputBytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
