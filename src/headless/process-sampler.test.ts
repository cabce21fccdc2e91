import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rng } from '../core/math/rng.ts';
import { processGauges } from '../node/proc/gauges.ts';
import { machineUse } from '../node/proc/machine.ts';
import { processUse } from '../node/proc/process.ts';
import { watchProcesses } from './process-sampler.ts';

const isLinux = process.platform === 'linux';

/** A folder like /proc, with what the test writes into it. */
function fakeProc() {
  const root = mkdtempSync(join(tmpdir(), 'proc-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (name: string, text: string) => {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  return {
    root,
    write,
    writeProcess(pid: number, { ticks = 0, startTicks = 7, state = 'S', readBytes = 0, writtenBytes = 0 }) {
      const zeros = '0 0 0 0 0 0 0 0 0 0';
      write(`${pid}/stat`, `${pid} (a ) (b) ${state} ${zeros} ${ticks} 0 0 0 20 0 4 0 ${startTicks} 0 0\n`);
      write(`${pid}/status`, 'Name:\ta\nVmRSS:\t    2048 kB\nRssAnon:\t    1024 kB\nRssFile:\t 1024 kB\n');
      write(`${pid}/io`, `rchar: 99\nwchar: 99\nread_bytes: ${readBytes}\nwrite_bytes: ${writtenBytes}\n`);
    },
    writeMachine({ ticks = 0, sectors = 0, lo = 0, eth = 0 as number | null }) {
      write('stat', `cpu  ${ticks} 0 0 5000 0 0 0 900 0 0\ncpu0 1 1 1 1\n`);
      write('meminfo', 'MemTotal:       4096 kB\nMemFree: 1 kB\nMemAvailable:   1024 kB\n');
      const disk = (name: string) => ` 254 0 ${name} 9 9 ${sectors} 9 9 9 ${2 * sectors} 9 0 9 9\n`;
      write('diskstats', ['loop0', 'vda', 'vda1', 'nvme0n1', 'nvme0n1p2', 'dm-0'].map(disk).join(''));
      const row = (name: string, bytes: number) => `  ${name}: ${bytes} 5 0 0 0 0 0 0 ${bytes + 1} 5 0 0 0 0 0 0\n`;
      write('net/dev', `Inter-| x\n face |bytes\n${row('lo', lo)}${eth === null ? '' : row('eth0', eth)}`);
    },
  };
}

test('reads a process whose name has spaces and parentheses', () => {
  const { root, writeProcess } = fakeProc();
  writeProcess(12, { ticks: 250, readBytes: 4096, writtenBytes: 512 });
  expect(processUse(12, root)).toEqual({
    key: '12 7',
    cpuMs: 2500,
    memoryBytes: 2048 * 1024,
    ownBytes: 1024 * 1024,
    readBytes: 4096,
    writtenBytes: 512,
  });
});

test('a process that is gone, or of which only a record is left, is null; one whose disks are secret has null there', () => {
  const { root, write, writeProcess } = fakeProc();
  expect(processUse(12, root)).toBeNull();
  writeProcess(12, { state: 'Z' });
  expect(processUse(12, root)).toBeNull();
  write('13/stat', '13 (x) R 0 0 0 0 0 0 0 0 0 0 1 2 0 0 20 0 4 0 7 0 0\n');
  expect(processUse(13, root)).toMatchObject({ cpuMs: 30, memoryBytes: null, readBytes: null });
});

test('the machine: whole disks once, all interfaces, no stolen time', () => {
  const { root, writeMachine } = fakeProc();
  expect(machineUse(root)).toBeNull();
  writeMachine({ ticks: 70, sectors: 3, lo: 1000, eth: 50 });
  expect(machineUse(root)).toEqual({
    cpuMs: 700,
    memoryBytes: 3072 * 1024,
    disks: [
      { key: 'vda', inBytes: 3 * 512, outBytes: 6 * 512 },
      { key: 'nvme0n1', inBytes: 3 * 512, outBytes: 6 * 512 },
    ],
    interfaces: [
      { key: 'lo', inBytes: 1000, outBytes: 1001 },
      { key: 'eth0', inBytes: 50, outBytes: 51 },
    ],
  });
});

test.runIf(isLinux)('sees this process at work: its processor time and memory agree with its own account', async () => {
  const before = processUse(process.pid);
  const own = process.cpuUsage();
  while (process.cpuUsage(own).user + process.cpuUsage(own).system < 300_000);
  const spent = process.cpuUsage(own);
  const after = processUse(process.pid);
  const usedMs = (after?.cpuMs ?? 0) - (before?.cpuMs ?? 0);
  expect(Math.abs(usedMs - (spent.user + spent.system) / 1000)).toBeLessThan(60);
  expect(after?.key).toBe(before?.key);
  const resident = process.memoryUsage.rss();
  expect(after?.memoryBytes).toBeGreaterThan(resident / 2);
  expect(after?.memoryBytes).toBeLessThan(resident * 2);
  expect(await processGauges().read()).toMatchObject({ readBytes: expect.any(Number), pressure: null });
});

test.runIf(isLinux)(
  'without a browser, this process is the host, beside the machine; nothing counts before the run',
  async () => {
    let startedAtMs: number | null = null;
    const watch = await watchProcesses({ browser: null, pages: () => [], startedAtMs: () => startedAtMs, everyMs: 30 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    startedAtMs = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 250));
    const nodes = await watch.stop();
    expect(nodes.map(({ node, source, worker }) => [node, source, worker])).toEqual([
      ['host', 'process', null],
      ['machine', 'machine', null],
    ]);
    for (const { samples } of nodes) {
      expect(samples.length).toBeGreaterThan(2);
      expect(samples[0]?.atMs).toBeLessThan(150);
      expect(samples.every(({ cpu, memoryBytes }) => cpu !== null && (memoryBytes ?? 0) > 1e6)).toBe(true);
    }
  },
);

test.runIf(isLinux)(
  'totals start with the run and never fall, whatever the kernel’s counters do (seed 5)',
  async () => {
    const random = rng(5, 'proc');
    const { root, writeProcess, writeMachine } = fakeProc();
    const counters = { ticks: 100, readBytes: 5000, writtenBytes: 5000, sectors: 100, lo: 1000, eth: 1000 };
    const write = () => {
      const isEthGone = random.below(4) === 0;
      writeProcess(process.pid, { ...counters, startTicks: random.below(20) === 0 ? 8 : 7 });
      writeMachine({ ...counters, eth: isEthGone ? null : counters.eth });
    };
    write();
    const watch = await watchProcesses({ browser: null, pages: () => [], startedAtMs: () => 1, everyMs: 2, root });
    for (let look = 0; look < 60; look += 1) {
      for (const key of Object.keys(counters) as (keyof typeof counters)[]) counters[key] += random.below(500);
      if (random.below(15) === 0) counters.lo = 0;
      write();
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    const nodes = await watch.stop();
    expect(nodes).toHaveLength(2);
    for (const { node, samples } of nodes) {
      expect(samples.length, node).toBeGreaterThan(10);
      for (const key of ['readBytes', 'writtenBytes', 'sentBytes', 'receivedBytes'] as const) {
        const values = samples.flatMap((sample) => sample[key] ?? []);
        expect(values, `${node} ${key}`).toEqual(values.toSorted((a, b) => a - b));
        if (node === 'machine') expect(values.at(-1)).toBeGreaterThan(values[0] ?? 0);
      }
      expect(samples.every(({ cpu }) => cpu === null || cpu >= 0)).toBe(true);
    }
  },
);
