import './status-bar.css';
import { emulatedWords } from '../../experiment/emulated.ts';
import { clock, count, loss, NOTHING, percent, rate, roughly } from '../../observe/format.ts';
import { Readout } from '../charts/readout.tsx';
import { PageNav } from '../parts/page-nav.tsx';
import { fractionDone } from '../runs/run-summary.ts';
import { runWords, subject } from '../words/words.ts';
import type { HostModel } from './model.ts';
import { RunControls } from './run-controls.tsx';

const readyPhases = ['ready', 'computing', 'held'];

/** What the run is doing, or what keeps it from it. */
function statusOf(model: HostModel, ready: number): { readonly words: string; readonly isBad: boolean } {
  const { run } = model.state.value;
  if (!model.isLocked.value && !model.reading.value.ok)
    return { words: 'A setting is marked in the form: correct it to start', isBad: true };
  if (run?.phase === 'running' && ready === 0)
    return { words: 'No worker is ready: training goes on as soon as one is', isBad: true };
  return { words: runWords(run, model.experiment.value, ready), isBad: run?.phase === 'failed' };
}

/** The top of the host page: what is trained, how it stands, and the next thing to do. */
export function StatusBar({ model }: { model: HostModel }) {
  const { run, workers } = model.state.value;
  const present = workers.filter(({ phase }) => readyPhases.includes(phase));
  const test = model.deps.host.log?.test.at(-1);
  const pace = present.reduce((sum, worker) => sum + worker.examplesPerSecond, 0);
  const emulated = emulatedWords(model.experiment.value);
  const { words, isBad } = statusOf(model, present.length);
  const done = run === null ? 0 : fractionDone(run);
  return (
    <header class="status">
      <div class="what">
        <PageNav current="Train" isBusy={model.isLocked.value} />
        <h1>
          {subject(model.experiment.value)}
          {emulated !== null && (
            <span class="emulated" title={emulated}>
              {' emulated'}
            </span>
          )}
        </h1>
        <p class={isBad ? 'words bad' : 'words'} aria-live="polite">
          {words}
        </p>
      </div>
      <dl class="readouts">
        <Readout name="Step" value={run === null ? NOTHING : count(run.version)} />
        <Readout name="Test loss" value={loss(test?.loss)} />
        <Readout name="Accuracy" value={percent(test?.accuracy)} />
        {typeof test?.auc === 'number' && <Readout name="AUC" value={test.auc.toFixed(3)} />}
        <Readout name="Examples/s" value={run?.phase === 'running' ? rate(pace) : NOTHING} />
        <Readout name="Elapsed" value={run === null ? NOTHING : clock(run.elapsedMs)} />
        <Readout name="Left, about" value={run?.phase === 'running' ? roughly(run.leftMs) : NOTHING} />
      </dl>
      <RunControls model={model} />
      <progress
        class="bar"
        aria-label="Progress of the run"
        max={1}
        value={done ?? undefined}
        title={done === null ? 'Runs until the loss is reached; how long cannot be foreseen' : percent(done, 0)}
      />
    </header>
  );
}
