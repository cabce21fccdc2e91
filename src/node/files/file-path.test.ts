import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ByteSource } from '../../data/sparse/byte-source.ts';
import { diskFiles } from './file-path.ts';

const bytes = Uint8Array.from({ length: 700_000 }, (_, i) => i % 251);

async function read(source: ByteSource, from: number, until?: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.open(from, until)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* chunks() {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

it('a path and an unpacked file give the bytes of any range, at once and again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-test-'));
  const path = join(folder, 'a.tsv');
  await writeFile(path, bytes);
  const unpacked = await diskFiles.unpack(chunks(), 'b.tsv.gz');
  try {
    for (const source of [await diskFiles.open(path), unpacked.source]) {
      expect(source.sizeBytes).toBe(bytes.length);
      const ranges = [[0], [300_000], [5, 12], [262_144, 600_001], [9, 9], [699_999]] as const;
      const all = await Promise.all([...ranges, ...ranges].map(([from, until]) => read(source, from, until)));
      [...ranges, ...ranges].forEach(([from, until], i) => {
        expect(all[i]?.equals(bytes.subarray(from, until))).toBe(true);
      });
    }
  } finally {
    await unpacked.remove();
    await rm(folder, { recursive: true });
  }
});
