import { type DataName, dataSpecs } from '../models/data.ts';
import { elements } from '../models/layer.ts';
import { dropFile, keepFile, readFile } from '../store/files.ts';
import { DataError } from './data-error.ts';
import { download, isIntact } from './download.ts';
import { type DataFile, dataFiles, type Split, type SplitName } from './files.ts';
import { parseIdx } from './idx.ts';
import { generateSplit, isGenerated } from './synthetic.ts';

export interface LoadOptions {
  /** The app's address, ending in a slash; absolute when called in a Worker. */
  readonly baseUrl: string;
  onProgress?(fraction: number): void;
  /** Between tries; for tests. */
  readonly pausesMs?: readonly number[];
}

type OnProgress = (fraction: number) => void;

const underWay = new Map<string, { readonly split: Promise<Split>; readonly listeners: Set<OnProgress> }>();

/**
 * The whole split, checked. Fetched at most once by the tabs of a browser, then kept in it; a damaged copy is fetched
 * again. Rejects with `DataError`.
 */
export async function loadSplit(name: DataName, which: SplitName, options: LoadOptions): Promise<Split> {
  const { baseUrl, onProgress, pausesMs } = options;
  const key = `${baseUrl} ${name} ${which}`;
  let loading = underWay.get(key);
  if (loading === undefined) {
    const listeners = new Set<OnProgress>();
    const tell: OnProgress = (fraction) => {
      for (const listener of listeners) listener(fraction);
    };
    const split = load(name, which, { baseUrl, pausesMs, onProgress: tell }).finally(() => underWay.delete(key));
    loading = { split, listeners };
    underWay.set(key, loading);
  }
  if (onProgress) loading.listeners.add(onProgress);
  return loading.split;
}

interface RunningOptions {
  readonly baseUrl: string;
  readonly onProgress: OnProgress;
  readonly pausesMs: readonly number[] | undefined;
}

async function load(name: DataName, which: SplitName, options: RunningOptions): Promise<Split> {
  const { onProgress } = options;
  if (isGenerated(name)) return generateSplit(name, which, onProgress);
  const files = dataFiles[name][which];
  const share = files.images.sizeBytes / (files.images.sizeBytes + files.labels.sizeBytes);
  const part = (from: number, to: number) => ({
    ...options,
    onProgress: (fraction: number) => onProgress(from + fraction * (to - from)),
  });
  const imageBytes = await oneAtATime(files.images, part(0, share));
  const labelBytes = await oneAtATime(files.labels, part(share, 1));
  onProgress(1);
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
  return locks.request(`manyhands ${file.path}`, () => keptOrFetched(file, options));
}

async function keptOrFetched(file: DataFile, options: RunningOptions): Promise<Uint8Array> {
  const kept = await readFile(file.path);
  if (kept !== undefined) {
    if (isIntact(file, kept)) return kept;
    await dropFile(file.path);
  }
  const bytes = await download(file, options);
  await keepFile(file.path, bytes);
  return bytes;
}
