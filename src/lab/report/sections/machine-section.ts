import { counted } from '../../../observe/format.ts';
import type { Block, Section } from '../block.ts';
import { seconds, withUnit } from '../number-words.ts';
import type { Subject } from './subject.ts';

/** What it ran on, when, and what repeats it. */
export function machineSection({ result, settings }: Subject): Section {
  const reports = settings.flatMap((setting) => setting.reports);
  const backends = new Set(reports.flatMap(({ workers }) => workers.map(({ backend }) => backend)));
  const devices = new Set(reports.flatMap(({ workers }) => workers.map(({ device }) => device)));
  const spent = reports.reduce((sum, { wallSeconds }) => sum + wallSeconds, 0);
  const facts: [string, string][] = [
    ['Began', `${result.startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}`],
    ['Trained', `${withUnit(spent, seconds)} in ${counted(reports.length, 'run')}`],
    ['Backend', [...backends].join(', ') || '–'],
    ['Device', [...devices].join(', ') || '–'],
    ...Object.entries(result.machine)
      .filter(([, value]) => value !== null)
      .map(([name, value]): [string, string] => [
        spoken(name),
        typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value),
      ]),
  ];
  const blocks: Block[] = [
    { kind: 'facts', facts },
    { kind: 'parts', parts: [{ title: 'To repeat it', blocks: [{ kind: 'code', text: result.command }] }] },
  ];
  return { id: 'machine', title: 'Machine and versions', blocks };
}

/** memoryGB as Memory GB. */
const spoken = (name: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replace(/([a-z])([A-Z])/g, '$1 $2');
