import { type DataName, dataSpecs } from '../models/data.ts';
import { elements } from '../models/layer.ts';
import { dropFile, keepFile, readFile } from '../store/files.ts';
import { DataError } from './data-error.ts';
import { type DownloadOptions, download, isIntact } from './download.ts';
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

/**
 * The whole split, checked. Fetched at most once by the tabs of a browser, then kept in it; a damaged copy is fetched
 * again. Rejects with `DataError`.
 */
export async function loadSplit(name: DataName, which: SplitName, options: LoadOptions): Promise<Split> {
  const { onProgress = () => {} } = options;
  if (isGenerated(name)) return generateSplit(name, which, onProgress);
  const files = dataFiles[name][which];
  const share = files.images.sizeBytes / (files.images.sizeBytes + files.labels.sizeBytes);
  const part = (from: number, to: number) => ({
    baseUrl: options.baseUrl,
    pausesMs: options.pausesMs,
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
function oneAtATime(file: DataFile, options: DownloadOptions): Promise<Uint8Array> {
  const { locks } = navigator as { readonly locks?: LockManager };
  if (locks === undefined) return keptOrFetched(file, options);
  return locks.request(`manyhands ${file.path}`, () => keptOrFetched(file, options));
}

async function keptOrFetched(file: DataFile, options: DownloadOptions): Promise<Uint8Array> {
  const kept = await readFile(file.path);
  if (kept !== undefined) {
    if (isIntact(file, kept)) return kept;
    await dropFile(file.path);
  }
  const bytes = await download(file, options);
  await keepFile(file.path, bytes);
  return bytes;
}
