import { DataError } from '../data-error.ts';
import { type BlockIndex, indexBlocks, type ReadProgress } from './block-index.ts';
import type { ByteSource } from './byte-source.ts';
import { gunzip, isGzipName } from './formats/gzip.ts';
import type { ExampleSettings } from './record-reader.ts';

/** Keeps a stream of bytes where it can be read from any byte on; `remove` gives the room back. */
export type Unpack = (
  chunks: AsyncIterable<Uint8Array>,
  name: string,
) => Promise<{ readonly source: ByteSource; remove(): Promise<void> }>;

export interface OpenOptions extends ExampleSettings {
  /** Where a packed file is unpacked to: in the middle of it nothing can be read. */
  readonly unpack: Unpack;
  onProgress(progress: ReadProgress & { readonly phase: 'unpacking' | 'reading' }): void;
}

/** A file of which any block can be read. */
export interface IndexedFile {
  /** Unpacked. */
  readonly source: ByteSource;
  readonly settings: ExampleSettings;
  readonly index: BlockIndex;
  /** Gives back the room of an unpacked copy. */
  remove(): Promise<void>;
}

/** Reads the file once from end to end. Throws a DataError with words for the user if it cannot be used. */
export async function indexFile(file: ByteSource, options: OpenOptions): Promise<IndexedFile> {
  if (file.sizeBytes === 0) throw new DataError(`${file.name} is empty: it has 0 bytes. Choose another file.`);
  const { unpack, onProgress, ...settings } = options;
  const { source, remove } = isGzipName(file.name)
    ? await unpack(unpacked(file, onProgress), file.name)
    : { source: file, remove: async () => {} };
  try {
    if (source.sizeBytes === 0) throw new DataError(`${file.name} is empty once unpacked. Choose another file.`);
    const index = await indexBlocks(source, settings, (progress) => onProgress({ ...progress, phase: 'reading' }));
    return { source, settings, index, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function unpacked(file: ByteSource, onProgress: OpenOptions['onProgress']): AsyncIterable<Uint8Array> {
  let bytesRead = 0;
  const counted = (async function* () {
    for await (const chunk of file.open(0)) {
      bytesRead += chunk.length;
      onProgress({ bytesRead, totalBytes: file.sizeBytes, examples: 0, malformed: 0, phase: 'unpacking' });
      yield chunk;
    }
  })();
  return gunzip(counted, file.name);
}
