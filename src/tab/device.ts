import { pressures, type ResourceSample } from '../core/wire/resources.ts';
import type { Gauges } from '../observe/resource-sampler.ts';

/** A browser and an operating system in a few words, for the host's table: "Chrome 156 · Linux". */
export function deviceName(userAgent: string): string {
  const browsers: [string, RegExp][] = [
    ['Edge', /Edg\/(\d+)/],
    ['Firefox', /Firefox\/(\d+)/],
    ['Chrome', /Chrome\/(\d+)/],
    ['Safari', /Version\/(\d+).*Safari/],
  ];
  const systems: [string, RegExp][] = [
    ['Android', /Android/],
    ['iOS', /iPhone|iPad/],
    ['ChromeOS', /CrOS/],
    ['macOS', /Mac OS X/],
    ['Windows', /Windows/],
    ['Linux', /Linux/],
  ];
  const browser = browsers
    .map(([name, pattern]) => [name, pattern.exec(userAgent)?.[1]])
    .find(([, version]) => version);
  const system = systems.find(([, pattern]) => pattern.test(userAgent));
  return [browser?.join(' ') ?? 'Unknown browser', system?.[0]].filter(Boolean).join(' · ');
}

/** What the browser says about the device. Asks for nothing and starts nothing. */
export function deviceCheck() {
  const { hardwareConcurrency, userAgent } = navigator;
  const { deviceMemory } = navigator as Navigator & { deviceMemory?: number };
  return {
    webgpu: 'gpu' in navigator,
    isSecure: isSecureContext,
    cores: hardwareConcurrency,
    memoryGb: deviceMemory ?? null,
    isPhone: /Android|iPhone|Mobile/.test(userAgent),
  };
}

/** Keeps the screen on while a worker contributes, where the browser allows it: a phone that sleeps stops computing. */
export function screenKeeper(): (isActive: boolean) => void {
  let lock: WakeLockSentinel | null = null;
  let wants = false;
  const ask = async () => {
    if (!wants || !('wakeLock' in navigator) || document.visibilityState !== 'visible') return;
    lock = await navigator.wakeLock.request('screen').catch(() => null);
  };
  document.addEventListener('visibilitychange', ask);
  return (isActive) => {
    wants = isActive;
    if (isActive) void ask();
    else void lock?.release();
  };
}

/** The browser sums up what all sites keep: asked now and then. */
const STORAGE_MS = 10_000;
/** It waits for a garbage collection. */
const MEASURE_MS = 30_000;

/** lib.dom knows neither; both are Chromium's so far. */
interface ChromiumMemory {
  readonly memory?: { readonly usedJSHeapSize: number };
  measureUserAgentSpecificMemory?(): Promise<{ readonly bytes: number }>;
}
type Pressure = ResourceSample['pressure'];
interface PressureWatch {
  observe(source: 'cpu', options: { sampleInterval: number }): Promise<void>;
  disconnect(): void;
}
type PressureWatchClass = new (onRecords: (records: readonly { readonly state: string }[]) => void) => PressureWatch;

/**
 * What a tab can tell about itself. Memory is the JavaScript heap of the page's main thread: its other threads, wasm and GPU
 * memory are not in it. A cross-origin isolated page tells all of its threads' memory. Of a tab's true memory only the
 * operating system knows.
 */
export function tabGauges(): Gauges {
  const chromium = performance as Performance & ChromiumMemory;
  let pressure: Pressure = null;
  const watch = watchPressure((state) => {
    pressure = state;
  });
  const storageBytes = nowAndThen(STORAGE_MS, async () => (await navigator.storage?.estimate())?.usage ?? null);
  const wholeBytes = nowAndThen(MEASURE_MS, async () =>
    crossOriginIsolated ? ((await chromium.measureUserAgentSpecificMemory?.())?.bytes ?? null) : null,
  );
  return {
    read: async () => ({
      cpuMs: null,
      memoryBytes: wholeBytes() ?? chromium.memory?.usedJSHeapSize ?? null,
      readBytes: null,
      writtenBytes: null,
      storageBytes: storageBytes(),
      pressure,
    }),
    close: () => watch?.disconnect(),
  };
}

/** The last answer, at once; asks again when it is older than that. */
function nowAndThen(everyMs: number, ask: () => Promise<number | null>): () => number | null {
  let [askedMs, answer]: [number, number | null] = [Number.NEGATIVE_INFINITY, null];
  return () => {
    if (performance.now() - askedMs >= everyMs) {
      askedMs = performance.now();
      ask().then(
        (value) => {
          answer = value;
        },
        () => {},
      );
    }
    return answer;
  };
}

/** Not there without a secure context, and a policy may forbid it. */
function watchPressure(onState: (state: Pressure) => void): PressureWatch | null {
  const { PressureObserver } = globalThis as { PressureObserver?: PressureWatchClass };
  try {
    const watch = PressureObserver
      ? new PressureObserver((records) => onState(pressures.find((known) => known === records.at(-1)?.state) ?? null))
      : null;
    watch?.observe('cpu', { sampleInterval: 2000 }).catch(() => {});
    return watch;
  } catch {
    return null;
  }
}
