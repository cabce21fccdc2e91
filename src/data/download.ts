import { checksum } from '../core/wire/checksum.ts';
import { errorText } from '../experiment/error-text.ts';
import { DataError } from './data-error.ts';
import type { DataFile } from './files.ts';
import { chunksOf, collect } from './sparse/byte-source.ts';
import { gunzip } from './sparse/formats/gzip.ts';

const PAUSES_MS = [500, 2000] as const;
/** A connection that gives nothing for this long is given up and tried again. */
const STALL_MS = 20_000;

export interface DownloadOptions {
  readonly baseUrl: string;
  onProgress(fraction: number): void;
  /** Tests pass shorter ones; there is one try more than pauses. */
  readonly pausesMs: readonly number[] | undefined;
}

/** True if the bytes are those the file must have. */
export const isIntact = (file: DataFile, bytes: Uint8Array): boolean =>
  bytes.length === file.sizeBytes && checksum(bytes) === file.checksum;

/** Fetches and unpacks a file, up to three times; what it gives is intact. Rejects with `DataError`. */
export async function download(file: DataFile, options: DownloadOptions): Promise<Uint8Array> {
  const { pausesMs = PAUSES_MS } = options;
  const name = `${file.path}.gz`;
  const remedy = `on the machine that serves this page, run ${commandFor(file)}, then try again.`;
  let failure = '';
  for (const pauseMs of [0, ...pausesMs]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    let bytes: Uint8Array | null;
    try {
      bytes = await fetchRaw(file, options);
    } catch (error) {
      const tries = pausesMs.length + 1;
      failure = `${name} could not be fetched in ${tries} tries: ${errorText(error)}. Check the connection, then try again.`;
      continue;
    }
    if (bytes === null) throw new DataError(`the server has no ${name}: ${remedy}`);
    if (isIntact(file, bytes)) return bytes;
    failure = `${name} came damaged (its size or checksum is wrong): ${remedy}`;
  }
  throw new DataError(failure);
}

/** MNIST is made by every build; other data only when asked for. */
function commandFor({ path }: DataFile): string {
  const [, name] = path.split('/');
  return name === 'mnist' ? 'npm run build' : `npx tsx scripts/fetch-data.ts ${name}, then npm run build`;
}

/** All that came, empty if it is not the file at all; null if the server does not have it. */
async function fetchRaw(file: DataFile, { baseUrl, onProgress }: DownloadOptions): Promise<Uint8Array | null> {
  const stall = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stall.abort(new Error(`nothing came for ${STALL_MS / 1000} seconds`)), STALL_MS);
  };
  alive();
  try {
    const response = await fetch(`${baseUrl}${file.path}.gz`, { signal: stall.signal });
    // A development server answers with the page itself for what it does not have.
    if (response.status === 404 || response.headers.get('content-type')?.startsWith('text/html')) return null;
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    const chunks = chunksOf(response.body);
    const first = (await chunks.next()).value ?? new Uint8Array(0);
    // Some servers have the browser unpack such files: only the first bytes tell. (An IDX file starts with zeros.)
    const isPacked = first[0] === 0x1f && first[1] === 0x8b;
    const comingBytes = (isPacked && Number(response.headers.get('content-length'))) || file.sizeBytes;
    let cameBytes = 0;
    const count = (chunk: Uint8Array) => {
      alive();
      cameBytes += chunk.length;
      onProgress(Math.min(1, cameBytes / comingBytes));
      return chunk;
    };
    const counted = async function* () {
      yield count(first);
      for await (const chunk of chunks) yield count(chunk);
    };
    return await collect(isPacked ? gunzip(counted(), file.path) : counted(), file.sizeBytes);
  } finally {
    clearTimeout(timer);
  }
}
