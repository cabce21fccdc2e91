import { checksum } from '../core/wire/checksum.ts';
import type { DataFile } from './files.ts';

/** Why data could not be had, in words for the person at the page. */
export class DataError extends Error {
  override readonly name = 'DataError';
}

const PAUSES_MS = [500, 2000] as const;
/** A connection that gives nothing for this long is given up and tried again. */
const STALL_MS = 20_000;

export interface DownloadOptions {
  readonly baseUrl: string;
  readonly signal: AbortSignal;
  onProgress(fraction: number): void;
  /** Tests pass shorter ones; there is one try more than pauses. */
  readonly pausesMs?: readonly number[];
}

/** True if the bytes are those the file must have. */
export const isIntact = (file: DataFile, bytes: Uint8Array): boolean =>
  bytes.length === file.sizeBytes && checksum(bytes) === file.checksum;

/** Fetches and unpacks a file, up to three times; what it gives is intact. */
export async function download(file: DataFile, options: DownloadOptions): Promise<Uint8Array<ArrayBuffer>> {
  const pausesMs = options.pausesMs ?? PAUSES_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      const bytes = await fetchRaw(file, options);
      if (isIntact(file, bytes)) return bytes;
      throw new Error('what came is not the file expected (its checksum is wrong)');
    } catch (error) {
      options.signal.throwIfAborted();
      const pauseMs = pausesMs[attempt];
      if (error instanceof DataError) throw error;
      if (pauseMs === undefined) {
        const why = error instanceof Error ? error.message : String(error);
        throw new DataError(
          `${file.path}.gz could not be fetched in ${attempt + 1} tries: ${why}. Check the connection and try again.`,
        );
      }
      await pause(pauseMs, options.signal);
    }
  }
}

/** MNIST is made by every build; other data only when asked for. */
const remedy = ({ path }: DataFile): string => {
  const [, name] = path.split('/');
  return name === 'mnist' ? 'npm run build' : `npx tsx scripts/fetch-data.ts ${name}, then npm run build`;
};

async function fetchRaw(file: DataFile, options: DownloadOptions): Promise<Uint8Array<ArrayBuffer>> {
  const stall = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stall.abort(new Error(`nothing came for ${STALL_MS / 1000} seconds`)), STALL_MS);
  };
  alive();
  try {
    const signal = AbortSignal.any([options.signal, stall.signal]);
    const response = await fetch(`${options.baseUrl}${file.path}.gz`, { signal });
    // A development server answers with the page itself for what it does not have.
    if (response.status === 404 || response.headers.get('content-type')?.startsWith('text/html')) {
      throw new DataError(
        `the server has no ${file.path}.gz: on the machine that serves this page, run ${remedy(file)}`,
      );
    }
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    const sizeBytes = Number(response.headers.get('content-length'));
    const counter = counting(alive, (received, isPacked) => {
      const total = isPacked && sizeBytes > 0 ? sizeBytes : file.sizeBytes;
      options.onProgress(Math.min(1, received / total));
    });
    return await collect(await unpacked(response.body.pipeThrough(counter)), file.sizeBytes);
  } finally {
    clearTimeout(timer);
  }
}

const isGzip = (chunk: Uint8Array) => chunk[0] === 0x1f && chunk[1] === 0x8b;

function counting(alive: () => void, report: (received: number, isPacked: boolean) => void) {
  let received = 0;
  let isPacked = false;
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      alive();
      if (received === 0) isPacked = isGzip(chunk);
      received += chunk.length;
      report(received, isPacked);
      controller.enqueue(chunk);
    },
  });
}

/**
 * Some servers send `.gz` files with `Content-Encoding: gzip`, and then the browser has already unpacked them:
 * only the first bytes tell. (An IDX file starts with zeros, so it is never mistaken for gzip.)
 */
async function unpacked(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<ReadableStream<Uint8Array>> {
  const [peeked, whole] = stream.tee();
  const reader = peeked.getReader();
  const first = await reader.read();
  void reader.cancel();
  if (first.done || !isGzip(first.value)) return whole;
  return whole.pipeThrough(new DecompressionStream('gzip'));
}

async function collect(stream: ReadableStream<Uint8Array>, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes);
  let filled = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (filled + part.value.length > sizeBytes) {
      void reader.cancel();
      throw new Error(`more than the expected ${sizeBytes} bytes came`);
    }
    bytes.set(part.value, filled);
    filled += part.value.length;
  }
  if (filled < sizeBytes) throw new Error(`${filled} bytes came instead of ${sizeBytes}`);
  return bytes;
}

function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, pauseMs);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
