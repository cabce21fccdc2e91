import type { RunState, StopReason, WorkerPhase } from '../../core/server/progress.ts';
import type { Experiment, StrategyName } from '../../experiment/experiment.ts';
import type { BackendChoice } from '../../models/backend.ts';
import { dataTitles, modelTitles } from '../../models/plan.ts';
import { count, counted } from '../../observe/format.ts';
import type { Trouble, WorkerStage } from '../../worker/state.ts';

/** A state in words: what it is, and one sentence on what it means or what to do. */
export interface Words {
  readonly title: string;
  readonly text: string;
}

/** A trouble in words, with the button that may cure it. */
export interface TroubleWords extends Words {
  readonly action: 'retry' | 'reload' | 'none';
}

/** What the model and the data are called; names nobody knows are shown as they are. */
export function subject(experiment: Pick<Experiment, 'model' | 'data'>): string {
  const titleIn = (titles: Readonly<Record<string, string>>, name: string) =>
    Object.hasOwn(titles, name) ? titles[name] : name;
  return `${titleIn(modelTitles, experiment.model)} on ${titleIn(dataTitles, experiment.data)?.replace(/^A /, 'a ')}`;
}

/** What a strategy does, in one plain sentence. */
export function strategyWords(strategy: StrategyName): string {
  switch (strategy) {
    case 'single':
      return 'This tab alone: the baseline.';
    case 'sync':
      return 'A round waits for all, then makes one step with their average.';
    case 'async':
      return 'Each gradient is applied when it arrives; nobody waits.';
    case 'bounded':
      return 'As async, but nobody gets too far ahead of the slowest.';
    case 'local':
      return 'Each takes many steps on its own, then all meet and average.';
    case 'allreduce':
      return 'Workers add their gradients up among themselves, past the host.';
    default:
      return strategy satisfies never;
  }
}

/** What the run is doing, for the line beside its name. */
export function runWords(run: RunState | null, next: Experiment, readyWorkers: number): string {
  const { workers, strategy } = run?.experiment ?? next;
  const needed = strategy === 'single' ? 1 : workers;
  if (run === null) return needed > 1 ? `Ready to start, with ${counted(needed, 'worker')}` : 'Ready to start';
  switch (run.phase) {
    case 'waiting':
      return `Waiting for workers: ${count(readyWorkers)} of ${count(needed)} ready`;
    case 'running':
      return `Training with ${counted(readyWorkers, 'worker')}`;
    case 'paused':
      return 'Paused: workers hold their places';
    case 'finishing':
      return 'Finishing the round under way';
    case 'finished':
      return stopWords(run.stopReason, run.experiment);
    case 'failed':
      return run.stopReason === null ? 'Failed' : stopWords(run.stopReason, run.experiment);
    default:
      return run.phase satisfies never;
  }
}

/** Why a run ended. */
export function stopWords(reason: StopReason | null, experiment: Experiment): string {
  switch (reason) {
    case null:
      return 'Finished';
    case 'loss':
      return `Finished: test loss ≤ ${experiment.untilLoss}`;
    case 'steps':
      return `Finished: ${counted(experiment.maxSteps ?? 0, 'step')}`;
    case 'epochs':
      return `Finished: ${counted(experiment.epochs ?? 0, 'epoch')}`;
    case 'minutes':
      return `Finished: ${counted(experiment.minutes ?? 0, 'minute')}`;
    case 'host':
      return 'Finished by hand';
    case 'diverged':
      return 'Stopped: the loss grew beyond numbers. Lower the learning rate and start again.';
    case 'evaluator':
      return 'Stopped: the test set could not be evaluated in this tab. Reload the page and start again.';
    default:
      return reason satisfies never;
  }
}

/** A worker's state as the host sees it. */
export const workerPhaseWords: Readonly<Record<WorkerPhase, string>> = {
  greeting: 'connecting',
  preparing: 'preparing',
  ready: 'ready',
  computing: 'computing',
  held: 'waiting for others',
  paused: 'paused',
  gone: 'gone',
};

/** What this tab is doing for the run, for the person who opened it. */
export function stageWords(stage: WorkerStage): Words {
  switch (stage.kind) {
    case 'idle':
      return { title: 'Not started', text: 'Nothing runs before you press Contribute.' };
    case 'connecting':
      return { title: 'Connecting to the host', text: 'Your browser and the host are finding a way to each other.' };
    case 'reconnecting':
      return {
        title: 'Connecting again',
        text: `${troubleWords(stage.trouble).title}. ${troubleWords(stage.trouble).text} Attempt ${stage.attempt}; this goes on by itself.`,
      };
    case 'preparing':
      return preparingWords(stage.what);
    case 'waiting':
      return { title: 'Ready', text: 'Waiting for the host. This tab starts by itself; leave it open.' };
    case 'training':
      return { title: 'Training', text: 'You can use other tabs meanwhile; this one goes on in the background.' };
    case 'paused':
      return { title: 'Paused', text: 'Nothing is computed. Your place is kept.' };
    case 'finishing':
      return { title: 'Finishing', text: 'The step under way is completed and handed in, then this tab leaves.' };
    case 'finished':
      return { title: 'The run is finished', text: 'Thank you. If the host starts another run, this tab joins in.' };
    case 'left':
      return { title: 'You have left', text: 'Nothing runs any more, and you can close this tab. Thank you.' };
    case 'broken':
      return troubleWords(stage.trouble);
    default:
      return stage satisfies never;
  }
}

function preparingWords(what: Extract<WorkerStage, { kind: 'preparing' }>['what']): Words {
  switch (what) {
    case 'library':
      return { title: 'Loading the software', text: 'Under 1 MB, the first time only.' };
    case 'data':
      return { title: 'Loading the training data', text: 'Your browser keeps it, so that the next time is quick.' };
    case 'warm-up':
      return { title: 'Warming up', text: 'The first step compiles the model for your device.' };
    default:
      return what satisfies never;
  }
}

/** What went wrong and the one thing to do about it. */
export function troubleWords(trouble: Trouble): TroubleWords {
  switch (trouble.code) {
    case 'no-host':
      return {
        title: 'The host is not there',
        text: 'Its page is closed or the code is wrong. Ask the host to open the page, then try again.',
        action: 'retry',
      };
    case 'no-signalling':
      return {
        title: 'The server that introduces tabs does not answer',
        text: 'Check that this device is online and that the server of this page is running, then try again.',
        action: 'retry',
      };
    case 'no-webrtc':
      return {
        title: 'This browser has WebRTC switched off',
        text: 'Tabs talk to each other with it. Allow it in the settings or the privacy extension, then reload.',
        action: 'reload',
      };
    case 'ice-failed':
      return {
        title: 'No path between this device and the host',
        text: 'A firewall or VPN is in between, and the server of this page passes nothing on. Join the same network as the host, or leave the VPN, and try again.',
        action: 'retry',
      };
    case 'not-invited':
      return {
        title: 'This link does not let you in',
        text: 'It is damaged, or the host has made a new one since. Ask the host for the link of today.',
        action: 'none',
      };
    case 'expired':
      return {
        title: 'This link has run out',
        text: 'A link is valid for a day. Ask the host for a new one.',
        action: 'none',
      };
    case 'code-off':
      return {
        title: 'The code alone lets nobody in',
        text: 'Ask the host for the join link, or to allow the code on their page; then try again.',
        action: 'retry',
      };
    case 'too-many-tries':
      return {
        title: 'Too many wrong codes came from this network',
        text: 'Wait a minute, and compare the code with the host’s page.',
        action: 'retry',
      };
    case 'not-the-host':
      return {
        title: 'Whoever answered is not the host that invited you',
        text: 'Nothing was sent. Ask the host for a new link, and do not use this network if it happens again.',
        action: 'none',
      };
    case 'unknown-experiment':
      return {
        title: 'This page does not know the experiment',
        text: `${trouble.detail} This page may be older than the host’s: reload it.`,
        action: 'reload',
      };
    case 'data':
      return {
        title: 'The training data did not load',
        text: `${trouble.detail} Check the connection, then try again.`,
        action: 'retry',
      };
    case 'device':
      return {
        title: 'This device could not compute',
        text: `${trouble.detail} Close other heavy tabs, then reload.`,
        action: 'reload',
      };
    case 'protocol':
      return {
        title: 'This page and the host have different versions',
        text: 'Reload this page; if that does not help, ask the host to reload theirs.',
        action: 'reload',
      };
    case 'schema':
      return {
        title: 'This page lays the model out differently from the host',
        text: 'Reload this page to get the same version as the host.',
        action: 'reload',
      };
    case 'full':
      return {
        title: 'The host takes no more workers',
        text: 'Try again later, when someone has left.',
        action: 'retry',
      };
    case 'removed':
      return {
        title: 'The host removed this worker',
        text: 'Nothing runs here any more, and this browser is not let in again. Ask the host if this was a mistake.',
        action: 'none',
      };
    case 'garbled':
      return {
        title: 'The host could not read what this tab sent',
        text: 'Reload this page; a proxy or an extension may have changed it.',
        action: 'reload',
      };
    case 'silent':
      return {
        title: 'The host heard nothing from this tab for too long',
        text: 'The device may have slept. Keep it awake and try again.',
        action: 'retry',
      };
    case 'closed':
      return {
        title: 'The host closed the room',
        text: 'Nothing runs here any more, and you can close this tab.',
        action: 'none',
      };
    default:
      return trouble satisfies never;
  }
}

/** What computes, in the words of somebody who chooses. */
export function backendWords(choice: BackendChoice): string {
  switch (choice) {
    case 'auto':
      return 'whatever is fastest here';
    case 'webgpu':
      return 'the graphics processor (WebGPU)';
    case 'wasm':
      return 'the processor (WebAssembly)';
    case 'cpu':
      return 'the processor, slowly (JavaScript)';
    default:
      return choice satisfies never;
  }
}
