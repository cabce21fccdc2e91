import { checksum } from '../../core/wire/checksum.ts';
import type { ByteSource } from './byte-source.ts';

/** So much of each end is looked at: reading a large file whole only to know it again would take minutes. */
const END_BYTES = 65_536;

/** What a file is known again by. */
export interface FileIdentity {
  readonly name: string;
  readonly sizeBytes: number;
  /** Of its first and last 64 kB. */
  readonly checksum: number;
}

/** Looks at a file's size and both its ends. */
export async function identityOf(source: ByteSource): Promise<FileIdentity> {
  const { name, sizeBytes } = source;
  const head = await bytesOf(source, 0, Math.min(END_BYTES, sizeBytes));
  const tail = await bytesOf(source, Math.max(0, sizeBytes - END_BYTES), sizeBytes);
  const both = new Uint8Array(head.length + tail.length);
  both.set(head);
  both.set(tail, head.length);
  return { name, sizeBytes, checksum: checksum(both) };
}

/** Whether it is the same file, whatever it is called now. */
export const isSameFile = (a: FileIdentity, b: FileIdentity): boolean =>
  a.sizeBytes === b.sizeBytes && a.checksum === b.checksum;

async function bytesOf(source: ByteSource, from: number, until: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(until - from);
  let at = 0;
  for await (const chunk of source.open(from, until)) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
