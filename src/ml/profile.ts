import { backend as currentBackend, engine, getBackend, type Tensor, tidy } from '@tensorflow/tfjs-core';
import type { OperatorTime } from '../observe/step-trace.ts';
import { type KernelCall, kernel, watchKernels } from './kernels/kernel.ts';
import type { LayerPass } from './network.ts';
import type { Results } from './results.ts';

/** A device warms up. */
const TIMES = 3;
/** Browsers tell the time to a tenth of a millisecond: what is short is run as often as it takes to last this long. */
const MIN_MS = 2;
const MAX_RUNS = 200;
/** What takes this long is not run again. */
const LONG_MS = 100;

type Outputs = [Tensor, ...Tensor[]];

/**
 * Times every operator of one step, in the order they run: each is run again by itself on the very inputs it had. A
 * graphics processor works through a queue, so there each is waited for, less what waiting for nothing takes.
 */
export async function operatorTimes(
  upload: () => Tensor[],
  compute: (params: readonly Tensor[], at: (place: LayerPass) => void) => Outputs,
  read: (results: Outputs) => Promise<Results>,
): Promise<readonly OperatorTime[]> {
  // Everything lives until the end; `tidy` would not wait for that.
  engine().startScope('profile');
  try {
    const params = upload();
    let place: LayerPass = { layer: '', pass: 'forward' };
    const calls: { readonly call: KernelCall; readonly place: LayerPass }[] = [];
    const at = (next: LayerPass) => {
      place = next;
    };
    const results = watchKernels(
      () => compute(params, at),
      (call) => calls.push({ call, place }),
    );
    await deviceDone();
    const idleMs = await best(deviceDone);
    const ran = async (run: () => unknown) => {
      const runs = (count: number) => async () => {
        for (let i = 0; i < count; i++) tidy(() => void run());
        await deviceDone();
      };
      const onceMs = Math.max(0, (await best(runs(1))) - idleMs);
      const count = Math.min(MAX_RUNS, Math.ceil(MIN_MS / Math.max(onceMs, MIN_MS / MAX_RUNS)));
      return count === 1 ? onceMs : Math.max(0, (await best(runs(count))) - idleMs) / count;
    };

    const operators: OperatorTime[] = [operator('parameters · upload', [sizeOf(params)], await ran(upload))];
    for (const { call, place } of calls) {
      const { name, inputs, attrs, output } = call;
      const ms = await ran(() => kernel(name, inputs, attrs));
      operators.push(operator(`${place.layer} ${place.pass} · ${name.replace(/^_/, '')}`, output.shape, ms));
    }
    const readMs = await best(() => read(results));
    return [...operators, operator('logits and gradient · read back', [sizeOf(results)], Math.max(0, readMs - idleMs))];
  } finally {
    engine().endScope();
  }
}

/** All of them are float32. */
const operator = (name: string, outputShape: readonly number[], ms: number): OperatorTime => ({
  name,
  outputShape: [...outputShape],
  outputBytes: 4 * outputShape.reduce((a, b) => a * b, 1),
  ms,
});

const sizeOf = (tensors: readonly Tensor[]) => tensors.reduce((sum, { size }) => sum + size, 0);

async function best(run: () => unknown): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TIMES && !(leastMs > LONG_MS && i > 0); i++) {
    const startMs = performance.now();
    await run();
    leastMs = Math.min(leastMs, performance.now() - startMs);
  }
  return leastMs;
}

interface WebgpuBackend {
  readonly device: GPUDevice;
  ensureCommandEncoderReady(): void;
  endComputePassEncoder(): void;
  submitQueue(): void;
}

/** WebAssembly and plain JavaScript are done when a kernel returns. */
async function deviceDone(): Promise<void> {
  if (getBackend() !== 'webgpu') return;
  const backend = currentBackend() as unknown as WebgpuBackend;
  backend.ensureCommandEncoderReady();
  backend.endComputePassEncoder();
  backend.submitQueue();
  await backend.device.queue.onSubmittedWorkDone();
}
