import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a process has used so far, and holds now. Null: the system does not tell. */
export interface ProcessUse {
  /** The same for as long as the process lives; a later one of the same number has another. */
  readonly key: string;
  readonly cpuMs: number;
  /** Resident, pages shared with other processes included: their true shares (PSS) take the kernel too long to work out. */
  readonly memoryBytes: number | null;
  /** Of the resident, what no file and no shared memory is behind. */
  readonly ownBytes: number | null;
  /** From and to storage; what the page cache gave is not in it. */
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
}

/** Linux tells processor time in ticks of 1/100 s, whatever its own clock does (USER_HZ). */
export const TICK_MS = 10;

/** What Linux knows of a process; null once it is gone. Another process's disk counters need its owner or root. */
export function processUse(pid: number, root = '/proc'): ProcessUse | null {
  const folder = join(root, String(pid));
  const stat = textOf(join(folder, 'stat'));
  // The name in parentheses may hold anything, parentheses too.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks, startTicks] = [fields?.[11], fields?.[12], fields?.[19]].map(Number);
  if (startTicks === undefined || !Number.isFinite(startTicks)) return null;
  // A zombie has its times still, and no memory.
  if (fields?.[0] === 'Z' || fields?.[0] === 'X') return null;
  const io = textOf(join(folder, 'io'));
  const status = textOf(join(folder, 'status'));
  return {
    key: `${pid} ${startTicks}`,
    cpuMs: ((userTicks ?? 0) + (systemTicks ?? 0)) * TICK_MS,
    memoryBytes: bytesIn(status, 'VmRSS'),
    ownBytes: bytesIn(status, 'RssAnon'),
    readBytes: numberIn(io, /^read_bytes: (\d+)/m),
    writtenBytes: numberIn(io, /^write_bytes: (\d+)/m),
  };
}

/** A file of the kernel's: there is no disk to wait for, and to read it here costs a tenth of what a promise does. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The amount that a file of the kernel's names in kB. */
export function bytesIn(text: string | null, name: string): number | null {
  const kb = numberIn(text, new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'));
  return kb === null ? null : kb * 1024;
}

/** The number that the pattern's group finds. */
export function numberIn(text: string | null, pattern: RegExp): number | null {
  const found = text === null ? undefined : pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}
