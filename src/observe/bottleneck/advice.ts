import { conflict, type Experiment, type ExperimentKey, experimentProblems } from '../../experiment/experiment.ts';
import { flagOf } from '../../experiment/setting.ts';
import { misfitOf } from '../../models/plan.ts';
import { count, counted, duration } from '../format.ts';
import type { Bound, RunFacts, TimeSplit } from './shares.ts';

/** Something to try. */
export interface Advice {
  /** In words for a page, with nothing that only a command line has. */
  readonly text: string;
  /** The settings it changes, and nothing else; null if it changes something else than settings. */
  readonly change: Partial<Experiment> | null;
  /** The same for a command line; null where there is nothing to type. */
  readonly flags: string | null;
}

/** Something to try about settings, before it is known whether it would change anything; or about something else. */
type Idea = Advice | { readonly text: string; readonly change: Partial<Experiment> };

/** What to try about a run that is bound by this, the most promising first: only what is not so already and can be. */
export function advice(bound: Bound, found: TimeSplit, report: RunFacts): Advice[] {
  const { experiment } = report;
  return ideas(bound, found, report).flatMap((idea): Advice[] => {
    if (idea === false) return [];
    if ('flags' in idea) return [idea];
    const change = differing(experiment, idea.change);
    const isPossible = Object.keys(change).length > 0 && fits({ ...experiment, ...change });
    return isPossible ? [{ text: idea.text, change, flags: flagsOf(change) }] : [];
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

const set = (text: string, change: Partial<Experiment>): Idea => ({ text, change });
const act = (text: string, flags: string | null = null): Idea => ({ text, change: null, flags });

function ideas(bound: Bound, found: TimeSplit, { experiment, machine }: RunFacts): readonly (Idea | false)[] {
  const { strategy, evalEvery } = experiment;
  switch (bound) {
    case 'compute':
      return moreCompute(found, experiment);
    case 'network':
      return [
        ...smaller(experiment),
        strategy === 'async' && set('Compute the next step while the last push is on its way.', { overlap: true }),
        ...seldom(experiment),
      ];
    case 'server': {
      const isCrowd = found.paces.length > 1;
      const ring = { strategy: 'allreduce', down: 'float32', overlap: false } as const;
      return [
        !String(machine.userAgent).startsWith('Node') &&
          act('Let the relay be the host: it shares no tab with a page.', '--host relay'),
        ...seldom(experiment),
        isCrowd && set('Let workers add up gradients among themselves, by all-reduce.', ring),
        isCrowd && act('Use fewer workers: more of them only queue longer.'),
      ];
    }
    case 'stragglers':
      return lessWaiting(found, experiment);
    case 'staleness':
      return fresher(experiment);
    case 'evaluation': {
      // As many steps as pass in the time of one evaluation.
      const more = Math.ceil(evalEvery / Math.max(0.01, 1 - found.held));
      return [
        set(`Evaluate less often: every ${more} steps instead of ${evalEvery}.`, { evalEvery: more }),
        act('Leave training to other machines, so that the host evaluates faster.'),
      ];
    }
    default:
      return bound satisfies never;
  }
}

function moreCompute({ paces, serverBusy }: TimeSplit, { strategy }: Experiment): readonly (Idea | false)[] {
  // Until the server has no time left; hosts take no more than a thousand.
  const maxWorkers = Math.min(1000, Math.floor(paces.length / Math.max(serverBusy, 0.001)));
  return [
    strategy === 'single'
      ? set('Share the work with another machine: sync with two workers.', { strategy: 'sync', workers: 2 })
      : act(`Add workers on other machines: the server has time for about ${maxWorkers}.`),
    paces.some(({ worker: { backend } }) => backend === 'wasm' || backend === 'cpu') &&
      act('Use WebGPU where a machine has a graphics processor.', '--backend webgpu'),
  ];
}

/** Fewer bytes for each exchange. */
function smaller(experiment: Experiment): readonly (Idea | false)[] {
  const up = fits({ ...experiment, up: 'int8' }) ? 'int8' : 'float16';
  const down = fits({ ...experiment, down: 'int8' }) ? 'int8' : 'float16';
  const part = { int8: 'a quarter of', float16: 'half' };
  return [
    experiment.up.startsWith('float') && set(`Send gradients as ${up}: ${part[up]} the bytes.`, { up }),
    set(`Send parameters as ${down}: ${part[down]} the bytes.`, { down }),
  ];
}

/** Fewer exchanges for as many examples. */
function seldom({ strategy, localSteps, batch }: Experiment): readonly (Idea | false)[] {
  const more = localSteps * 2;
  const local = { strategy: 'local', localSteps: 16, overlap: false } as const;
  return [
    strategy === 'local' &&
      set(`Exchange less often: after ${more} steps instead of ${localSteps}.`, { localSteps: more }),
    strategy !== 'single' && set('Exchange only after many steps: local, with 16 steps each.', local),
    set(`Compute more for each exchange: batches of ${count(batch * 2)} instead of ${count(batch)}.`, {
      batch: batch * 2,
    }),
  ];
}

function lessWaiting({ slowest, ownMs, linkMs, paces }: TimeSplit, experiment: Experiment): readonly (Idea | false)[] {
  const { strategy, aggregate } = experiment;
  const { name, worker } = slowest.worker;
  const isLink = slowest.wayMs - linkMs > slowest.ownMs - ownMs;
  const [backup, lead] = [experiment.backup + 1, experiment.lead * 2];
  return [
    (strategy === 'sync' || strategy === 'local') &&
      backup < paces.length &&
      set(`Let rounds go on without the slowest: ${counted(backup, 'backup worker')}.`, { backup }),
    strategy === 'bounded' &&
      set(`Let workers get further ahead: ${counted(lead, 'step')} instead of ${experiment.lead}.`, { lead }),
    aggregate === 'mean' && set('Let nobody wait for anybody: async.', { strategy: 'async' }),
    isLink
      ? act(`Look at the link of ${name} (worker ${worker}): an exchange takes it ${duration(slowest.wayMs)}.`)
      : act(`Look at ${name} (worker ${worker}): if it is busy with something else, do without it.`),
  ];
}

function fresher({ strategy, maxStaleness, overlap, backup, damping }: Experiment): readonly (Idea | false)[] {
  const isAsync = strategy === 'async';
  const older = (maxStaleness ?? 0) * 2 + 1;
  return [
    isAsync &&
      maxStaleness !== null &&
      set(`Take older gradients too: up to ${counted(older, 'version')} behind instead of ${maxStaleness}.`, {
        maxStaleness: older,
      }),
    overlap && set('Let workers wait for fresh parameters: no overlap.', { overlap: false }),
    isAsync &&
      damping === 'none' &&
      set('Let old gradients count less: damped by their staleness.', { damping: 'inverse' }),
    backup > 0 &&
      set(`Wait for more of the workers: ${counted(backup - 1, 'backup worker')} instead of ${backup}.`, {
        backup: backup - 1,
      }),
    isAsync && set('Keep workers close together: bounded.', { strategy: 'bounded', overlap: false }),
    act('Use fewer workers, or do without the slowest.'),
  ];
}
