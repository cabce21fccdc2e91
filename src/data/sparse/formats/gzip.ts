import { errorText } from '../../../experiment/error-text.ts';
import { DataError } from '../../data-error.ts';
import { chunksOf, streamOf } from '../byte-source.ts';

/** True for names that end in .gz. */
export const isGzipName = (name: string): boolean => /\.gz$/i.test(name);

/** Unpacks chunks as they come; damaged or cut-off data end in a DataError that names the file. */
export async function* gunzip(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array, void> {
  let sourceError: unknown;
  const watched = (async function* () {
    try {
      yield* chunks;
    } catch (error) {
      sourceError = error;
      throw error;
    }
  })();
  try {
    yield* chunksOf(streamOf(watched).pipeThrough(new DecompressionStream('gzip')));
  } catch (error) {
    if (sourceError !== undefined) throw sourceError;
    throw new DataError(
      `${name} cannot be unpacked: it is damaged, cut off, not gzip, or several gzip files in one (${errorText(error)}). ` +
        'Fetch it again, or unpack it first.',
    );
  }
}
