import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';

/** What all processes of a browser use. */
export interface BrowserCost {
  /** CPU time used so far. */
  cpuMs(): Promise<number>;
  /** Resident memory of each tab's process just now, largest first; empty where the system does not tell. */
  tabBytes(): Promise<number[]>;
}

/** Asks the browser for its processes, and the system for their memory. */
export async function costOf(browser: Browser): Promise<BrowserCost> {
  const session = await browser.newBrowserCDPSession();
  const processes = async () => (await session.send('SystemInfo.getProcessInfo')).processInfo;
  return {
    async cpuMs() {
      return (await processes()).reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
    },
    async tabBytes() {
      const tabs = (await processes()).filter(({ type }) => type === 'renderer');
      const bytes = await Promise.all(tabs.map(({ id }) => residentBytes(id)));
      return bytes.filter((size) => size > 0).sort((a, b) => b - a);
    },
  };
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
