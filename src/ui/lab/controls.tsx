import { CommandButtons } from '../parts/command-buttons.tsx';
import type { Command } from '../parts/shortcuts.ts';
import { openReport } from './downloads.tsx';
import type { LabModel } from './model.ts';

const command = (label: string, hint: string, run: () => void): Command => ({
  label,
  hint,
  run,
  key: null,
  isPrimary: false,
  isEnabled: true,
});
const primary = (made: Command): Command => ({ ...made, key: ' ', isPrimary: true });

/** What can be done with the lab now, in the order of the buttons; the last is primary. */
export function labCommands(model: LabModel): readonly Command[] {
  const plan = model.plan.value;
  const progress = model.progress.value;
  const stop = command('Stop', 'Break off this run; it is to come again, all others are kept', () => model.stop());
  if (progress !== null) {
    if (progress.phase === 'stopping') return [{ ...primary(stop), label: 'Stopping…', isEnabled: false }];
    if (model.stage.value?.kind === 'short') {
      const open = () => model.deps.openWorkerTab(model.invited.value);
      return [
        stop,
        command('Skip such runs', 'Go on with runs that have enough workers; these stay to come', () =>
          model.skipShort(),
        ),
        primary(command('Open a worker tab', 'Another pair of hands, here', open)),
      ];
    }
    if (progress.phase === 'paused') {
      const isUnderWay = progress.run !== null;
      const hint = isUnderWay ? 'Do not pause after this run' : 'Go on with the next run';
      return [stop, primary(command(isUnderWay ? 'Do not pause' : 'Resume', hint, () => model.resume()))];
    }
    const hint = 'The run under way is the last until Resume';
    return [stop, primary(command('Pause after this run', hint, () => model.pause()))];
  }
  const canStart = model.canStart();
  const file = 'Choose the file of examples first';
  if (model.lab.value === null) {
    const isSome = plan.ok && plan.runs.some(({ key }) => !model.leftOut.value.has(key));
    const hint = !isSome ? 'Choose something that can be run' : canStart ? 'Run them one after another' : file;
    return [{ ...primary(command('Start', hint, () => model.start())), isEnabled: isSome && canStart }];
  }
  const outcomes = [...model.outcomes.value.values()];
  const isComplete = plan.ok && outcomes.length === plan.runs.length;
  const hasFailed = outcomes.some(({ failure }) => failure !== null);
  const fresh = command('New lab', 'Choose what to run; this one is kept', () => void model.show(null));
  const again = {
    ...command('Run failed again', canStart ? 'Those that failed, and what is still to come' : file, () =>
      model.startFailed(),
    ),
    isEnabled: canStart,
  };
  if (!isComplete) {
    const hint = canStart ? 'Go on with the runs that are to come' : file;
    const resume = { ...primary(command('Resume', hint, () => model.start())), isEnabled: canStart };
    return [fresh, ...(hasFailed ? [again] : []), resume];
  }
  const report = command('Open the report', 'In another tab', () => {
    const result = model.result();
    if (result !== null) openReport(result);
  });
  return hasFailed ? [fresh, report, primary(again)] : [fresh, primary(report)];
}

/** The lab's buttons. */
export const LabControls = ({ model }: { model: LabModel }) => <CommandButtons commands={labCommands(model)} />;
