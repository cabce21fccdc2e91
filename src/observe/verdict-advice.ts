import { conflict, type Experiment, type ExperimentKey, experimentProblems } from '../experiment/experiment.ts';
import { flagOf } from '../experiment/setting.ts';
import { misfitOf } from '../models/plan.ts';
import type { Bottleneck, Judged } from './bottleneck.ts';
import type { Bound } from './verdict.ts';
import { counted, time } from './verdict-numbers.ts';

/** Something to try. */
export interface Advice {
  /** In words for a page, with nothing that only a command line has. */
  readonly text: string;
  /** The settings it changes, and nothing else; null if it changes something else than settings. */
  readonly change: Partial<Experiment> | null;
  /** The same for a command line; null where there is nothing to type. */
  readonly flags: string | null;
}

/** An idea before it is known whether it would change anything. */
type Idea = Omit<Advice, 'flags'> & { readonly flags?: string };

/** What to try about a run that is held up by this, the most promising first: only what is not so already and can be. */
export function advice(bound: Bound, found: Bottleneck, report: Judged): Advice[] {
  const { experiment } = report;
  return ideas(bound, found, report).flatMap(({ text, change, flags = null }): Advice[] => {
    if (change === null) return [{ text, change, flags }];
    const changed = differing(experiment, change);
    const isPossible = Object.keys(changed).length > 0 && fits({ ...experiment, ...changed });
    return isPossible ? [{ text, change: changed, flags: flagsOf(changed) }] : [];
  });
}

/** A piece of advice as a report has it, with what to type: "Send gradients as int8: a quarter of the bytes (--up int8)." */
export const adviceWords = ({ text, flags }: Advice): string =>
  flags === null ? text : `${text.replace(/\.$/, '')} (${flags}).`;

const differing = (experiment: Experiment, change: Partial<Experiment>): Partial<Experiment> =>
  Object.fromEntries(Object.entries(change).filter(([key, value]) => experiment[key as ExperimentKey] !== value));

const flagsOf = (change: Partial<Experiment>): string =>
  Object.entries(change)
    .map(([key, value]) => {
      const flag = `--${flagOf(key)}`;
      return typeof value === 'boolean' ? `${value ? '' : 'without '}${flag}` : `${flag} ${value}`;
    })
    .join(' ');

const fits = (experiment: Experiment): boolean =>
  experimentProblems(experiment).length === 0 && misfitOf(experiment) === null && conflict(experiment) === null;

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
        ...(isRelay ? [] : [plain('Let the relay be the host: it shares no tab with a page.', '--host relay')]),
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
      return [
        idea(`Look at the test set less often: every ${evalEvery} steps instead of ${experiment.evalEvery}.`, {
          evalEvery,
        }),
        plain('Leave training to other machines, so that the host’s own looks faster.'),
      ];
    }
    default:
      return bound satisfies never;
  }
}

const plain = (text: string, flags?: string): Idea => ({ text, change: null, ...(flags ? { flags } : {}) });
const idea = (text: string, change: Partial<Experiment>): Idea => ({ text, change });

const ringIdea = idea('Let workers add up gradients among themselves, by all-reduce.', {
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
      ? idea('Share the work with another machine: sync with two workers.', { strategy: 'sync', workers: 2 })
      : plain(`Add workers on other machines: the server has time for about ${most}.`),
    ...(isSlow ? [plain('Use WebGPU where a machine has a graphics processor.', '--backend webgpu')] : []),
  ];
}

/** Fewer bytes for each exchange. */
function smaller(experiment: Experiment): readonly Idea[] {
  const isWide = experiment.up === 'float32' || experiment.up === 'float16';
  const up = fits({ ...experiment, up: 'int8' }) ? 'int8' : 'float16';
  const down = fits({ ...experiment, down: 'int8' }) ? 'int8' : 'float16';
  const part = { int8: 'a quarter of', float16: 'half' };
  return [
    ...(isWide ? [idea(`Send gradients as ${up}: ${part[up]} the bytes.`, { up })] : []),
    idea(`Send parameters as ${down}: ${part[down]} the bytes.`, { down }),
  ];
}

/** Fewer exchanges for as many examples. */
function seldom({ strategy, localSteps: steps, batch }: Experiment): readonly Idea[] {
  const [localSteps, larger] = [steps * 2, batch * 2];
  return [
    ...(strategy === 'local'
      ? [idea(`Exchange less often: after ${localSteps} steps instead of ${steps}.`, { localSteps })]
      : []),
    ...(strategy === 'single' ? [] : [localIdea]),
    idea(
      `Compute more for each exchange: batches of ${larger.toLocaleString('en')} instead of ${batch.toLocaleString('en')}.`,
      { batch: larger },
    ),
  ];
}

const localIdea = idea('Exchange only after many steps: local, with 16 steps each.', {
  strategy: 'local',
  localSteps: 16,
  overlap: false,
});
const overlapIdea = idea('Compute the next step while the last push is on its way.', { overlap: true });

function lessWaiting({ slowest, ownMs, linkMs, paces }: Bottleneck, experiment: Experiment): readonly Idea[] {
  const { strategy, backup: reserve, lead: ahead, aggregate } = experiment;
  const { name, worker } = slowest.worker;
  const isLink = slowest.wayMs - linkMs > slowest.ownMs - ownMs;
  const [backup, lead] = [reserve + 1, ahead * 2];
  const hasBackup = (strategy === 'sync' || strategy === 'local') && backup < paces.length;
  return [
    ...(hasBackup
      ? [idea(`Let rounds go on without the slowest: ${counted(backup, 'backup worker')}.`, { backup })]
      : []),
    ...(strategy === 'bounded'
      ? [idea(`Let workers get further ahead: ${counted(lead, 'step')} instead of ${ahead}.`, { lead })]
      : []),
    ...(aggregate === 'mean' ? [idea('Let nobody wait for anybody: async.', { strategy: 'async' })] : []),
    isLink
      ? plain(`Look at the link of ${name} (worker ${worker}): an exchange takes it ${time(slowest.wayMs)}.`)
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
      : [
          idea(`Take older gradients too: up to ${counted(maxStaleness, 'version')} behind instead of ${oldest}.`, {
            maxStaleness,
          }),
        ]),
    ...(overlap ? [idea('Let workers wait for fresh parameters: no overlap.', { overlap: false })] : []),
    ...(isAsync && damping === 'none'
      ? [idea('Let old gradients count less: damped by their staleness.', { damping: 'inverse' })]
      : []),
    ...(backup >= 0
      ? [idea(`Wait for more of the workers: ${counted(backup, 'backup worker')} instead of ${reserve}.`, { backup })]
      : []),
    ...(isAsync ? [idea('Keep workers close together: bounded.', { strategy: 'bounded', overlap: false })] : []),
    plain('Use fewer workers, or do without the slowest.'),
  ];
}
