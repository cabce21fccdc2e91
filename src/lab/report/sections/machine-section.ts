import { counted } from '../../../observe/format.ts';
import type { Block, Section } from '../block.ts';
import { seconds, withUnit } from '../number-words.ts';
import { capital } from './columns.ts';
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
    ...Object.entries(result.machine).flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[spoken(name), value === true ? 'yes' : value === false ? 'no' : String(value)]],
    ),
  ];
  const blocks: Block[] = [
    { kind: 'facts', facts },
    { kind: 'parts', parts: [{ title: 'To repeat it', blocks: [{ kind: 'code', text: result.command }] }] },
  ];
  return { id: 'machine', title: 'Machine and versions', blocks };
}

/** memoryGB as Memory GB. */
const spoken = (name: string): string => capital(name).replace(/([a-z])([A-Z])/g, '$1 $2');
