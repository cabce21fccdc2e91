import type { RunState, StopReason, WorkerPhase } from '../../core/server/progress.ts';
import type { Experiment, StrategyName } from '../../experiment/experiment.ts';
import { sentence } from '../../experiment/problems.ts';
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

const strategies: Readonly<Record<StrategyName, string>> = {
  single: 'This tab alone: the baseline.',
  sync: 'A round waits for all, then makes one step with their average.',
  async: 'Each gradient is applied when it arrives; nobody waits.',
  bounded: 'As async, but nobody gets too far ahead of the slowest.',
  local: 'Each takes many steps on its own, then all meet and average.',
  allreduce: 'Workers add their gradients up among themselves, past the host.',
};

/** What a strategy does, in one plain sentence. */
export const strategyWords = (strategy: StrategyName): string => strategies[strategy];

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
  const { untilLoss, maxSteps, epochs, minutes } = experiment;
  const words: Readonly<Record<StopReason, string>> = {
    loss: `Finished: test loss ≤ ${untilLoss}`,
    steps: `Finished: ${counted(maxSteps ?? 0, 'step')}`,
    epochs: `Finished: ${counted(epochs ?? 0, 'epoch')}`,
    minutes: `Finished: ${counted(minutes ?? 0, 'minute')}`,
    host: 'Finished by hand',
    diverged: 'Stopped: the loss grew beyond numbers. Lower the learning rate and start again.',
    evaluator: 'Stopped: the test set could not be evaluated in this tab. Reload the page and start again.',
  };
  return reason === null ? 'Finished' : words[reason];
}

/** A worker's state as the host sees it. */
export const workerPhaseWords: Readonly<Record<WorkerPhase, string>> = {
  preparing: 'preparing',
  ready: 'ready',
  computing: 'computing',
  held: 'waiting for others',
  paused: 'paused',
  gone: 'gone',
};

type PlainStage = Exclude<WorkerStage['kind'], 'reconnecting' | 'preparing' | 'broken'>;
const stages: Readonly<Record<PlainStage, Words>> = {
  idle: { title: 'Not started', text: 'Nothing runs before you press Contribute.' },
  connecting: { title: 'Connecting to the host', text: 'Your browser and the host are finding a way to each other.' },
  waiting: { title: 'Ready', text: 'Waiting for the host. This tab starts by itself; leave it open.' },
  training: { title: 'Training', text: 'You can use other tabs meanwhile; this one goes on in the background.' },
  paused: { title: 'Paused', text: 'Nothing is computed. Your place is kept.' },
  finishing: { title: 'Finishing', text: 'The step under way is completed and handed in, then this tab leaves.' },
  finished: { title: 'The run is finished', text: 'Thank you. If the host starts another run, this tab joins in.' },
  left: { title: 'You have left', text: 'Nothing runs any more, and you can close this tab. Thank you.' },
};

const preparations: Readonly<Record<Extract<WorkerStage, { kind: 'preparing' }>['what'], Words>> = {
  library: { title: 'Loading the software', text: 'Under 1 MB, the first time only.' },
  data: { title: 'Loading the training data', text: 'Your browser keeps it, so that the next time is quick.' },
  'warm-up': { title: 'Warming up', text: 'The first step compiles the model for your device.' },
};

/** What this tab is doing for the run, for the person who opened it. */
export function stageWords(stage: WorkerStage): Words {
  switch (stage.kind) {
    case 'reconnecting': {
      const { title, text } = troubleWords(stage.trouble);
      return { title: 'Connecting again', text: `${title}. ${text} Attempt ${stage.attempt}; this goes on by itself.` };
    }
    case 'preparing':
      return preparations[stage.what];
    case 'broken':
      return troubleWords(stage.trouble);
    default:
      return stages[stage.kind];
  }
}

/** Words by what may cure a trouble: to try again, to reload the page, or nothing here. */
const retry = (title: string, text: string): TroubleWords => ({ title, text, action: 'retry' });
const reload = (title: string, text: string): TroubleWords => ({ title, text, action: 'reload' });
const over = (title: string, text: string): TroubleWords => ({ title, text, action: 'none' });

const troubles: Readonly<Record<Trouble['code'], TroubleWords>> = {
  'no-host': retry(
    'The host is not there',
    'Its page is closed or the code is wrong. Ask the host to open the page, then try again.',
  ),
  'no-signalling': retry(
    'The server that introduces tabs does not answer',
    'Check that this device is online and that the server of this page is running, then try again.',
  ),
  'no-webrtc': reload(
    'This browser has WebRTC switched off',
    'Tabs talk to each other with it. Allow it in the settings or the privacy extension, then reload.',
  ),
  'ice-failed': retry(
    'No path between this device and the host',
    'A firewall or VPN is in between, and the server of this page passes nothing on. Join the same network as the host, or leave the VPN, and try again.',
  ),
  'not-invited': over(
    'This link does not let you in',
    'It is damaged, or the host has made a new one since. Ask the host for today’s link.',
  ),
  expired: over('This link has expired', 'A link is valid for a day. Ask the host for a new one.'),
  'code-off': retry(
    'The code alone lets nobody in',
    'Ask the host for the join link, or to allow the code on their page; then try again.',
  ),
  'too-many-tries': retry(
    'Too many wrong codes came from this network',
    'Wait a minute, and compare the code with the host’s page.',
  ),
  'not-the-host': over(
    'Whoever answered is not the host that invited you',
    'Nothing was sent. Ask the host for a new link, and do not use this network if it happens again.',
  ),
  experiment: reload(
    'This page cannot run the experiment',
    'This page may be older than the host’s: reload it. If that does not help, ask the host to change the settings.',
  ),
  // What to do depends on what is wrong with it.
  data: retry('The training data cannot be used', ''),
  device: reload('This device could not compute', 'Close other heavy tabs, then reload.'),
  software: reload(
    'A part of this page did not load',
    'Check that this device is online and that the server of this page is running, then reload.',
  ),
  unexpected: reload('Something went wrong in this page', 'Reload it; if it happens again, tell the host.'),
  'link-lost': retry(
    'The connection to the host was lost',
    'Its page was closed, or a device slept or went offline. Check that this one is online.',
  ),
  protocol: reload(
    'This page and the host have different versions',
    'Reload this page; if that does not help, ask the host to reload theirs.',
  ),
  schema: reload(
    'This page lays the model out differently from the host',
    'Reload this page to get the same version as the host.',
  ),
  full: retry('The host takes no more workers', 'Try again later, when someone has left.'),
  removed: over(
    'The host removed this worker',
    'Nothing runs here any more, and this browser is not let in again. Ask the host if this was a mistake.',
  ),
  garbled: reload(
    'The host could not read what this tab sent',
    'Reload this page; a proxy or an extension may have changed it.',
  ),
  silent: retry(
    'The host heard nothing from this tab for too long',
    'The device may have slept. Keep it awake and try again.',
  ),
  closed: over('The host closed the room', 'Nothing runs here any more, and you can close this tab.'),
};

/** What went wrong and the one thing to do about it. */
export function troubleWords(trouble: Trouble): TroubleWords {
  const words = troubles[trouble.code];
  return 'detail' in trouble ? { ...words, text: `${sentence(trouble.detail)} ${words.text}`.trim() } : words;
}

const backends: Readonly<Record<BackendChoice, string>> = {
  auto: 'whatever is fastest here',
  webgpu: 'the graphics processor (WebGPU)',
  wasm: 'the processor (WebAssembly)',
  cpu: 'the processor, slowly (JavaScript)',
};

/** What computes, in the words of somebody who chooses. */
export const backendWords = (choice: BackendChoice): string => backends[choice];
