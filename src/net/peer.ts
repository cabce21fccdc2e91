import { type DataConnection, Peer, type PeerError, type PeerOptions } from 'peerjs';
import { ChannelLink, type PeerLink } from './channel-link.ts';
import type { NetSettings } from './ice.ts';
import { isWelcome } from './offer-guard.ts';

export type { PeerLink } from './channel-link.ts';

/** How long the signalling server may take to greet. */
const OPEN_MS = 8000;
/** How long a connection may take from the offer to an open channel. On a LAN it takes well under one second. */
const CONNECT_MS = 15_000;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 8000;

export interface ListenState {
  readonly kind: 'connecting' | 'open' | 'lost';
  /** Why new workers cannot come just now; null while they can or the first attempt goes on. */
  readonly problem: string | null;
}

export interface ListenOptions {
  /** Proves to signalling that a reloaded page is the same host. Letters, digits and dashes. */
  readonly token: string;
  readonly onLink: (link: PeerLink) => void;
  readonly onState: (state: ListenState) => void;
}

export interface Listener {
  /** Stops listening and ends all links. */
  close(): void;
}

export const dialCodes = ['no-webrtc', 'no-signalling', 'no-host', 'ice-failed'] as const;
/** Why a worker could not reach its host. The page has words for each. */
export type DialCode = (typeof dialCodes)[number];

export class DialError extends Error {
  readonly code: DialCode;

  constructor(code: DialCode, message: string) {
    super(message);
    this.name = 'DialError';
    this.code = code;
  }
}

/**
 * Waits for workers under `code`. Returns to a lost signalling server by itself, for as long as it takes;
 * links that are open do not need it and stay.
 */
export function listen(code: string, settings: NetSettings, { token, onLink, onState }: ListenOptions): Listener {
  const id = hostId(code);
  if (!/^[A-Za-z0-9-]{1,128}$/.test(token))
    throw new RangeError('a host token has 1 to 128 letters, digits and dashes');
  const pending = new Set<DataConnection>();
  let peer = create();
  let problem: string | null = null;
  let failures = 0;
  let isClosed = false;
  let timer = watchdog();
  onState({ kind: 'connecting', problem: null });

  function create(): Peer {
    const fresh = new Peer(id, peerOptions(settings, token));
    guard(fresh, pending);
    fresh.on('open', () => {
      clearTimeout(timer);
      failures = 0;
      problem = null;
      onState({ kind: 'open', problem: null });
    });
    fresh.on('connection', (connection) => accept(connection, pending, onLink));
    fresh.on('error', (error) => {
      problem = listenProblem(error) ?? problem;
    });
    fresh.on('disconnected', retryLater);
    return fresh;
  }

  function watchdog(): ReturnType<typeof setTimeout> {
    return setTimeout(() => peer.disconnect(), OPEN_MS);
  }

  function retryLater(): void {
    clearTimeout(timer);
    if (isClosed) return;
    onState({ kind: 'lost', problem: problem ?? 'The signalling server does not answer. Trying again.' });
    timer = setTimeout(
      () => {
        timer = watchdog();
        // PeerJS destroys a peer that never was open; one that was keeps its connections.
        if (peer.destroyed) peer = create();
        else peer.reconnect();
      },
      Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS),
    );
    failures += 1;
  }

  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      peer.destroy();
    },
  };
}

/** Connects to the host with this code. Rejects with a DialError, or with the signal's reason. */
export async function dial(code: string, settings: NetSettings, signal: AbortSignal): Promise<PeerLink> {
  const host = hostId(code);
  signal.throwIfAborted();
  if (typeof RTCPeerConnection === 'undefined') {
    throw new DialError('no-webrtc', 'This browser has no WebRTC, or it is switched off.');
  }
  const peer = new Peer(`manyhands-worker-${randomHex()}`, peerOptions(settings, randomHex()));
  try {
    return await connect(peer, host, signal);
  } catch (error) {
    peer.destroy();
    throw error;
  }
}

function connect(peer: Peer, host: string, signal: AbortSignal): Promise<PeerLink> {
  return new Promise<PeerLink>((resolve, reject) => {
    const fail = (code: DialCode, message: string): void => settle(() => reject(new DialError(code, message)));
    const onAbort = (): void => settle(() => reject(signal.reason));
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    signal.addEventListener('abort', onAbort);
    let timer = setTimeout(() => fail('no-signalling', 'The signalling server does not answer.'), OPEN_MS);

    peer.on('error', (error) => fail(...dialFailure(error)));
    peer.once('open', () => {
      clearTimeout(timer);
      const connection = peer.connect(host, { serialization: 'raw', reliable: true, label: 'manyhands' });
      timer = setTimeout(() => {
        const hasAnswered = connection.peerConnection?.remoteDescription != null;
        if (hasAnswered) fail('ice-failed', 'The host answered, but no way to it was found in time.');
        else fail('no-host', 'The host is known but does not answer.');
      }, CONNECT_MS);
      connection.on('error', (error) => fail('ice-failed', `No way to the host was found: ${error.message}`));
      connection.once('open', () =>
        settle(() => {
          const link = linkOver(connection, () => peer.destroy());
          // The link needs signalling no more, and a hidden tab pays for an open WebSocket.
          peer.disconnect();
          resolve(link);
        }),
      );
    });
  });
}

function linkOver(connection: DataConnection, dispose: () => void): PeerLink {
  // Without it a closed tab says nothing, and the other side waits for ICE to notice: more than ten seconds.
  const onPageHide = (): void => connection.close();
  addEventListener('pagehide', onPageHide);
  const link = new ChannelLink(connection.peerConnection, connection.dataChannel, () => {
    removeEventListener('pagehide', onPageHide);
    connection.close();
    dispose();
  });
  connection.once('close', () => link.lost('the connection ended'));
  return link;
}

function accept(connection: DataConnection, pending: Set<DataConnection>, onLink: (link: PeerLink) => void): void {
  pending.add(connection);
  const settle = (): void => {
    clearTimeout(timer);
    pending.delete(connection);
  };
  const giveUp = (): void => {
    settle();
    connection.close();
  };
  const timer = setTimeout(giveUp, CONNECT_MS);
  connection.on('error', () => {
    if (!connection.open) giveUp();
  });
  connection.once('open', () => {
    settle();
    onLink(linkOver(connection, () => {}));
  });
}

/** Puts `isWelcome` between PeerJS's socket and PeerJS. */
function guard(peer: Peer, pending: Set<DataConnection>): void {
  const handlers = peer.socket.listeners('message');
  peer.socket.removeAllListeners('message');
  const hasConnection = (from: string, id: string): boolean => peer.getConnection(from, id) !== null;
  peer.socket.on('message', (message: unknown) => {
    if (isWelcome(message, pending.size, hasConnection)) for (const handle of handlers) handle(message);
  });
}

function peerOptions({ signalling, iceServers }: NetSettings, token: string): PeerOptions {
  // PeerJS would fill whatever is left out with its public servers.
  return { ...signalling, token, config: { iceServers: [...iceServers] }, debug: 0 };
}

function hostId(code: string): string {
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(code) && code.length <= 40) return `manyhands-host-${code}`;
  throw new RangeError(`"${code}" is not a code: it has up to 40 small letters and digits, with single dashes between`);
}

// crypto.randomUUID exists only in secure contexts, which http://192.168.x.x is not.
const randomHex = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Words for a failure of signalling, or null when only one connection is concerned. */
function listenProblem({ type }: PeerError<string>): string | null {
  if (type === 'peer-unavailable' || type === 'webrtc' || type === 'disconnected') return null;
  if (type === 'unavailable-id')
    return 'This code is in use, perhaps by this page before it was reloaded. Trying again.';
  if (type === 'browser-incompatible') return 'This browser has no WebRTC, or it is switched off.';
  return 'The signalling server cannot be reached. Trying again; workers that are connected go on.';
}

function dialFailure({ type, message }: PeerError<string>): [DialCode, string] {
  if (type === 'peer-unavailable') return ['no-host', 'No host with this code is there.'];
  if (type === 'browser-incompatible') return ['no-webrtc', 'This browser has no WebRTC, or it is switched off.'];
  if (type === 'webrtc') return ['ice-failed', `The connection could not be set up: ${message}`];
  return ['no-signalling', `The signalling server cannot be reached: ${message}`];
}
