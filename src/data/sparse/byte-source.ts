/** A file that can be read from any byte on: a browser's File, a file on a disk. */
export interface ByteSource {
  readonly name: string;
  readonly sizeBytes: number;
  /** The bytes from `fromByte` on, up to `untilByte` or the end, in chunks; stopping early closes it. */
  open(fromByte: number, untilByte?: number): AsyncIterable<Uint8Array>;
}

/** A chosen file (or any blob) as a source. */
export const blobSource = (blob: Blob, name: string): ByteSource => ({
  name,
  sizeBytes: blob.size,
  open: (fromByte, untilByte) => chunksOf(blob.slice(fromByte, untilByte).stream()),
});

/** The chunks of a stream, which is cancelled if they are not all taken; not every browser can iterate a stream itself. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    isDone = true;
  } finally {
    // A stream that failed rejects its cancel with the same error, which is on its way already.
    if (!isDone) await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}

/** All chunks in one array, nothing of them if they are longer than that: no more memory than `sizeBytes` is taken. */
export async function collect(chunks: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(sizeBytes);
  let filled = 0;
  for await (const chunk of chunks) {
    if (filled + chunk.length > sizeBytes) return bytes.subarray(0, 0);
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  return bytes.subarray(0, filled);
}

/** Chunks as a stream that takes one only when it is asked for one. */
export function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
