import { emulatedWords } from '../../../experiment/emulated.ts';
import { stopWords } from '../../../export/summary-table.ts';
import { counted, setNumber } from '../../../observe/format.ts';
import type { SweepRun } from '../../sweep.ts';
import type { Block } from '../block.ts';
import type { Subject } from './subject.ts';

/** A sweep that has just begun misses nearly all its runs: no more than these are named. */
const LISTED = 5;

/** What stands in the way of believing the numbers, said first: runs that failed or are still to come, made-up conditions. */
export function notices({ result, settings, target }: Subject): Block[] {
  const { outcomes, missing, isQuick } = result;
  const planned = outcomes.length + missing.length;
  const failed = outcomes.filter(({ failure, report }) => failure !== null || report === null);
  const blocks: Block[] = [];
  const add = (text: string, items: readonly string[], isBad = true) =>
    blocks.push({ kind: 'notice', isBad, text, items });
  const nameOf = ({ label, repeat }: SweepRun) =>
    `${label || 'the run'}${result.sweep.repeats > 1 ? `, repeat ${repeat}` : ''}`;
  if (missing.length > 0) {
    const more = missing.length > LISTED ? [`and ${missing.length - LISTED} more`] : [];
    const items = [...missing.slice(0, LISTED).map(nameOf), ...more];
    add(`${missing.length} of ${counted(planned, 'run')} ${missing.length === 1 ? 'is' : 'are'} missing.`, items);
  }
  if (failed.length > 0) {
    const items = failed.map((outcome) => `${nameOf(outcome)}: ${outcome.failure ?? 'it left no report'}`);
    add(
      `${failed.length} of ${counted(planned, 'run')} failed; the numbers are without ${failed.length === 1 ? 'it' : 'them'}.`,
      items,
    );
  }
  const short = settings.flatMap(({ name, reports }) => {
    const others = target === null ? [] : reports.filter(({ stopReason }) => stopReason !== 'loss');
    return others.map(({ stopReason }) => `${name}: ${stopReason === null ? 'it did not end' : stopWords[stopReason]}`);
  });
  if (target !== null && short.length > 0) {
    add(`${counted(short.length, 'run')} ended before a test loss of ${setNumber(target)}.`, short);
  }
  const emulated = new Set(settings.flatMap(({ experiment }) => emulatedWords(experiment) ?? []));
  if (emulated.size > 0) add('Conditions of some runs were made up.', [...emulated], false);
  if (isQuick) add('This is the quick size of the sweep: smaller than the experiment it stands for.', [], false);
  return blocks;
}
