import './bottleneck.css';
import { useRef } from 'preact/hooks';
import type { Advice } from '../../observe/bottleneck/advice.ts';
import type { Bottleneck } from '../../observe/bottleneck/bottleneck.ts';
import { changedDraft, hasChange } from '../form/experiment-draft.ts';
import { useReport } from '../runs/export-report.ts';
import type { HostModel, ShownRun } from './model.ts';
import { type Steady, steady } from './steady-bottleneck.ts';

/** With fewer pushes than this the first ones, which compile and warm up, are all there is to go by. */
const FEWEST_PUSHES = 10;

/** What holds the run up, in one sentence that changes calmly, with what to try behind it. Nothing without a run. */
export function BottleneckLine({ model }: { model: HostModel }) {
  const own = model.runs.value.find(({ slot, moment }) => slot === 0 && moment !== null);
  return own === undefined ? null : <Sentence key={own.log.id} model={model} run={own} />;
}

function Sentence({ model, run }: { model: HostModel; run: ShownRun }) {
  const shown = useRef<Steady<Bottleneck> | null>(null);
  const report = useReport(run);
  const found = report !== null && report.server.applied >= FEWEST_PUSHES ? report.bottleneck : null;
  if (found !== null) {
    const isOver = report?.phase === 'finished' || report?.phase === 'failed';
    shown.current = steady(isOver ? null : shown.current, found, performance.now());
  }
  const { sentence, because, tryThis } = shown.current?.bottleneck ?? { sentence: null, because: [], tryThis: [] };
  return (
    <section class="bottleneck" aria-label="Bottleneck">
      {sentence === null ? (
        <p class="aside">What limits the run appears here after its first steps.</p>
      ) : (
        <details>
          <summary>
            <span class="sentence">{sentence}</span> <span class="more">Why, and what to try</span>
          </summary>
          <div class="reasons">
            <div>
              <h2>The numbers</h2>
              <ul>
                {because.map((words, at) => (
                  <li key={at}>{words}</li>
                ))}
              </ul>
            </div>
            <div>
              <h2>What to try</h2>
              <ol>
                {tryThis.map((advice) => (
                  <li key={advice.text}>
                    {advice.text} <TryIt model={model} advice={advice} />
                  </li>
                ))}
              </ol>
              {model.isLocked.value && tryThis.some(({ change }) => change !== null) && (
                <p class="aside" id="try-later">
                  Try it puts a change into the form of the experiment, once this run is over.
                </p>
              )}
            </div>
          </div>
        </details>
      )}
    </section>
  );
}

/** Puts the advice into the form; nothing where it is not about settings. */
function TryIt({ model, advice: { text, change } }: { model: HostModel; advice: Advice }) {
  if (change === null) return null;
  const isLocked = model.isLocked.value;
  const isThere = !isLocked && hasChange(model.draft.value, change);
  return (
    <button
      type="button"
      class="text"
      disabled={isLocked}
      aria-label={`${isThere ? 'In the form' : 'Try it'}: ${text}`}
      aria-describedby={isLocked ? 'try-later' : undefined}
      onClick={() => {
        model.draft.value = changedDraft(model.draft.value, change);
      }}
    >
      {isThere ? 'In the form' : 'Try it'}
    </button>
  );
}
