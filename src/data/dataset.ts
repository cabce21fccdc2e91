import { type DataName, dataSpecs } from '../models/data.ts';
import type { Labels } from '../models/labels.ts';
import { elements } from '../models/layer.ts';
import { dropFile, keepFile, readFile } from '../store/files.ts';
import { DataError, download, isIntact } from './download.ts';
import { type DataFile, dataFiles, type SplitName } from './files.ts';
import { parseIdx } from './idx.ts';
import { generateSplit, isGenerated } from './synthetic.ts';

export { DataError } from './download.ts';

/** Examples for training, or those kept apart for testing. */
export interface Split {
  readonly count: number;
  /** count × elements, 0 … 255. */
  readonly images: Uint8Array;
  readonly labels: Labels;
}

export interface LoadOptions {
  /** The app's address, ending in a slash; absolute when called in a Worker. */
  readonly baseUrl: string;
  onProgress?(fraction: number): void;
  readonly signal?: AbortSignal;
  /** Between tries; for tests. */
  readonly pausesMs?: readonly number[];
}

interface Loading {
  readonly split: Promise<Split>;
  readonly stop: AbortController;
  readonly listeners: Set<(fraction: number) => void>;
  waiting: number;
}

const underWay = new Map<string, Loading>();

/**
 * The whole split, checked. Fetched at most once by the tabs of a browser, then kept in it; a damaged copy is fetched
 * again. Rejects with `DataError`, or with the signal's reason when aborted.
 */
export async function loadSplit(name: DataName, which: SplitName, options: LoadOptions): Promise<Split> {
  options.signal?.throwIfAborted();
  const key = `${options.baseUrl} ${name} ${which}`;
  let loading = underWay.get(key);
  if (loading === undefined) {
    loading = begin(name, which, options);
    underWay.set(key, loading);
    const forget = () => underWay.delete(key);
    loading.split.then(forget, forget);
  }
  return join(key, loading, options);
}

function begin(name: DataName, which: SplitName, options: LoadOptions): Loading {
  const stop = new AbortController();
  const listeners = new Set<(fraction: number) => void>();
  const { baseUrl, pausesMs } = options;
  const onProgress = (fraction: number) => {
    for (const listener of listeners) listener(fraction);
  };
  const split = load(name, which, { baseUrl, onProgress, signal: stop.signal, ...(pausesMs && { pausesMs }) });
  return { split, stop, listeners, waiting: 0 };
}

/** One caller's aborting must not fail the others: the work stops when nobody waits for it any more. */
async function join(key: string, loading: Loading, { signal, onProgress }: LoadOptions): Promise<Split> {
  const listener = (fraction: number) => onProgress?.(fraction);
  loading.listeners.add(listener);
  loading.waiting++;
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal?.reason);
  });
  signal?.addEventListener('abort', onAbort);
  try {
    return await Promise.race([loading.split, aborted]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    loading.listeners.delete(listener);
    if (--loading.waiting === 0 && signal?.aborted) {
      loading.stop.abort(signal.reason);
      if (underWay.get(key) === loading) underWay.delete(key);
    }
  }
}

type RunningOptions = Required<Pick<LoadOptions, 'baseUrl' | 'onProgress' | 'signal'>> & Pick<LoadOptions, 'pausesMs'>;

async function load(name: DataName, which: SplitName, options: RunningOptions): Promise<Split> {
  if (isGenerated(name)) return generateSplit(name, which, options);
  const files = dataFiles[name][which];
  const share = files.images.sizeBytes / (files.images.sizeBytes + files.labels.sizeBytes);
  const imageBytes = await oneAtATime(files.images, {
    ...options,
    onProgress: (fraction) => options.onProgress(fraction * share),
  });
  const labelBytes = await oneAtATime(files.labels, {
    ...options,
    onProgress: (fraction) => options.onProgress(share + fraction * (1 - share)),
  });
  options.onProgress(1);
  const images = parseIdx(imageBytes).values;
  const labels = parseIdx(labelBytes).values;
  const { input, classes } = dataSpecs[name];
  if (images.length !== labels.length * elements(input) || labels.some((label) => label >= classes)) {
    throw new DataError(`the ${which} files of ${name} do not fit each other: report this, it is a fault of the app`);
  }
  return { count: labels.length, images, labels };
}

/** Web Locks exist only in secure contexts; elsewhere tabs that start together may each fetch a file. */
function oneAtATime(file: DataFile, options: RunningOptions): Promise<Uint8Array> {
  const { locks } = navigator as { readonly locks?: LockManager };
  if (locks === undefined) return keptOrFetched(file, options);
  return locks.request(`manyhands ${file.path}`, { signal: options.signal }, () => keptOrFetched(file, options));
}

async function keptOrFetched(file: DataFile, options: RunningOptions): Promise<Uint8Array> {
  const kept = await readFile(file.path);
  if (kept !== undefined) {
    if (isIntact(file, kept)) return kept;
    await dropFile(file.path);
  }
  options.signal.throwIfAborted();
  const bytes = await download(file, options);
  await keepFile(file.path, bytes);
  return bytes;
}
