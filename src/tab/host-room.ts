import { version } from '../../package.json';
import type { Experiment } from '../experiment/experiment.ts';
import { startHost } from '../host/host.ts';
import type { Host, RunLog } from '../host/state.ts';
import type { Spawn } from '../host/thread.ts';
import type { BackendChoice } from '../models/backend.ts';
import { browserRuntime } from '../net/join/browser-runtime.ts';
import type { ProvenLink } from '../net/join/handshake.ts';
import { describeSettings, type NetSettings, serversToQuery } from '../net/join/ice.ts';
import { linkInvite } from '../net/join/invite.ts';
import { Listener } from '../net/join/listen.ts';
import { type Machine, type RunReport, runReport } from '../observe/run-report.ts';
import type { Sharing } from '../ui/host/share-card.tsx';
import { meshOf } from '../worker/mesh.ts';
import { deviceName, tabGauges } from './device.ts';
import { isLocalAddress, ownRoom } from './room.ts';

export const spawnTrainer = () =>
  new Worker(new URL('../../worker-scripts/trainer.ts', import.meta.url), { type: 'module' });
const spawnServer = () => new Worker(new URL('../../worker-scripts/server.ts', import.meta.url), { type: 'module' });
const spawnUnsavedServer = () =>
  new Worker(new URL('../../worker-scripts/server.ts', import.meta.url), { type: 'module', name: 'unsaved' });

/** A Web Worker as a thread of the host. */
const webThread =
  <To, From>(spawn: () => Worker): Spawn<To, From> =>
  ({ onMessage, onError }) => {
    const worker = spawn();
    worker.onmessage = ({ data }: MessageEvent<From>) => onMessage(data);
    worker.onerror = ({ message }) => onError(message);
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      stop: () => worker.terminate(),
    };
  };

export interface HostRoomDeps {
  readonly baseUrl: string;
  readonly settings: NetSettings;
  readonly backend: BackendChoice;
  /** Lets this page open a room at a relay that asks for a key. */
  readonly hostKey: string | null;
  /** Whether steps and resources are recorded. */
  readonly observes: boolean;
  /** Whether runs that were interrupted can be resumed; otherwise none is saved, and saved ones are left alone. */
  readonly resumesRuns: boolean;
  keepRun(log: RunLog): Promise<void>;
}

/** A host in this tab with its room: what every page needs on which others come to compute. */
export interface HostRoom {
  readonly host: Host;
  /** Words on the STUN, TURN and signalling servers in use. */
  readonly networkWords: string;
  readonly sharing: Sharing;
  /** What ran it, for reports. */
  readonly machine: Machine;
  readonly backend: BackendChoice;
  /** The address at which others join such an experiment. */
  joinLink(asked: Experiment): string;
  openWorkerTab(asked: Experiment): void;
  /** What must stay in this page's own address, beside what it shows; empty if nothing. */
  readonly ownQuery: string;
  /** Of the run that is there; throws if there is none. */
  report(): RunReport;
}

/** Opens this tab's room; nothing computes before a run is started. */
export async function openHostRoom(deps: HostRoomDeps): Promise<HostRoom> {
  const { baseUrl, settings, backend, hostKey, observes, resumesRuns, keepRun } = deps;
  const [room, share, servers] = await Promise.all([ownRoom(), shareUrl(baseUrl), relayServers(baseUrl)]);
  const { code, token } = room;
  let allowsTyping = isLocalAddress(location.hostname);
  let listener: Listener | null = null;
  let links: readonly ProvenLink[] = [];
  const setTerms = () => listener?.setTerms({ secret: room.secret, allowsTyping });
  const host = startHost({
    code,
    baseUrl,
    backend,
    device: deviceName(navigator.userAgent),
    observes,
    gauges: { source: 'tab', open: tabGauges },
    remedy: 'Reload the page to go on.',
    spawnServer: webThread(resumesRuns ? spawnServer : spawnUnsavedServer),
    spawnTrainer: webThread(spawnTrainer),
    listen({ onLink, onState }) {
      listener = new Listener(browserRuntime, settings, {
        code,
        token,
        freesCode: true,
        secret: room.secret,
        allowsTyping,
        hostKey,
        isBanned: room.isBanned,
        onState,
        onLink(link) {
          links = [...links.filter(({ isEnded }) => !isEnded), link];
          onLink(link);
        },
      });
      return listener;
    },
    onRemoved: ({ device }) => room.ban(device),
    meshFor: (trainer) =>
      meshOf((message, transfer) => trainer.post(message, transfer), [...settings.iceServers, ...servers]),
    keepRun,
  });
  const ownServers = serversToQuery(settings);
  const backendPair: [string, string][] = backend === 'auto' ? [] : [['backend', backend]];
  const keyPair: [string, string][] = hostKey === null ? [] : [['hostKey', hostKey]];
  const joinQuery = ({ model, data, strategy }: Experiment) => {
    const invite = linkInvite(room.secret, code, Date.now());
    const pairs: [string, string][] = Object.entries({ join: code, invite, model, data });
    if (strategy === 'allreduce') pairs.push(['strategy', strategy]);
    return new URLSearchParams([...pairs, ...backendPair, ...ownServers]);
  };
  const { userAgent, hardwareConcurrency } = navigator;
  const machine = { manyhands: version, userAgent, cores: hardwareConcurrency };
  return {
    host,
    machine,
    backend,
    networkWords: describeSettings({ ...settings, iceServers: [...settings.iceServers, ...servers] }).join(' '),
    sharing: {
      allowsTyping: () => allowsTyping,
      setAllowsTyping(on) {
        allowsTyping = on;
        setTerms();
      },
      renewInvite() {
        room.renew();
        setTerms();
      },
      relayedLinks: () => links.filter(({ isEnded, route }) => !isEnded && route === 'relayed').length,
    },
    joinLink: (asked) => `${share}#${joinQuery(asked)}`,
    openWorkerTab: (asked) => void open(`${baseUrl}#${joinQuery(asked)}`, '_blank', 'noopener'),
    ownQuery: new URLSearchParams([...ownServers, ...backendPair, ...keyPair]).toString(),
    report() {
      const { run, workers } = host.state;
      if (!run || !host.log) throw new Error('there is no run to report');
      return runReport({ run, workers }, host.log, machine);
    },
  };
}

/** Where others find this app: a host page opened as localhost asks its relay for the machine's own address. */
async function shareUrl(baseUrl: string): Promise<string> {
  const isLoopback = /^(localhost|127\..*|\[::1\])$/.test(location.hostname);
  if (!isLoopback) return baseUrl;
  try {
    const answer = await fetch(`${baseUrl}addresses.json`, { signal: AbortSignal.timeout(1000) });
    const [first] = (await answer.json()) as unknown[];
    return typeof first === 'string' ? new URL(first).href : baseUrl;
  } catch {
    // Served by something else than a relay: the address bar is all there is.
    return baseUrl;
  }
}

/** The STUN and TURN servers that the relay adds, by name, for the page's words. */
async function relayServers(baseUrl: string): Promise<NetSettings['iceServers']> {
  try {
    const answer = await fetch(`${baseUrl}ice.json`, { signal: AbortSignal.timeout(1000) });
    const { iceServers } = (await answer.json()) as { iceServers: NetSettings['iceServers'] };
    return iceServers.map(({ urls }) => ({ urls: String(urls) }));
  } catch {
    return [];
  }
}
