import type { Phases } from '../core/wire/protocol.ts';

const colors: Record<keyof Phases, string> = {
  waitMs: 'tertiary-light',
  transferMs: 'secondary',
  decodeMs: 'primary-light',
  computeMs: 'primary',
  readMs: 'primary-dark',
  encodeMs: 'primary-light',
  sendMs: 'secondary-dark',
};

/** The phases that come before a step's parameters are there, in order, beginning with the push before; and those after. */
const before = ['encodeMs', 'sendMs', 'transferMs', 'waitMs'] as const;
const after = ['decodeMs', 'computeMs', 'readMs'] as const;

/**
 * Shows one step on a track of the browser's performance panel. A recording sees measures as they are made;
 * they are cleared at once, since the page would otherwise keep every one for ever.
 */
export function traceStep(track: string, version: number, startedMs: number, phases: Phases): void {
  let at = startedMs - before.reduce((sum, phase) => sum + phases[phase], 0);
  for (const phase of [...before, ...after]) {
    const duration = phases[phase];
    if (duration > 0) {
      const name = `mh ${phase.slice(0, -2)}`;
      const devtools = { dataType: 'track-entry', trackGroup: 'Manyhands', track, color: colors[phase] };
      performance.measure(name, { start: Math.max(0, at), duration, detail: { version, devtools } });
      performance.clearMeasures(name);
    }
    at += duration;
  }
}
