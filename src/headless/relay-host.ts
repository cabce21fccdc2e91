import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../host/state.ts';
import { type HostView, runAfter, settledReport, until, viewOf, watchHost } from '../host/watch-run.ts';
import type { BackendChoice } from '../models/backend.ts';
import { type NodeHost, startNodeHost } from '../node/host.ts';
import { type RunReport, runReport } from '../observe/run-report.ts';
import type { DrivenHost } from './tabs.ts';

/** How long signalling, on this very machine, may take. */
const OPEN_LIMIT_MS = 10_000;

/** A host in this process for one run; nothing of it is kept. */
export interface RelayHost extends DrivenHost, Pick<Host, 'pause' | 'resume'> {
  close(): Promise<void>;
}

/** Starts a host at the relay with this address, and waits until workers can reach it. */
export async function openRelayHost(
  url: string,
  app: string,
  backend: BackendChoice,
  note: (text: string) => void,
): Promise<RelayHost> {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-'));
  const net = { url, isOwn: true, bindAddress: '127.0.0.1' };
  const node = await startNodeHost({ folder, app, net, backend, allowsTyping: false, note });
  const { host } = node;
  const watch = watchHost(host);
  /** Rejects with the words when it takes too long. */
  const reach = async (words: string, read: (view: HostView) => unknown) => {
    const found = await until(watch, (view) => read(view) || null, { timeoutMs: OPEN_LIMIT_MS });
    if (found !== 'timed-out') return;
    throw new Error(`${words}: ${host.state.room.problem ?? host.state.note?.text ?? 'no reason is known'}`);
  };
  await reach('the host did not reach its relay', ({ state }) => state.room.signalling === 'open');
  return {
    watch,
    view: async () => viewOf(host),
    async start(experiment, trainsHere) {
      const before = host.state.run?.id;
      host.setTrainsHere(trainsHere);
      host.start(experiment);
      await reach('the run did not start', (view) => runAfter(before, view));
    },
    chooseFile: async (file, features) => host.chooseExamples({ ...file, features }),
    invitation: async () => invitationOf(node),
    report: () => hostReport(host),
    parameters: () => host.parameters(),
    profile: async (experiment) => void (await host.profile(experiment)),
    pause: () => host.pause(),
    resume: () => host.resume(),
    async close() {
      await node.shutDown();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the join link of this host has after #. */
export const invitationOf = (node: NodeHost): string =>
  new URLSearchParams({ join: node.code, invite: node.invite() }).toString();

/** The report of a host's run, or null before there is one. */
export function reportOf(host: Host): RunReport | null {
  const { run, workers } = host.state;
  if (run === null || host.log === null) return null;
  const machine = { userAgent: `Node ${process.version}`, cores: availableParallelism() };
  return runReport({ run, workers }, host.log, machine);
}

/** The report of a host's run that is over; null if there is none. */
export const hostReport = (host: Host): Promise<RunReport | null> =>
  settledReport(watchHost(host), () => reportOf(host));
