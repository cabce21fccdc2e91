import { backend as currentBackend, getBackend } from '@tensorflow/tfjs-core';
import { DeviceError } from './device-error.ts';

/** Knows when the device under the current backend has failed. */
export interface DeviceWatch {
  /** What went wrong since the watch began, or null. */
  fault(): DeviceError | null;
  /** Rejects when the device goes away; never resolves. */
  readonly gone: Promise<never>;
  stop(): void;
}

/** Watches the current backend's device. Backends without one never fail in this way. */
export function watchDevice(): DeviceWatch {
  const device = getBackend() === 'webgpu' ? (currentBackend() as unknown as { device: GPUDevice }).device : null;
  if (device === null) return { fault: () => null, gone: new Promise(() => {}), stop: () => {} };
  let found: DeviceError | null = null;
  // A GPU's errors come as events, while reads of the wrong results succeed.
  const onError = ({ error }: GPUUncapturedErrorEvent) => {
    const isMemory = typeof GPUOutOfMemoryError !== 'undefined' && error instanceof GPUOutOfMemoryError;
    found ??= isMemory
      ? new DeviceError('memory', `the graphics processor has not enough memory for the model (${error.message})`)
      : new DeviceError('unsupported', `the graphics processor cannot run the model (${error.message})`);
  };
  device.addEventListener('uncapturederror', onError);
  const gone = device.lost.then(({ message }): never => {
    found ??= new DeviceError('lost', `the graphics processor went away (${message || 'no reason given'})`);
    throw found;
  });
  // Whoever races against it hears of it; nobody may be listening.
  gone.catch(() => {});
  return { fault: () => found, gone, stop: () => device.removeEventListener('uncapturederror', onError) };
}
