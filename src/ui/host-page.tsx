import './base.css';
import './host.css';
import { render } from 'preact';
import type { Experiment } from '../core/config.ts';
import type { Host, RunLog } from '../host/state.ts';
import { BottleneckLine } from './bottleneck.tsx';
import { Charts } from './charts.tsx';
import { ExperimentForm } from './experiment-form.tsx';
import { loss } from './format.ts';
import { createHostModel, type HostModel } from './host-model.ts';
import { Inspector } from './inspector.tsx';
import { liveTitle } from './live.ts';
import { Notices } from './notices.tsx';
import { runCommands } from './run-controls.tsx';
import { RunTable } from './run-table.tsx';
import { ShareCard, type Sharing } from './share-card.tsx';
import { listenForShortcuts } from './shortcuts.ts';
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
  const step = `step ${run.version.toLocaleString('en-US')}`;
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
