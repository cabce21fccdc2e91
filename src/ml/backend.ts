import {
  backend as currentBackend,
  findBackendFactory,
  getBackend,
  getKernel,
  ready,
  registerBackend,
  removeBackend,
  setBackend,
} from '@tensorflow/tfjs-core';
import type { BackendChoice, BackendName } from '../models/backend.ts';
import { DeviceError } from './device-error.ts';
import type { StepTimer } from './probe.ts';

export type { BackendChoice } from '../models/backend.ts';

/** What computes, and one plain sentence on why, for the person whose device it is. */
export interface Backend {
  readonly name: BackendName;
  readonly why: string;
}

const titles: Record<BackendName, string> = { webgpu: 'WebGPU', wasm: 'WebAssembly', cpu: 'plain JavaScript' };

/** Each is tried until one works. */
const orders: Record<BackendChoice, readonly BackendName[]> = {
  auto: ['webgpu', 'wasm', 'cpu'],
  webgpu: ['webgpu', 'wasm', 'cpu'],
  wasm: ['wasm', 'cpu'],
  cpu: ['cpu'],
};

/** The protocol's limit for `why`. */
const MAX_WHY = 200;

/** What each backend of this thread has done wrong so far. */
const faults = new Map<BackendName, DeviceError[]>();

/** Remembers a device's failure for the next choice. */
export function reportFault(name: BackendName, fault: DeviceError): void {
  faults.set(name, [...(faults.get(name) ?? []), fault]);
}

/** Gives every backend a new chance. */
export function forgetFaults(): void {
  faults.clear();
}

/**
 * Starts the best backend that this device has and that runs every kernel in `needs`; tfjs of this thread uses it from
 * then on. Left the choice, it times a step where there is more than one to choose from. Throws only if none works.
 */
export async function chooseBackend(
  want: BackendChoice,
  needs: readonly string[],
  timeStep: StepTimer | null = null,
): Promise<Backend> {
  const obstacles: string[] = [];
  for (const name of orders[want]) {
    const obstacle = await obstacleTo(name, want, needs);
    if (obstacle !== null) {
      obstacles.push(obstacle);
      continue;
    }
    if (name === 'webgpu' && want === 'auto' && timeStep !== null) return faster(needs, timeStep);
    const again = faults.has(name) ? 'started again after its device was lost' : 'as asked';
    const reason =
      obstacles.join('; ') || (want === 'auto' && !faults.has(name) ? 'the fastest this device has' : again);
    return { name, why: `${titles[name]}: ${reason}`.slice(0, MAX_WHY) };
  }
  const obstacle = `nothing on this device can compute the model: ${obstacles.join('; ')}. Try another browser.`;
  throw new DeviceError('unsupported', obstacle);
}

/** WebGPU works: is it faster than WebAssembly for this model? Small models often are not. */
async function faster(needs: readonly string[], timeStep: StepTimer): Promise<Backend> {
  const times = new Map<BackendName, number | null>();
  for (const name of ['webgpu', 'wasm'] as const) {
    const isThere = name === 'webgpu' || (await obstacleTo(name, 'auto', needs)) === null;
    // A backend that fails its trial is like one that is not there.
    if (isThere)
      await timeStep(name).then(
        (ms) => times.set(name, ms),
        () => {},
      );
  }
  const words = Array.from(times, ([name, ms]) => `${titles[name]} ${ms === null ? 'was not timed' : duration(ms)}`);
  const msOf = (name: BackendName) => times.get(name) ?? Number.POSITIVE_INFINITY;
  const name = msOf('wasm') < msOf('webgpu') || !times.has('webgpu') ? 'wasm' : 'webgpu';
  if (getBackend() !== name) await setBackend(name);
  return { name, why: `${titles[name]}: a step takes ${words.join(', ')}`.slice(0, MAX_WHY) };
}

const duration = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

/** Starts the backend and gives null, or says in words why it cannot be used. */
async function obstacleTo(name: BackendName, want: BackendChoice, needs: readonly string[]): Promise<string | null> {
  try {
    const failed = failedBefore(name);
    if (failed !== null) return failed;
    if (name === 'webgpu') {
      const obstacle = await obstacleToWebgpu(want === 'auto');
      if (obstacle !== null) return obstacle;
    }
    await register(name);
    if (name === 'webgpu') dropLostDevice();
    if (!(await setBackend(name))) return `${titles[name]} did not start`;
    await ready();
    if (name === 'webgpu') noteDevice();
    if (name === 'wasm') await (await import('./kernels/wasm/install.ts')).installKernels();
    const missing = needs.filter((need) => getKernel(need, name) === undefined);
    return missing.length > 0 ? `${titles[name]} cannot train this model (no ${missing.join(', ')})` : null;
  } catch (error) {
    return `${titles[name]} did not start (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** A device that was lost once is started anew; one that is lost again, or fails otherwise, is not. */
function failedBefore(name: BackendName): string | null {
  const known = faults.get(name) ?? [];
  const other = known.find(({ fault }) => fault !== 'lost');
  if (other !== undefined) return `${titles[name]} failed: ${other.message}`;
  return known.length > 1 ? `${titles[name]} lost its device ${known.length} times` : null;
}

/** The device that WebGPU runs on, once it was started. */
let device: GPUDevice | null = null;
let isGone = false;

/** tfjs keeps a backend for good, even if its device is gone: it is taken out, to be started anew. */
function dropLostDevice(): void {
  const factory = isGone ? findBackendFactory('webgpu') : undefined;
  if (factory === undefined || factory === null) return;
  removeBackend('webgpu');
  registerBackend('webgpu', factory);
}

function noteDevice(): void {
  const current = (currentBackend() as unknown as { readonly device: GPUDevice }).device;
  if (current === device) return;
  device = current;
  isGone = false;
  void current.lost.then(() => {
    isGone ||= device === current;
  });
}

async function register(name: BackendName): Promise<void> {
  switch (name) {
    case 'webgpu':
      await import('@tensorflow/tfjs-backend-webgpu');
      return;
    case 'wasm':
      (await import('./wasm.ts')).registerWasm();
      return;
    case 'cpu':
      await import('@tensorflow/tfjs-backend-cpu');
      return;
    default:
      name satisfies never;
  }
}
/** tfjs uses the adapter without looking whether there is one, so we look first. */
async function obstacleToWebgpu(refusesSoftware: boolean): Promise<string | null> {
  const { isSecureContext, navigator } = globalThis as Partial<typeof globalThis>;
  if (isSecureContext === false) return 'WebGPU needs HTTPS';
  const gpu = (navigator as { readonly gpu?: GPU } | undefined)?.gpu;
  if (gpu === undefined) return 'this browser has no WebGPU';
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null) return 'WebGPU found no graphics processor';
  if (refusesSoftware && isSoftware(adapter)) return "this device's WebGPU is a software emulation, which is slower";
  return null;
}

const softwareNames = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|software/i;

/** Browsers tell in different places: the flag moved from the adapter to its info. */
function isSoftware(adapter: GPUAdapter): boolean {
  const { info, isFallbackAdapter } = adapter as {
    readonly info?: GPUAdapterInfo;
    readonly isFallbackAdapter?: boolean;
  };
  if (isFallbackAdapter === true) return true;
  if (info === undefined) return false;
  const names = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`;
  return info.isFallbackAdapter === true || softwareNames.test(names);
}
