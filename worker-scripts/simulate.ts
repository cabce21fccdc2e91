import { errorText } from '../src/experiment/error-text.ts';
import { Simulation } from '../src/simulate/simulation.ts';
import type { FromSimulator, ToSimulator } from '../src/simulate/thread.ts';

/* Simulates off the main thread. Blocks until it is done: to cancel, end the thread. */

declare const self: DedicatedWorkerGlobalScope;

/** So many things between two looks at the clock. */
const EVENTS_AT_ONCE = 5000;
const POST_MS = 200;

const post = (message: FromSimulator) => self.postMessage(message);

self.onmessage = ({ data: { scenario, strategies } }: MessageEvent<ToSimulator>) => {
  try {
    for (const strategy of strategies) {
      const startMs = performance.now();
      let postedMs = startMs;
      const simulation = new Simulation(scenario, strategy);
      while (simulation.advance(EVENTS_AT_ONCE)) {
        if (performance.now() - postedMs < POST_MS) continue;
        postedMs = performance.now();
        post({ type: 'progress', strategy, fraction: simulation.progress, curve: simulation.result().curve });
      }
      post({ type: 'run', run: simulation.result(), tookMs: performance.now() - startMs });
    }
    post({ type: 'done' });
  } catch (error) {
    post({ type: 'failed', text: errorText(error) });
  }
};
