import { evaluateLoop } from '../src/host/evaluate-loop.ts';
import { anyCompute } from '../src/worker/any-compute.ts';
import type { FromTrainer, ToTrainer } from '../src/worker/thread.ts';
import { traceStep } from '../src/worker/timeline.ts';
import { workLoop } from '../src/worker/work-loop.ts';

/* The thread that computes: either a worker's steps or the host's evaluations. The first message says which. */

declare const self: DedicatedWorkerGlobalScope;

const post = (message: FromTrainer) => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<ToTrainer>) => {
  if (data.type === 'evaluate') return evaluateLoop(data.port, data.baseUrl, data.backend);
  if (data.type !== 'work') return;
  const { baseUrl, backend, name, device, token } = data;
  const compute = anyCompute(baseUrl, backend, (chosen) => post({ type: 'view', change: { backend: chosen } }));
  const onStep = ({ version, startedMs, phases }: Parameters<Parameters<typeof workLoop>[0]['onStep']>[0]) =>
    traceStep('worker', version, startedMs, phases);
  const loop = workLoop({ compute, name, device, now: () => performance.now(), onStep }, token, post);
  self.onmessage = ({ data: next }: MessageEvent<ToTrainer>) => loop(next);
};
