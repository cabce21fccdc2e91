import { aside, type Section } from '../block.ts';
import { megabytes, megabytesPerSecond, percents } from '../number-words.ts';
import { mean, number, ofNode, ofSetting, tableOf, words } from './columns.ts';
import { growth, highest, meanShare, type NodeUse, nodeUses, perSecond } from './resource-use.ts';
import type { Setting, Subject } from './subject.ts';

interface Row extends NodeUse {
  readonly setting: Setting;
}

/** Who says what a node used. */
const sourceWords = { tab: 'its tab', process: 'operating system', machine: 'operating system, all' } as const;

/** What each node used, by setting; null if nobody took samples. */
export function resourceSection({ settings }: Subject): Section | null {
  const rows = settings.flatMap((setting) => nodeUses(setting).map((use): Row => ({ ...use, setting })));
  if (rows.length === 0) return null;
  const table = tableOf<Row>('resources', 'What each node used', rows, [
    ofSetting,
    ofNode,
    words('Reported by', ({ source }) => sourceWords[source]),
    mean('CPU', percents, (use) => meanShare(use, 'cpu')),
    number('CPU max', percents, (use) => highest(use, 'cpu')),
    number('Busy', percents, (use) => meanShare(use, 'busy')?.mean ?? null),
    number('Memory max', megabytes, (use) => highest(use, 'memoryBytes')),
    number('Up', megabytesPerSecond, (use) => perSecond(use, 'sentBytes')?.mean ?? null),
    number('Down', megabytesPerSecond, (use) => perSecond(use, 'receivedBytes')?.mean ?? null),
    number('Disk read', megabytes, (use) => growth(use, 'readBytes')?.mean ?? null),
    number('Disk written', megabytes, (use) => growth(use, 'writtenBytes')?.mean ?? null),
    number('Storage', megabytes, (use) => highest(use, 'storageBytes')),
  ]);
  const note = aside(
    '100 % CPU is one core all the time. Busy is the share of the time in which the computing thread was at it. Up and down are the node’s own sending and receiving, on average. ' +
      'These are of the time of training; memory, disk and storage are of the whole run, from when its tabs opened. ' +
      'Storage is what the site keeps in the browser. – where the platform does not report it.',
  );
  return { id: 'resources', title: 'Resources', blocks: [table, note] };
}
