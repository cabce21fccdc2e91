import { getKernel, ready, setBackend } from '@tensorflow/tfjs-core';
import type { BackendChoice, BackendName } from '../models/backend.ts';

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

/**
 * Starts the first backend that this device has and that runs every kernel in `needs`; tfjs of this thread uses it
 * from then on. Throws only if none works.
 */
export async function chooseBackend(want: BackendChoice, needs: readonly string[]): Promise<Backend> {
  const obstacles: string[] = [];
  for (const name of orders[want]) {
    const obstacle = await obstacleTo(name, want, needs);
    if (obstacle === null) {
      const reason = obstacles.join('; ') || (want === 'auto' ? 'the fastest this device has' : 'as asked');
      return { name, why: `${titles[name]}: ${reason}`.slice(0, MAX_WHY) };
    }
    obstacles.push(obstacle);
  }
  throw new Error(`nothing on this device can compute the model: ${obstacles.join('; ')}. Try another browser.`);
}

/** Starts the backend and gives null, or says in words why it cannot be used. */
async function obstacleTo(name: BackendName, want: BackendChoice, needs: readonly string[]): Promise<string | null> {
  try {
    if (name === 'webgpu') {
      const obstacle = await obstacleToWebgpu(want === 'auto');
      if (obstacle !== null) return obstacle;
    }
    await register(name);
    const missing = needs.filter((need) => getKernel(need, name) === undefined);
    if (missing.length > 0) return `${titles[name]} cannot train this model (no ${missing.join(', ')})`;
    if (!(await setBackend(name))) return `${titles[name]} did not start`;
    await ready();
    return null;
  } catch (error) {
    return `${titles[name]} did not start (${error instanceof Error ? error.message : String(error)})`;
  }
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
