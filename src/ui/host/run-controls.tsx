import { CommandButtons } from '../parts/command-buttons.tsx';
import type { Command } from '../parts/shortcuts.ts';
import type { HostModel } from './model.ts';

/** What can be done with the run now, in the order of the buttons; one is primary, unless a saved run is to be decided on first. */
export function runCommands(model: HostModel): readonly Command[] {
  const { host, openWorkerTab } = model.deps;
  const { run } = model.state.value;
  const reading = model.reading.value;
  const command = (label: string, hint: string, key: Command['key'], act: () => void): Command => ({
    label,
    hint,
    key,
    run: act,
    isPrimary: false,
    isEnabled: true,
  });
  const primary = (...made: Parameters<typeof command>): Command => ({ ...command(...made), isPrimary: true });
  const start = (label: string): Command => ({
    ...primary(label, reading.ok ? 'Train with these settings' : 'Correct the marked settings first', ' ', () => {
      if (reading.ok) host.start(reading.experiment);
    }),
    isEnabled: reading.ok,
  });
  const finish = command('Finish', 'End after this round, evaluate, keep the result', 'f', () => host.finish());
  const reset = command('Reset', 'Drop this run; workers stay connected', 'r', () => {
    if (run !== null && run.version > 0 && model.isLocked.value) model.asksReset.value = true;
    else host.reset();
  });
  const answer = (isDropped: boolean) => () => {
    model.asksReset.value = false;
    if (isDropped) host.reset();
  };
  if (model.asksReset.value && model.isLocked.value) {
    return [
      command('Keep it', 'Go on with this run', 'escape', answer(false)),
      primary('Drop this run', 'Its curves and parameters are lost', 'r', answer(true)),
    ];
  }
  if (run === null) {
    // A saved run waits for an answer: that comes first, and no stray key may start over.
    const hasSaved = model.state.value.resumable !== null;
    return [hasSaved ? { ...start('Start'), isPrimary: false, key: null } : start('Start')];
  }
  switch (run.phase) {
    case 'waiting':
      return [reset, primary('Open a worker tab', 'Another pair of hands, here', ' ', openWorkerTab)];
    case 'running':
      return [reset, finish, primary('Pause', 'Hold all workers', ' ', () => host.pause())];
    case 'paused':
      return [reset, finish, primary('Resume', 'Go on where it stopped', ' ', () => host.resume())];
    case 'finishing':
      return [reset, { ...finish, label: 'Finishing…', isPrimary: true, isEnabled: false }];
    case 'finished':
    case 'failed':
      return [reset, start('Start again')];
    default:
      return run.phase satisfies never;
  }
}

/** The run's buttons. */
export const RunControls = ({ model }: { model: HostModel }) => <CommandButtons commands={runCommands(model)} />;
