import type { Phases } from '../core/wire/protocol.ts';
import type { ResourceSample } from '../core/wire/resources.ts';
import { type ResourceSampler, resourceSampler, type SamplerDeps } from '../observe/resource-sampler.ts';
import type { WorkerStage, WorkerView } from './state.ts';

const SAMPLE_MS = 2000;
/** Without a step for so many looks, the tab waits for something, and nobody learns from more of them. */
const QUIET_LOOKS = 6;

/** Between steps a worker that trains shows as waiting. */
const atWork: readonly WorkerStage['kind'][] = ['training', 'waiting', 'finishing'];

export interface TabSamplerDeps extends Omit<SamplerDeps, 'busyMs'> {
  /** Of all steps so far. */
  phases(): Phases;
}

/** Samples a worker's tab. Busy is its trainer thread: what it did for a step, without the waiting. */
export const tabSampler = ({ phases, ...deps }: TabSamplerDeps): ResourceSampler =>
  resourceSampler({
    ...deps,
    busyMs() {
      const { decodeMs, computeMs, readMs, encodeMs } = phases();
      return decodeMs + computeMs + readMs + encodeMs;
    },
  });

/** Tells a sample every two seconds while a worker takes steps; at other times it has no timer and nothing watches. */
export interface SamplePacer {
  /** To be called whenever the view has changed. */
  update(view: Pick<WorkerView, 'stage' | 'phases'>): void;
  /** At once, without a last sample. */
  stop(): void;
}

export function samplePacer(sampler: ResourceSampler, tell: (sample: ResourceSample) => void): SamplePacer {
  let timer: ReturnType<typeof setInterval> | null = null;
  let seen: Phases | null = null;
  let quietLooks = 0;
  /** Raised by each stop: what was asked for before is not told after. */
  let stops = 0;

  const look = async (): Promise<void> => {
    const before = stops;
    const sample = await sampler.sample().catch(() => null);
    if (sample !== null && stops === before) tell(sample);
    if (timer === null) sampler.close();
  };
  const pause = () => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  const tick = () => {
    quietLooks += 1;
    if (quietLooks > QUIET_LOOKS) pause();
    void look();
  };

  return {
    update({ stage, phases }) {
      if (!atWork.includes(stage.kind)) {
        if (timer === null) return;
        pause();
        void look();
      } else if (phases !== seen) {
        // Replaced with each step, never changed.
        const isFirst = seen === null;
        seen = phases;
        quietLooks = 0;
        if (timer !== null || isFirst) return;
        timer = setInterval(tick, SAMPLE_MS);
        void look();
      }
    },
    stop() {
      pause();
      stops += 1;
      sampler.close();
    },
  };
}
