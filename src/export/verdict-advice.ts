import { type Experiment, parseExperiment } from '../core/config.ts';
import { conflict } from '../core/conflicts.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { Bottleneck, Judged } from './bottleneck.ts';
import type { Bound } from './verdict.ts';

/** Something to try, and what it changes about the experiment; null if that is not what it changes. */
interface Idea {
  readonly text: string;
  readonly change: Partial<Experiment> | null;
}

/** What to try about a run that is held up by this, the most promising first: only what is not so already and can be. */
export function advice(bound: Bound, found: Bottleneck, report: Judged): string[] {
  const { experiment } = report;
  return ideas(bound, found, report)
    .filter(({ change }) => change === null || (changes(experiment, change) && fits({ ...experiment, ...change })))
    .map(({ text }) => text);
}

const changes = (experiment: Experiment, change: Partial<Experiment>) =>
  Object.entries(change).some(([key, value]) => experiment[key as keyof Experiment] !== value);

function fits(experiment: Experiment): boolean {
  try {
    parseExperiment(experiment);
    resolveExperiment(experiment);
    return conflict(experiment) === null;
  } catch {
    return false;
  }
}

function ideas(bound: Bound, found: Bottleneck, report: Judged): readonly Idea[] {
  const { experiment } = report;
  switch (bound) {
    case 'compute':
      return moreCompute(found, report);
    case 'network':
      return [...smaller(experiment), ...(experiment.strategy === 'async' ? [overlapIdea] : []), ...seldom(experiment)];
    case 'server': {
      const isRelay = String(report.machine.userAgent).startsWith('Node');
      const isCrowd = found.paces.length > 1;
      return [
        ...(isRelay ? [] : [plain('Let the relay be the host: it shares no tab with a page (--host relay).')]),
        ...seldom(experiment),
        ...(isCrowd ? [ringIdea, plain('Use fewer workers: more of them only queue longer.')] : []),
      ];
    }
    case 'stragglers':
      return lessWaiting(found, experiment);
    case 'staleness':
      return fresher(experiment);
    case 'evaluation': {
      // As many steps as pass in the time of one look.
      const evalEvery = Math.ceil(experiment.evalEvery / Math.max(0.01, 1 - found.held));
      const now = `now ${experiment.evalEvery}`;
      return [
        idea(`Look at the test set less often (--eval-every ${evalEvery}; ${now}).`, { evalEvery }),
        plain('Leave training to other machines, so that the host’s own looks faster.'),
      ];
    }
    default:
      return bound satisfies never;
  }
}

const plain = (text: string): Idea => ({ text, change: null });
const idea = (text: string, change: Partial<Experiment>): Idea => ({ text, change });

const ringIdea = idea('Let workers add up gradients among themselves (--strategy allreduce).', {
  strategy: 'allreduce',
  down: 'float32',
  overlap: false,
});

function moreCompute({ paces, serverBusy }: Bottleneck, { experiment }: Judged): readonly Idea[] {
  const isSlow = paces.some(({ worker }) => worker.backend === 'wasm' || worker.backend === 'cpu');
  // Until the server has no time left; hosts take no more than a thousand.
  const most = Math.min(1000, Math.floor(paces.length / Math.max(serverBusy, 0.001)));
  return [
    experiment.strategy === 'single'
      ? plain('Share the work with other machines (--strategy sync --workers 2).')
      : plain(`Add workers on other machines: the server has time for about ${most}.`),
    ...(isSlow ? [plain('Use WebGPU where a machine has a graphics processor (--backend webgpu).')] : []),
  ];
}

/** Fewer bytes for each exchange. */
function smaller(experiment: Experiment): readonly Idea[] {
  const isWide = experiment.up === 'float32' || experiment.up === 'float16';
  const up = fits({ ...experiment, up: 'int8' }) ? 'int8' : 'float16';
  const down = fits({ ...experiment, down: 'int8' }) ? 'int8' : 'float16';
  const part = { int8: 'a quarter of', float16: 'half' };
  return [
    ...(isWide ? [idea(`Send gradients in ${part[up]} the bytes (--up ${up}).`, { up })] : []),
    idea(`Send parameters in ${part[down]} the bytes (--down ${down}).`, { down }),
  ];
}

/** Fewer exchanges for as many examples. */
function seldom({ strategy, localSteps: steps, batch }: Experiment): readonly Idea[] {
  const [localSteps, larger] = [steps * 2, batch * 2];
  return [
    ...(strategy === 'local'
      ? [idea(`Exchange less often (--local-steps ${localSteps}; now ${steps}).`, { localSteps })]
      : []),
    ...(strategy === 'single' ? [] : [localIdea]),
    idea(`Compute more for each exchange (--batch ${larger}; now ${batch}).`, { batch: larger }),
  ];
}

const localIdea = idea('Exchange only after many steps (--strategy local --local-steps 16).', {
  strategy: 'local',
  overlap: false,
});
const overlapIdea = idea('Compute the next step while the last push is on its way (--overlap).', { overlap: true });

function lessWaiting({ slowest, ownMs, linkMs, paces }: Bottleneck, experiment: Experiment): readonly Idea[] {
  const { strategy, backup: reserve, lead: ahead, aggregate } = experiment;
  const { name, worker } = slowest.worker;
  const isLink = slowest.wayMs - linkMs > slowest.ownMs - ownMs;
  const [backup, lead] = [reserve + 1, ahead * 2];
  const hasBackup = (strategy === 'sync' || strategy === 'local') && backup < paces.length;
  return [
    ...(hasBackup ? [idea(`Let rounds go on without the slowest (--backup ${backup}).`, { backup })] : []),
    ...(strategy === 'bounded'
      ? [idea(`Let workers get further ahead (--lead ${lead}; now ${ahead}).`, { lead })]
      : []),
    ...(aggregate === 'mean' ? [idea('Let nobody wait for anybody (--strategy async).', { strategy: 'async' })] : []),
    isLink
      ? plain(`Look at the link of ${name} (worker ${worker}): an exchange takes it ${Math.round(slowest.wayMs)} ms.`)
      : plain(`Look at ${name} (worker ${worker}): if it is busy with something else, do without it.`),
  ];
}

function fresher({ strategy, maxStaleness: oldest, overlap, backup: reserve, damping }: Experiment): readonly Idea[] {
  const isAsync = strategy === 'async';
  const maxStaleness = (oldest ?? 0) * 2 + 1;
  const backup = reserve - 1;
  return [
    ...(oldest === null || !isAsync
      ? []
      : [idea(`Take older gradients too (--max-staleness ${maxStaleness}; now ${oldest}).`, { maxStaleness })]),
    ...(overlap ? [idea('Let workers wait for fresh parameters (without --overlap).', { overlap: false })] : []),
    ...(isAsync && damping === 'none'
      ? [idea('Let old gradients count less (--damping inverse).', { damping: 'inverse' })]
      : []),
    ...(backup >= 0 ? [idea(`Wait for more of the workers (--backup ${backup}; now ${reserve}).`, { backup })] : []),
    ...(isAsync
      ? [idea('Keep workers close together (--strategy bounded).', { strategy: 'bounded', overlap: false })]
      : []),
    plain('Use fewer workers, or do without the slowest.'),
  ];
}
