import { defaultExperiment, type Experiment } from '../src/experiment/experiment.ts';
import { train } from '../src/headless/train.ts';
import type { RunReport } from '../src/observe/run-report.ts';

const LIMIT_MS = 60 * 60_000;

/** Trains once in real tabs, to the end, and gives the report; throws where it did not train. */
export async function realRun(tabs: number, experiment: Partial<Experiment>): Promise<RunReport> {
  const whole = { ...defaultExperiment, workers: tabs, epochs: null, evalEvery: 1_000_000, ...experiment };
  const options = {
    experiment: whole,
    tabs,
    hostTrains: false,
    host: 'tab',
    backend: 'auto',
    isHeaded: false,
  } as const;
  const note = (line: string) => console.error(line);
  const { report, failure } = await train({ ...options, timeoutMs: LIMIT_MS }, { note, progress() {} });
  if (!report || failure) throw new Error(failure ?? 'no report');
  return report;
}

/** What the data channels of all workers carried, as the browser counted it. */
export function channelBytes(report: RunReport): { up: number; down: number } {
  const sum = (pick: 'bytesReceived' | 'bytesSent') =>
    report.workers.reduce((bytes, { transport }) => bytes + (transport?.[pick] ?? 0), 0);
  return { up: sum('bytesReceived'), down: sum('bytesSent') };
}

/** Pushes of all workers, whatever became of them. */
export const pushesOf = (report: RunReport): number => report.workers.reduce((sum, { steps }) => sum + steps, 0);
