import { count } from '../observe/format.ts';
import type { ExamplesState } from './example-server.ts';

const counted = (value: number, noun: string) => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
const percent = (share: number) => `${Math.floor(share * 100)} %`;

/** What was found in the chosen file so far, or what is wrong with it, in a sentence or two. */
export function exampleWords(state: ExamplesState): string {
  const { name } = state;
  switch (state.phase) {
    case 'unpacking':
      return `Unpacking ${name}: ${percent(state.fraction)}.`;
    case 'reading': {
      const skipped = state.malformed > 0 ? `, ${count(state.malformed)} malformed` : '';
      return `Reading ${name}: ${percent(state.fraction)}, ${counted(state.examples, 'example')}${skipped}.`;
    }
    case 'ready': {
      const { trainCount, testCount, malformed } = state;
      const skipped = malformed === 0 ? 'nothing was skipped' : `${count(malformed)} malformed and skipped`;
      return `${name}: ${counted(trainCount, 'example')} to train on, ${count(testCount)} for testing, ${skipped}.`;
    }
    case 'failed':
      return state.text;
    default:
      return state satisfies never;
  }
}

/** The first few malformed lines or records by number, each with what is wrong. */
export const skippedLines = (state: ExamplesState): readonly string[] => {
  if (state.phase !== 'ready') return [];
  const { problems, malformed } = state;
  return malformed > problems.length ? [...problems, `and ${count(malformed - problems.length)} more`] : problems;
};
