import { errorText } from '../src/experiment/error-text.ts';
import { evaluatorLoop } from '../src/host/evaluator-loop.ts';
import { anyCompute } from '../src/worker/any-compute.ts';
import type { FromTrainer, ToTrainer } from '../src/worker/thread.ts';
import { traceStep } from '../src/worker/timeline.ts';
import { workLoop } from '../src/worker/work-loop.ts';

/* The thread that computes: a worker's steps, the host's evaluations, or one step taken apart. The first message says which. */

declare const self: DedicatedWorkerGlobalScope;

const post = (message: FromTrainer) => self.postMessage(message);

async function profile({ experiment, baseUrl, backend }: Extract<ToTrainer, { type: 'profile' }>): Promise<void> {
  try {
    const { profileStep } = await import('../src/worker/profile.ts');
    post({ type: 'profiled', profile: await profileStep(experiment, baseUrl, backend) });
  } catch (error) {
    post({ type: 'profile-failed', text: errorText(error) });
  }
}

self.onmessage = ({ data }: MessageEvent<ToTrainer>) => {
  if (data.type === 'evaluate') return evaluatorLoop(data.port, data.baseUrl, data.backend);
  if (data.type === 'profile') return void profile(data);
  if (data.type !== 'work') return;
  const { baseUrl, backend, name, device, token } = data;
  const compute = anyCompute(baseUrl, backend, (chosen) => post({ type: 'view', change: { backend: chosen } }));
  const onStep = ({ version, startedMs, phases }: Parameters<Parameters<typeof workLoop>[0]['onStep']>[0]) =>
    traceStep('worker', version, startedMs, phases);
  const loop = workLoop({ compute, name, device, now: () => performance.now(), onStep }, token, post);
  self.onmessage = ({ data: next }: MessageEvent<ToTrainer>) => loop(next);
};
