import { type Look, workerLook } from '../figures/palette.ts';
import { type Field, words } from './columns.ts';
import type { Setting } from './subject.ts';

/** What is not a worker is drawn in the colour of text. */
export const nodeLook = (worker: number | null): Look =>
  worker === null ? { colour: 'ink', isDashed: false } : workerLook(worker);

/** A column of names in their own colours. */
export const named = (title: string): Field<{ readonly name: string; readonly look: Look }> =>
  words(
    title,
    ({ name }) => name,
    ({ look }) => look,
  );

/** The setting that a row belongs to, in its colour. */
export const ofSetting: Field<{ readonly setting: Setting }> = {
  ...named('Setting'),
  cell: ({ setting }) => named('Setting').cell(setting),
};

/** The node that a row is about, in its colour. */
export const ofNode: Field<{ readonly node: string; readonly worker: number | null }> = words(
  'Node',
  ({ node }) => node,
  ({ worker }) => nodeLook(worker),
);
