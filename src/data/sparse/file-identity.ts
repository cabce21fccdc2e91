import { checksum } from '../../core/wire/checksum.ts';
import { type ByteSource, collect } from './byte-source.ts';

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
  const endBytes = Math.min(END_BYTES, sizeBytes);
  const head = await collect(source.open(0, endBytes), endBytes);
  const tail = await collect(source.open(sizeBytes - endBytes, sizeBytes), endBytes);
  return { name, sizeBytes, checksum: checksum(tail, checksum(head)) };
}

/** Whether it is the same file, whatever it is called now. */
export const isSameFile = (a: FileIdentity, b: FileIdentity): boolean =>
  a.sizeBytes === b.sizeBytes && a.checksum === b.checksum;
