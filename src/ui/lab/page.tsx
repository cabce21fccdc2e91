import '../parts/base.css';
import '../host/host.css';
import '../inspect/inspector.css';
import './lab.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { useMemo } from 'preact/hooks';
import type { HostState } from '../../host/state.ts';
import { presets } from '../../lab/presets.ts';
import { count, NOTHING, roughly } from '../../observe/format.ts';
import { Readout } from '../charts/readout.tsx';
import { ShareCard } from '../host/share-card.tsx';
import { Inspector } from '../inspect/inspector.tsx';
import { Segments } from '../parts/choice.tsx';
import { PageNav } from '../parts/page-nav.tsx';
import { listenForShortcuts } from '../parts/shortcuts.ts';
import { fractionDone } from '../runs/run-summary.ts';
import { LabChart } from './chart.tsx';
import { LabChoice } from './choice.tsx';
import { LabControls, labCommands } from './controls.tsx';
import { LabDownloads } from './downloads.tsx';
import { LabModel, type LabPageDeps, liveRun } from './model.ts';
import { type LabRoom, labRoom } from './room.ts';
import { tabsHere } from './tab-trainer.ts';
import { LabPlan, LabTable } from './table.tsx';
import { isShortHanded, labWords } from './words.ts';

/** The share of the whole lab that is done, the run under way with its own share. */
function doneShare(model: LabModel, state: HostState): number {
  const run = liveRun(model, state);
  const now = run === null ? 0 : (fractionDone(run) ?? 0);
  return Math.min(1, (model.outcomes.value.size + now) / Math.max(1, model.runs.value.length));
}

function Status({ model, state }: { model: LabModel; state: HostState }) {
  const plan = model.plan.value;
  const progress = model.progress.value;
  const { sweep } = model.lab.value ?? model.choice.value;
  const stage = model.stage.value?.kind;
  const isStuck = stage === 'short' || (stage === 'training' && isShortHanded(state));
  const here = tabsHere(state);
  return (
    <header class="status">
      <div class="what">
        <PageNav current="Lab" isBusy={progress !== null} />
        <h1>{sweep.title}</h1>
        <p class={isStuck || !plan.ok ? 'words stuck' : 'words'} role="status">
          {labWords(model, state)}
        </p>
      </div>
      <dl class="readouts">
        <Readout name="Run" value={progress?.run ? `${progress.number} of ${progress.count}` : NOTHING} />
        <Readout name="Done" value={`${model.outcomes.value.size} of ${model.runs.value.length}`} />
        <Readout name="Tabs here" value={plan.ok ? `${here} of ${plan.maxTabs}` : count(here)} />
        <Readout name="Left, about" value={roughly(progress?.leftMs ?? null)} />
      </dl>
      <LabControls model={model} />
      <progress class="bar" aria-label="Progress of the lab" max={1} value={doneShare(model, state)} />
    </header>
  );
}

function Notices({ model, state }: { model: LabModel; state: HostState }) {
  const { note, room } = state;
  const trouble = model.trouble.value;
  return (
    <div class="notices" aria-live="polite">
      {trouble !== null && <p class="notice broken">{trouble}</p>}
      {room.problem !== null && <p class="notice broken">{room.problem}</p>}
      {note !== null && <p class={`notice ${note.kind}`}>{note.text}</p>}
    </div>
  );
}

const axes = { relative: 'Time', step: 'Step' };
const axisHints = { relative: 'By time since each run began', step: 'By step: one update of the parameters' };

function Tools({ model }: { model: LabModel }) {
  const choose = (axis: keyof typeof axes) => {
    model.axis.value = axis;
  };
  const { value } = model.axis;
  return (
    <div class="tools">
      <Segments label="Horizontal axis" name="axis" options={axes} hints={axisHints} value={value} onChoose={choose} />
      <LabDownloads key={model.lab.value?.id} model={model} />
    </div>
  );
}

function LabPage({ model, room }: { model: LabModel; room: LabRoom }) {
  const state = room.state.value;
  // It follows the host, not the lab: its QR code need not be made again for every step.
  const share = useMemo(() => <ShareCard model={room} asksTrainsHere={false} />, [room]);
  return (
    <div
      class={model.lab.value === null ? 'host lab' : 'host lab begun'}
      data-phase={model.progress.value?.phase ?? 'rest'}
    >
      <Status model={model} state={state} />
      <Notices model={model} state={state} />
      <main>
        <LabChoice model={model} room={room} />
        <section class="charts" aria-label="Curves">
          {model.lab.value === null && <p class="about aside">{model.choice.value.sweep.about}</p>}
          <LabChart model={model} state={state} />
          <Tools model={model} />
        </section>
        {share}
        <section class="tables">
          {model.lab.value === null ? (
            <LabPlan model={model} state={state} />
          ) : (
            <LabTable model={model} state={state} />
          )}
          {model.lab.value !== null && room.runs.value.length > 0 && <Inspector model={room} canProfile={false} />}
        </section>
      </main>
    </div>
  );
}

function titleOf(model: LabModel): string {
  const progress = model.progress.value;
  return progress?.run ? `run ${progress.number} of ${progress.count} · ${progress.run.label}` : 'Lab · Manyhands';
}

/** Draws the page that runs sweeps with the tabs that are connected. Returns the way to take it away, and stop what it runs. */
export function renderLabPage(root: HTMLElement, deps: Omit<LabPageDeps, 'presets'>): () => void {
  const model = new LabModel({ ...deps, presets });
  const room = labRoom(model);
  const stopTitle = effect(() => {
    const title = titleOf(model);
    if (document.title !== title) document.title = title;
  });
  const stopShortcuts = listenForShortcuts(() => labCommands(model));
  // Another tab may have run or deleted a lab meanwhile.
  const look = () => void (document.hidden || model.refresh());
  document.addEventListener('visibilitychange', look);
  render(<LabPage model={model} room={room} />, root);
  return () => {
    stopTitle();
    stopShortcuts();
    document.removeEventListener('visibilitychange', look);
    model.stop();
    room.close();
    render(null, root);
  };
}
