import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../node/usage-error.ts';
import type { OptionValues } from './command-line.ts';

/** Where --json goes, or null; refused now, not after an hour of training, if it cannot be written. Nothing is made yet. */
export async function readJsonPath({ json }: OptionValues): Promise<string | null> {
  if (typeof json !== 'string') return null;
  const there = await stat(json).catch(() => null);
  if (there?.isDirectory()) throw new UsageError(`--json "${json}" is a folder: give the name of a file`);
  await access(there === null ? dirname(resolve(json)) : json, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--json "${json}" cannot be written (${error.code}): choose a file in a folder of yours`);
  });
  return json;
}

/** Writes what a person may read too. */
export function writeJson(path: string, value: unknown): Promise<void> {
  return writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
