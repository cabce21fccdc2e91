import type { HostState } from '../../host/state.ts';
import { workersOf } from '../../lab/summary.ts';
import type { SweepRun } from '../../lab/sweep.ts';
import { counted } from '../../observe/format.ts';
import { runWords } from '../words/words.ts';
import type { LabModel } from './model.ts';

const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are');

/** What a run is called: its label, and which repeat it is where there are several. */
export const runName = ({ label, repeat }: SweepRun, repeats: number): string =>
  repeats > 1 ? `${label}, ${repeat} of ${repeats}` : label;

/** That a run waits for tabs, and what to do. */
export function shortWords(name: string, needed: number, here: number): string {
  const missing = needed - here;
  const todo = missing === 1 ? 'Open another tab' : `Open ${missing} more tabs`;
  return `${name}: needs ${counted(needed, 'worker')}, ${here} ${isOrAre(here)} here. ${todo}.`;
}

const workersLeft = ({ workers }: HostState): number => workers.filter(({ phase }) => phase !== 'gone').length;

/** Whether somebody left in the middle of a run, and nobody took the place. */
export const isShortHanded = (state: HostState): boolean =>
  state.run?.phase === 'running' && workersLeft(state) < workersOf(state.run.experiment);

/** That somebody left in the middle of a run. */
const lostWords = (left: number, asked: number): string =>
  `only ${left} of ${counted(asked, 'worker')} ${isOrAre(left)} left, so that it will not count. ${left === 0 ? 'Open a tab, or stop.' : 'Stop, or let it end.'}`;

/** How far the lab has come, for the line beside its name. */
export function labWords(model: LabModel, state: HostState): string {
  const plan = model.plan.value;
  if (!plan.ok) return `This sweep cannot be run. ${plan.problems[0] ?? ''}`;
  const { runs, maxTabs, repeats } = plan;
  const lab = model.lab.value;
  const progress = model.progress.value;
  if (lab === null) {
    const tabs = maxTabs === 0 ? 'all in this tab' : `with up to ${counted(maxTabs, 'worker tab')}`;
    const file = plan.needsFile && model.examples.value.kind !== 'chosen' ? ' Choose the file of examples first.' : '';
    return `${counted(runs.length - model.leftOut.value.size, 'run')} ${tabs}.${file} Nothing is computed before you press Start.`;
  }
  const outcomes = [...model.outcomes.value.values()];
  if (progress === null) {
    const failed = outcomes.filter(({ failure }) => failure !== null).length;
    const bad = failed === 0 ? '' : `, ${failed} failed`;
    if (plan.needsFile && outcomes.length < runs.length && model.examples.value.kind !== 'chosen')
      return `${outcomes.length} of ${counted(runs.length, 'run')} ${isOrAre(outcomes.length)} over${bad}; choose the file of examples to go on`;
    if (outcomes.length === runs.length)
      return `${runs.length === 1 ? 'The run is' : `All ${counted(runs.length, 'run')} are`} over${bad}`;
    return `${outcomes.length} of ${counted(runs.length, 'run')} ${isOrAre(outcomes.length)} over${bad}; Resume goes on with the rest`;
  }
  if (progress.phase === 'stopping') return 'Stopping';
  if (progress.run === null) {
    return progress.phase === 'paused'
      ? `Paused: ${counted(progress.missing.length, 'run')} to come`
      : 'Between two runs';
  }
  const name = runName(progress.run, repeats);
  const pausing = progress.phase === 'paused' ? '; pauses after this run' : '';
  const stage = model.stage.value;
  switch (stage?.kind) {
    case 'short':
      return shortWords(name, stage.needed, stage.here);
    case 'rounding-off':
      return `${name}: ${stage.text}${pausing}`;
    case 'training': {
      const able = state.workers.filter(({ phase }) => phase === 'ready' || phase === 'computing' || phase === 'held');
      const ready = Math.min(able.length, workersOf(progress.run.experiment));
      if (isShortHanded(state)) {
        return `${name}: ${lostWords(workersLeft(state), workersOf(progress.run.experiment))}${pausing}`;
      }
      return `${name}: ${runWords(state.run, progress.run.experiment, ready).toLowerCase()}${pausing}`;
    }
    default:
      return `${name}: starting${pausing}`;
  }
}
