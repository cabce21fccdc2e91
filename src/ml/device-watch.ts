import { backend as currentBackend, getBackend } from '@tensorflow/tfjs-core';
import { DeviceError } from './device-error.ts';

/** Knows when the device under the current backend has failed. */
export interface DeviceWatch {
  /** What went wrong since the watch began, or null. */
  fault(): DeviceError | null;
  /** What the work comes to, or a rejection as soon as the device goes away. Holds on to nothing once the work is over. */
  unlessGone<Result>(work: Promise<Result>): Promise<Result>;
  stop(): void;
}

/** Watches the current backend's device. Backends without one never fail in this way. */
export function watchDevice(): DeviceWatch {
  const device = getBackend() === 'webgpu' ? (currentBackend() as unknown as { device: GPUDevice }).device : null;
  if (device === null) return { fault: () => null, unlessGone: (work) => work, stop: () => {} };
  let found: DeviceError | null = null;
  // A GPU's errors come as events, while reads of the wrong results succeed.
  const onError = ({ error }: GPUUncapturedErrorEvent) => {
    const isMemory = typeof GPUOutOfMemoryError !== 'undefined' && error instanceof GPUOutOfMemoryError;
    found ??= isMemory
      ? new DeviceError('memory', `the graphics processor has not enough memory for the model (${error.message})`)
      : new DeviceError('unsupported', `the graphics processor cannot run the model (${error.message})`);
  };
  device.addEventListener('uncapturederror', onError);
  // Not a race against `device.lost`: that promise would keep the result of every step for as long as the device lives.
  const underWay = new Set<(error: DeviceError) => void>();
  void device.lost.then(({ message }) => {
    found ??= new DeviceError('lost', `the graphics processor went away (${message || 'no reason given'})`);
    for (const reject of underWay) reject(found);
  });
  return {
    fault: () => found,
    unlessGone: (work) =>
      new Promise((resolve, reject) => {
        underWay.add(reject);
        work.then(resolve, reject).finally(() => underWay.delete(reject));
      }),
    stop: () => device.removeEventListener('uncapturederror', onError),
  };
}
