import '../parts/base.css';
import './host.css';
import { render } from 'preact';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Host, RunLog } from '../../host/state.ts';
import { count, loss } from '../../observe/format.ts';
import { Charts } from '../charts/charts.tsx';
import { ExperimentForm } from '../form/experiment-form.tsx';
import { Inspector } from '../inspect/inspector.tsx';
import { Notices } from '../parts/notices.tsx';
import { listenForShortcuts } from '../parts/shortcuts.ts';
import { RunTable } from '../runs/run-table.tsx';
import { BottleneckLine } from './bottleneck.tsx';
import { liveTitle } from './live.ts';
import { createHostModel, type HostModel } from './model.ts';
import { runCommands } from './run-controls.tsx';
import { ShareCard, type Sharing } from './share-card.tsx';
import { StatusBar } from './status-bar.tsx';
import { WorkerTable } from './worker-table.tsx';

/** What the host page needs from outside. */
export interface HostPageDeps {
  readonly host: Host;
  /** As the URL says. */
  readonly experiment: Experiment;
  /** Words when the URL's experiment could not be read, and `experiment` is the usual one instead. */
  readonly experimentError: string | null;
  /** Called with every valid change. */
  onExperimentChange(experiment: Experiment): void;
  joinLink(code: string, experiment: Experiment): string;
  openWorkerTab(): void;
  /** Which STUN, TURN and signalling servers are used. */
  readonly networkWords: string;
  /** Absent where the room is kept by something else than this page. */
  readonly sharing?: Sharing;
  readonly runs: { list(): Promise<readonly RunLog[]>; remove(id: string): Promise<void> };
}

function HostPage({ model }: { model: HostModel }) {
  return (
    <div class="host" data-phase={model.state.value.run?.phase ?? 'none'}>
      <StatusBar model={model} />
      <Notices model={model} />
      <BottleneckLine model={model} />
      <main>
        <ExperimentForm model={model} />
        <Charts model={model} />
        <ShareCard model={model} asksTrainsHere />
        <section class="tables">
          <WorkerTable model={model} />
          <RunTable model={model} />
          <Inspector model={model} canProfile />
        </section>
      </main>
    </div>
  );
}

/** `step 1,240 · loss 0.31` while there is a run, so that the tab strip shows it. */
function titleOf(host: Host): string {
  const run = host.state.run;
  if (run === null) return 'Manyhands';
  const last = host.log?.test.at(-1) ?? host.log?.train.at(-1);
  const step = `step ${count(run.version)}`;
  return last === undefined
    ? `${step} · Manyhands`
    : `${step} · loss ${Number.isFinite(last.loss) ? last.loss.toFixed(2) : loss(last.loss)}`;
}

/** Draws the host page into `root` and keeps it up to date. Returns the way to take it away. */
export function renderHostPage(root: HTMLElement, deps: HostPageDeps): () => void {
  const model = createHostModel(deps);
  const stopTitle = liveTitle(deps.host, () => titleOf(deps.host));
  const stopShortcuts = listenForShortcuts(() => runCommands(model));
  render(<HostPage model={model} />, root);
  return () => {
    stopTitle();
    stopShortcuts();
    model.close();
    render(null, root);
  };
}
