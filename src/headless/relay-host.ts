import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Experiment } from '../experiment/experiment.ts';
import type { Host, HostState } from '../host/state.ts';
import { type HostView, settledReport, until, viewOf, type Watch, watchHost } from '../host/watch-run.ts';
import type { BackendChoice } from '../models/backend.ts';
import { type NodeHost, startNodeHost } from '../node/host.ts';
import { type RunReport, runReport } from '../observe/run-report.ts';
import type { ExampleFile } from './example-file.ts';
import type { DrivenHost } from './tabs.ts';

/** How long signalling, on this very machine, may take. */
const OPEN_LIMIT_MS = 10_000;

/** A host in this process for one run; nothing of it is kept. */
export class RelayHost implements DrivenHost {
  readonly #node: NodeHost;
  readonly #folder: string;
  readonly watch: Watch<HostView>;

  private constructor(node: NodeHost, folder: string) {
    this.#node = node;
    this.watch = watchHost(node.host);
    this.#folder = folder;
  }

  /** Starts a host at the relay with this address, and waits until workers can reach it. */
  static async open(
    url: string,
    app: string,
    backend: BackendChoice,
    note: (text: string) => void,
  ): Promise<RelayHost> {
    const folder = await mkdtemp(join(tmpdir(), 'manyhands-'));
    const net = { url, isOwn: true, bindAddress: '127.0.0.1' };
    const node = await startNodeHost({ folder, app, net, backend, allowsTyping: false, note });
    const opened = new RelayHost(node, folder);
    await opened.#until('the host did not reach its relay', ({ room }) => room.signalling === 'open');
    return opened;
  }

  async start(experiment: Experiment, trainsHere: boolean): Promise<void> {
    const { host } = this.#node;
    const before = host.state.run?.id;
    host.setTrainsHere(trainsHere);
    host.start(experiment);
    await this.#until('the run did not start', ({ run }) => run !== null && run.id !== before);
  }

  async chooseFile(file: ExampleFile, features: number): Promise<void> {
    this.#node.host.chooseExamples({ ...file, features });
  }

  async view(): Promise<HostView> {
    return viewOf(this.#node.host);
  }

  async invitation(): Promise<string> {
    return invitationOf(this.#node);
  }

  report(): Promise<RunReport | null> {
    return hostReport(this.#node.host);
  }

  parameters(): ReturnType<Host['parameters']> {
    return this.#node.host.parameters();
  }

  async profile(experiment: Experiment): Promise<void> {
    await this.#node.host.profile(experiment);
  }

  /** Lets the run go on or stand still, as a page's buttons do. */
  pause(): void {
    this.#node.host.pause();
  }
  resume(): void {
    this.#node.host.resume();
  }

  async close(): Promise<void> {
    await this.#node.shutDown();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Rejects with the words when it takes too long until the host's state is so. */
  async #until(words: string, isSo: (state: HostState) => boolean): Promise<void> {
    const read = ({ state }: HostView) => (isSo(state) ? true : null);
    if ((await until(this.watch, read, { timeoutMs: OPEN_LIMIT_MS })) === true) return;
    const { room, note } = this.#node.host.state;
    throw new Error(`${words}: ${room.problem ?? note?.text ?? 'no reason is known'}`);
  }
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
