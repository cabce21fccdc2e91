import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEFAULT_MALFORMED_LIMIT, formatOfName, sparseFormats } from '../data/sparse/formats/formats.ts';
import type { ExampleFile } from '../headless/example-file.ts';
import { dataTitles } from '../models/plan.ts';
import { UsageError } from '../node/usage-error.ts';
import { numberOf, type Options, type OptionValues, wordOf } from './command-line.ts';

/** The options that say how the file that --data names is read. */
export const fileOptions = {
  format: { value: 'name', describe: `of a file: ${sparseFormats.join(', ')} (by its name)` },
  malformed: {
    value: 'count',
    describe: `of a file: so many malformed lines or records are skipped (${DEFAULT_MALFORMED_LIMIT})`,
  },
  'first-index': { value: 'number', describe: 'of a libsvm file: the index of its first feature, 0 or 1 (1)' },
} satisfies Options;

/** The file that --data names; null if that is the name of a data set. */
export function readExampleFile(given: OptionValues): ExampleFile | null {
  const { data } = given;
  const how = Object.keys(fileOptions).find((name) => given[name] !== undefined);
  if (typeof data !== 'string' || (data !== 'file' && Object.hasOwn(dataTitles, data))) {
    if (how === undefined) return null;
    throw new UsageError(`--${how} says how a file is read: give its path as --data`);
  }
  const known = Object.keys(dataTitles).filter((name) => name !== 'file');
  const there = statSync(data, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new UsageError(`--data "${data}" is a folder: give the path of a file in it`);
  if (!there?.isFile()) {
    throw new UsageError(`--data "${data}" is not known; there is: ${known.join(', ')}, or the path of a file`);
  }
  const format = wordOf(given, 'format', sparseFormats) ?? formatOfName(data);
  if (format === undefined) {
    throw new UsageError(`--data "${data}": its name tells no format; say --format ${sparseFormats.join(' or ')}`);
  }
  return {
    kind: 'path',
    path: resolve(data),
    format,
    malformedLimit: numberOf(given, 'malformed', { min: 0, max: 1e9, isWhole: true }) ?? DEFAULT_MALFORMED_LIMIT,
    firstIndex: wordOf(given, 'first-index', ['0', '1']) === '0' ? 0 : 1,
  };
}
