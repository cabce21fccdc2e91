import type { Gauges } from '../../observe/resource-sampler.ts';
import { processUse } from './process.ts';

/** What this process, all its threads, uses; disks on Linux only. */
export const processGauges = (root?: string): Gauges => ({
  async read() {
    const { user, system } = process.cpuUsage();
    const use = processUse(process.pid, root);
    return {
      cpuMs: (user + system) / 1000,
      memoryBytes: process.memoryUsage.rss(),
      readBytes: use?.readBytes ?? null,
      writtenBytes: use?.writtenBytes ?? null,
      storageBytes: null,
      pressure: null,
    };
  },
  close() {},
});
