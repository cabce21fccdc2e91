import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import type { Machine } from '../observe/run-report.ts';

/** What runs a sweep: versions, processor, memory. */
export const labMachine = (browser: string | null): Machine => ({
  manyhands: packageJson.version,
  browser: browser === null ? null : `Chromium ${browser}`,
  node: process.version,
  system: `${type()} ${release()}`,
  processor: cpus()[0]?.model.trim() || null,
  cores: availableParallelism(),
  memoryGB: Math.round(totalmem() / 2 ** 30),
});
