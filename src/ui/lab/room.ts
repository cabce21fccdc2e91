import { computed } from '@preact/signals';
import { live } from '../host/live.ts';
import { ownRun, type ShownRun } from '../host/model.ts';
import type { LabModel } from './model.ts';

/** The host of this page as its share card and inspector see it, with the run under way or the last one alone. */
export function labRoom(model: LabModel) {
  const { host, joinLink, openWorkerTab, networkWords, sharing } = model.deps;
  const experiment = model.invited;
  // The log is one object that grows.
  const seen = live(host, () => ({ state: host.state, log: host.log }));
  return {
    deps: {
      host,
      joinLink,
      openWorkerTab: () => openWorkerTab(experiment.value),
      networkWords,
      ...(sharing ? { sharing } : {}),
    },
    state: computed(() => seen.value.value.state),
    experiment,
    runs: computed((): readonly ShownRun[] => {
      const { log, state } = seen.value.value;
      return log === null ? [] : [ownRun(log, state)];
    }),
    close: seen.stop,
  };
}
export type LabRoom = ReturnType<typeof labRoom>;
