import '../parts/base.css';
import '../host/host.css';
import './simulate.css';
import { render } from 'preact';
import { percent, roughly } from '../../observe/format.ts';
import { PageNav } from '../parts/page-nav.tsx';
import { type Command, keyWords, listenForShortcuts } from '../parts/shortcuts.ts';
import { SimulateChart } from './chart.tsx';
import { SimulateForm } from './form.tsx';
import { createSimulateModel, type SimulateModel, type SimulatePageDeps } from './model.ts';
import { SimulateResults } from './results.tsx';

function commandOf(model: SimulateModel): Command {
  const shared = { key: ' ', isPrimary: true } as const;
  if (model.activity.value.kind === 'busy') {
    return { ...shared, label: 'Cancel', hint: 'Keep what is there', isEnabled: true, run: model.cancel };
  }
  const isEnabled = model.reading.value.ok;
  const hint = isEnabled ? 'Run every chosen strategy in virtual time' : 'Correct the marked settings first';
  return { ...shared, label: 'Simulate', hint, isEnabled, run: model.start };
}

function Status({ model }: { model: SimulateModel }) {
  const activity = model.activity.value;
  const { label, hint, key, isEnabled, run } = commandOf(model);
  const isBusy = activity.kind === 'busy';
  return (
    <header class="status">
      <div>
        <PageNav current="Simulate" isBusy={isBusy} />
        <h1>Simulate</h1>
        <p class={activity.kind === 'failed' ? 'words problem' : 'words'} role="status">
          {activity.kind === 'rest' && 'The real protocol with made-up machines and links, in virtual time.'}
          {activity.kind === 'failed' && `It could not be simulated: ${activity.text}`}
          {isBusy &&
            `${activity.strategy}: ${percent(activity.fraction, 0)} of all done${activity.leftMs === null ? '' : `, at most ${roughly(activity.leftMs)} left`}`}
        </p>
      </div>
      <div class="controls">
        <button type="button" class="primary" title={`${hint} (${keyWords(key)})`} disabled={!isEnabled} onClick={run}>
          {label}
        </button>
      </div>
      <progress class="bar" aria-label="Simulated" max={1} value={isBusy ? activity.fraction : 0} />
    </header>
  );
}

function SimulatePage({ model }: { model: SimulateModel }) {
  return (
    <div class="host simulate" data-activity={model.activity.value.kind}>
      <Status model={model} />
      <main>
        <SimulateForm model={model} />
        <section class="outcome">
          <SimulateChart model={model} />
          <SimulateResults model={model} />
        </section>
      </main>
    </div>
  );
}

/** Draws the page that compares strategies in virtual time. Returns the way to take it away, and end what it simulates. */
export function renderSimulatePage(root: HTMLElement, deps: SimulatePageDeps): () => void {
  document.title = 'Simulate · Manyhands';
  const model = createSimulateModel(deps);
  const stopShortcuts = listenForShortcuts(() => [commandOf(model)]);
  render(<SimulatePage model={model} />, root);
  return () => {
    stopShortcuts();
    model.close();
    render(null, root);
  };
}
