import { checksum } from '../core/wire/checksum.ts';
import { errorText } from '../experiment/error-text.ts';
import { DataError } from './data-error.ts';
import type { DataFile } from './files.ts';
import { chunksOf } from './sparse/byte-source.ts';

const PAUSES_MS = [500, 2000] as const;
/** A connection that gives nothing for this long is given up and tried again. */
const STALL_MS = 20_000;

interface DownloadOptions {
  readonly baseUrl: string;
  onProgress(fraction: number): void;
  /** Tests pass shorter ones; there is one try more than pauses. */
  readonly pausesMs: readonly number[] | undefined;
}

/** True if the bytes are those the file must have. */
export const isIntact = (file: DataFile, bytes: Uint8Array): boolean =>
  bytes.length === file.sizeBytes && checksum(bytes) === file.checksum;

/** Fetches and unpacks a file, up to three times; what it gives is intact. Rejects with `DataError`. */
export async function download(file: DataFile, options: DownloadOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { pausesMs = PAUSES_MS } = options;
  let failure: DataError | null = null;
  for (const pauseMs of [0, ...pausesMs]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    try {
      const bytes = await fetchRaw(file, options);
      if (isIntact(file, bytes)) return bytes;
      failure = new DataError(
        `${file.path}.gz came damaged (its size or checksum is wrong): on the machine that serves this page, run ${remedy(file)}, then try again.`,
      );
    } catch (error) {
      if (error instanceof DataError) throw error;
      failure = new DataError(
        `${file.path}.gz could not be fetched in ${pausesMs.length + 1} tries: ${errorText(error)}. Check the connection, then try again.`,
      );
    }
  }
  throw failure;
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
    const response = await fetch(`${options.baseUrl}${file.path}.gz`, { signal: stall.signal });
    // A development server answers with the page itself for what it does not have.
    if (response.status === 404 || response.headers.get('content-type')?.startsWith('text/html')) {
      throw new DataError(
        `the server has no ${file.path}.gz: on the machine that serves this page, run ${remedy(file)}, then try again.`,
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

/** All that came, or nothing if that is more than expected. */
async function collect(stream: ReadableStream<Uint8Array>, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes);
  let filled = 0;
  for await (const chunk of chunksOf(stream)) {
    if (filled + chunk.length > sizeBytes) return bytes.subarray(0, 0);
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  return bytes.subarray(0, filled);
}
