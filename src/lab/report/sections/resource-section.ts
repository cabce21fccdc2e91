import { aside, type Section } from '../block.ts';
import { megabytes, megabytesPerSecond, percents } from '../number-words.ts';
import { mean, number, ofNode, ofSetting, tableOf, words } from './columns.ts';
import { type NodeUse, nodeUses } from './resource-use.ts';
import type { Setting, Subject } from './subject.ts';

interface Row extends NodeUse {
  readonly setting: Setting;
}

/** Who says what a node used. */
export const sourceWords = { tab: 'its tab', process: 'operating system', machine: 'operating system, all' } as const;

/** What each node used, by setting; null if nobody looked. */
export function resourceSection({ settings }: Subject): Section | null {
  const rows = settings.flatMap((setting) => nodeUses(setting).map((use): Row => ({ ...use, setting })));
  if (rows.length === 0) return null;
  const table = tableOf<Row>('resources', 'What each node used', rows, [
    ofSetting,
    ofNode,
    words('As told by', ({ source }) => sourceWords[source]),
    mean('CPU', percents, ({ cpuMean }) => cpuMean),
    number('CPU max', percents, ({ cpuMax }) => cpuMax),
    number('Busy', percents, ({ busyMean }) => busyMean?.mean ?? null),
    number('Memory max', megabytes, ({ memoryMax }) => memoryMax),
    number('Up', megabytesPerSecond, ({ sentPerSecond }) => sentPerSecond?.mean ?? null),
    number('Down', megabytesPerSecond, ({ receivedPerSecond }) => receivedPerSecond?.mean ?? null),
    number('Disk read', megabytes, ({ readBytes }) => readBytes?.mean ?? null),
    number('Disk written', megabytes, ({ writtenBytes }) => writtenBytes?.mean ?? null),
    number('Storage', megabytes, ({ storageMax }) => storageMax),
  ]);
  const note = aside(
    '100 % CPU is one core all the time. Busy is the share of the time in which the computing thread was at it. Up and down are the node’s own sending and receiving, on average. ' +
      'These are of the time of training; memory, disk and storage are of the whole run, from when its tabs opened. ' +
      'Storage is what the site keeps in the browser. – where the platform does not tell.',
  );
  return { id: 'resources', title: 'Resources', blocks: [table, note] };
}
