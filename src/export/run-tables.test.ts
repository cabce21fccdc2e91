import { expect, test } from 'vitest';
import { reportOf, workerReport } from './report-for-tests.ts';
import { bytesCsv, operatorsCsv, resourcesCsv, workerCurvesCsv, workersCsv } from './run-tables.ts';

/** Rows by the names of their columns; no cell of these tests has a line break. */
function rows(text: string): Record<string, string>[] {
  expect(text.endsWith('\r\n')).toBe(true);
  const [head = [], ...lines] = text
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) => quoted ?? plain ?? ''),
    );
  for (const line of lines) expect(line).toHaveLength(head.length);
  return lines.map((line) => Object.fromEntries(line.map((cell, index) => [head[index] ?? '', cell])));
}

test('a worker is one line, and one that never pushed has empty cells at the end', () => {
  const [first, second] = rows(workersCsv(reportOf()));
  expect(first).toMatchObject({ worker: '1', compute_ms: '4', staleness_mean: '0.5', bytes_up: '1000', loss: '2' });
  expect(second).toMatchObject({ worker: '2', loss: '', accuracy: '' });
});

test('a name that a spreadsheet would run is made inert', () => {
  const workers = [workerReport({ name: '=1+1,"x"' })];
  expect(rows(workersCsv(reportOf({ workers })))[0]?.name).toBe(`'=1+1,""x""`);
});

test("each point of a worker's curve is a line", () => {
  expect(rows(workerCurvesCsv(reportOf()))).toMatchObject([
    { worker: '1', step: '1', seconds: '0.1', time: '2026-01-02T03:04:05.150Z', loss: '2.25', accuracy: '0.125' },
    { worker: '1', step: '2', seconds: '0.2', time: '2026-01-02T03:04:05.250Z', loss: '2', accuracy: '' },
  ]);
});

test('each sample is a line, empty where the platform does not tell', () => {
  expect(rows(resourcesCsv(reportOf()))).toMatchObject([
    {
      node: 'worker 1',
      source: 'tab',
      seconds: '0.2',
      busy: '0.5',
      cpu: '',
      memory_bytes: '4096',
      pressure: 'serious',
    },
    { node: 'worker 1', source: 'process', cpu: '1.5' },
    { node: 'machine', worker: '', source: 'machine', time: '2026-01-02T03:04:05.260Z', cpu: '2' },
  ]);
});

test('bytes of a node and direction add up to what its wire carried, with the host as the other side', () => {
  const transport = {
    messagesSent: 1,
    messagesReceived: 1,
    bytesSent: 10_100,
    bytesReceived: 1020,
    wireBytesSent: 12_000,
    wireBytesReceived: null,
    roundTripMs: null,
    unaccountedBytes: 120,
  };
  const lines = rows(bytesCsv(reportOf({ workers: [workerReport({ transport, bytesToPeers: 50 })] })));
  const sum = (node: string, direction: string) =>
    lines
      .filter((line) => line.node === node && line.direction === direction)
      .reduce((total, { bytes }) => total + Number(bytes), 0);
  expect([sum('worker 1', 'received'), sum('host', 'sent')]).toEqual([12_000, 12_000]);
  expect([sum('worker 1', 'sent'), sum('host', 'received')]).toEqual([1020, 1020]);
  expect(sum('worker 1', 'sent to workers')).toBe(50);
  expect(lines.find(({ direction, kind }) => direction === 'sent' && kind === 'unaccounted')?.bytes).toBe('100');
  expect(lines.find(({ direction, kind }) => direction === 'received' && kind === 'overhead')?.bytes).toBe('');
});

test('operators are listed in their order, where there is a profile', () => {
  expect(rows(operatorsCsv(reportOf()) ?? '')).toMatchObject([
    { order: '1', operator: 'MatMul, fused', output: '100×10', output_bytes: '4000', ms: '1.5' },
  ]);
  expect(operatorsCsv(reportOf({ profile: null }))).toBe(null);
});
