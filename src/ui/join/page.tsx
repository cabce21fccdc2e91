import '../parts/base.css';
import './join.css';
import { render } from 'preact';
import type { BackendChoice } from '../../models/backend.ts';
import { count } from '../../observe/format.ts';
import type { WorkerControl, WorkerView } from '../../worker/state.ts';
import { type Live, live, liveTitle } from '../host/live.ts';
import { stageWords } from '../words/words.ts';
import { JoinOffer } from './offer.tsx';
import { JoinWork } from './work.tsx';

/** What the join page needs from outside. */
export interface JoinPageDeps {
  readonly control: WorkerControl;
  /** What the link says; null where it says nothing. */
  readonly invitation: {
    readonly code: string;
    readonly model: string | null;
    readonly data: string | null;
    /** The link says that workers connect to each other. */
    readonly connectsWorkers: boolean;
  };
  readonly device: {
    readonly webgpu: boolean;
    readonly isSecure: boolean;
    readonly cores: number;
    /** Null where the browser does not tell. */
    readonly memoryGb: number | null;
    readonly isPhone: boolean;
  };
  /** Whether data goes through the relay, as far as the connection is known. */
  isRelayed(): boolean;
  readonly hostPageLink: string;
  readonly initialName: string;
  setName(name: string): void;
  readonly initialBackend: BackendChoice;
  /** Called just before `contribute`. */
  setBackend(choice: BackendChoice): void;
}

function JoinPage({ deps, view }: { deps: JoinPageDeps; view: Live<WorkerView>['value'] }) {
  return (
    <div class="join" data-stage={view.value.stage.kind}>
      {view.value.stage.kind === 'idle' ? <JoinOffer deps={deps} /> : <JoinWork deps={deps} view={view.value} />}
    </div>
  );
}

function titleOf({ stage, steps }: WorkerView): string {
  if (stage.kind === 'idle') return 'Contribute · Manyhands';
  return stage.kind === 'training' ? `step ${count(steps)} · training` : `${stageWords(stage).title} · Manyhands`;
}

/** Draws the join page into `root` and keeps it up to date. Nothing is started before the click. */
export function renderJoinPage(root: HTMLElement, deps: JoinPageDeps): () => void {
  const view = live(deps.control, () => deps.control.view);
  const stopTitle = liveTitle(deps.control, () => titleOf(deps.control.view));
  render(<JoinPage deps={deps} view={view.value} />, root);
  return () => {
    view.stop();
    stopTitle();
    render(null, root);
  };
}
