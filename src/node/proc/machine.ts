import { join } from 'node:path';
import { bytesIn, TICK_MS, textOf } from './process.ts';

/** One thing that counts: a disk, a network interface. */
export interface Counted {
  readonly key: string;
  readonly inBytes: number;
  readonly outBytes: number;
}

/** What all processes of a machine have used since it started. */
export interface MachineUse {
  readonly cpuMs: number;
  /** What is not available to a new process. */
  readonly memoryBytes: number | null;
  readonly disks: readonly Counted[];
  /**
   * Loopback included, where each byte is counted as sent and as received. Linux counts no network bytes by process:
   * those of a node come from its tab.
   */
  readonly interfaces: readonly Counted[];
}

const SECTOR_BYTES = 512;
/** Their bytes are those of the disks below them, or of memory. */
const LAYERED = /^(loop|ram|zram|dm-|md)/;

/** What Linux knows of the machine; null on other systems. */
export function machineUse(root = '/proc'): MachineUse | null {
  const cpu = /^cpu +(.*)$/m.exec(textOf(join(root, 'stat')) ?? '')?.[1];
  if (cpu === undefined) return null;
  // Of user, nice, system, idle, iowait, irq, softirq; what a hypervisor took for others (steal) is not work done here.
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = cpu.split(' ').map(Number);
  const memory = textOf(join(root, 'meminfo'));
  const [total, available] = [bytesIn(memory, 'MemTotal'), bytesIn(memory, 'MemAvailable')];
  return {
    cpuMs: (user + nice + system + irq + softirq) * TICK_MS,
    memoryBytes: total === null || available === null ? null : total - available,
    disks: disksIn(textOf(join(root, 'diskstats')) ?? ''),
    interfaces: interfacesIn(textOf(join(root, 'net', 'dev')) ?? ''),
  };
}

/** Whole disks only: what a partition did, its disk did. */
function disksIn(text: string): Counted[] {
  const rows = text.split('\n').map((line) => line.trim().split(/\s+/));
  const names = new Set(rows.map((row) => row[2]));
  return rows.flatMap(([, , name, , , read, , , , written]) => {
    if (name === undefined || written === undefined || LAYERED.test(name)) return [];
    if (names.has(/^(.*?\D)\d+$/.exec(name)?.[1] ?? '') || names.has(/^(.*\d)p\d+$/.exec(name)?.[1] ?? '')) return [];
    return [{ key: name, inBytes: Number(read) * SECTOR_BYTES, outBytes: Number(written) * SECTOR_BYTES }];
  });
}

function interfacesIn(text: string): Counted[] {
  return text.split('\n').flatMap((line) => {
    const [, key, counts] = /^\s*(\S+):\s*(.*)$/.exec(line) ?? [];
    if (key === undefined || counts === undefined) return [];
    const columns = counts.split(/\s+/).map(Number);
    return [{ key, inBytes: columns[0] ?? 0, outBytes: columns[8] ?? 0 }];
  });
}
