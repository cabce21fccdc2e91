import { type DataConnection, Peer, type PeerError, type PeerOptions } from 'peerjs';
import * as z from 'zod/mini';
import { openBrowserSocket } from '../link/browser-socket.ts';
import { ChannelLink } from '../link/channel-link.ts';
import { RelayLink } from '../link/relay-link.ts';
import { type DialCode, DialError } from './dial-error.ts';
import {
  type CountedLink,
  greetWorker,
  HANDSHAKE_MS,
  type Prints,
  type ProvenLink,
  printsOf,
  type RoomPayload,
} from './handshake.ts';
import { type NetSettings, relayUrls } from './ice.ts';
import { checkTicket, proofFor, verifierOf, viaOf } from './invite.ts';
import { isWelcome, MAX_PENDING, readRelayed } from './offer-guard.ts';

export type { PeerLink } from '../link/channel-link.ts';
export { type DialCode, DialError, dialCodes } from './dial-error.ts';

/** How long the signalling server may take to greet. */
const OPEN_MS = 8000;
/** How long a connection may take from the offer to an open channel. On a LAN it takes well under one second. */
const CONNECT_MS = 15_000;
/** A worker has another way when this one takes too long. */
const DIAL_MS = 10_000;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 8000;
/** TURN credentials that the relay gives run out; new ones are asked for long before. */
const TERMS_MS = 3_600_000;

export interface ListenState {
  readonly kind: 'connecting' | 'open' | 'lost';
  /** Why new workers cannot come just now; null while they can or the first attempt goes on. */
  readonly problem: string | null;
}

/** On what terms workers come in. */
export interface Terms {
  /** Another secret makes every invite so far worthless. */
  readonly secret: string;
  readonly allowsTyping: boolean;
}

export interface ListenOptions extends Terms {
  /** Proves to signalling that a reloaded page is the same host. Letters, digits and dashes. */
  readonly token: string;
  /** For a relay that lets only some open rooms. */
  readonly hostKey: string | null;
  isBanned(device: string): boolean;
  onLink(link: ProvenLink): void;
  onState(state: ListenState): void;
}

export interface Listener {
  /** Links that are open stay, whatever the terms become. */
  setTerms(terms: Terms): void;
  /** Stops listening and ends all links. */
  close(): void;
}

const roomAnswer = z.object({
  type: z.literal('ROOM'),
  payload: z.object({
    iceServers: z.array(
      z.object({ urls: z.string(), username: z.optional(z.string()), credential: z.optional(z.string()) }),
    ),
  }),
});

/**
 * Waits for invited workers under `code`. Returns to a lost signalling server by itself, for as long as it takes;
 * links that are open do not need it and stay.
 */
export function listen(code: string, settings: NetSettings, options: ListenOptions): Listener {
  const id = hostId(code);
  const { token, onLink, onState } = options;
  if (!/^[A-Za-z0-9-]{1,128}$/.test(token))
    throw new RangeError('a host token has 1 to 128 letters, digits and dashes');
  let terms: Terms = options;
  const pending = new Set<object>();
  let relayed: readonly RelayLink[] = [];
  const closing = new AbortController();
  const { config, ...peerSettings } = peerOptions(settings, token);
  let peer = create();
  let problem: string | null = null;
  let failures = 0;
  let isClosed = false;
  let timer = watchdog();
  let termsTimer: ReturnType<typeof setTimeout> | undefined;
  onState({ kind: 'connecting', problem: null });

  function create(): Peer {
    const fresh = new Peer(id, { ...peerSettings, config });
    guard(fresh);
    fresh.on('open', sendTerms);
    fresh.on('connection', accept);
    fresh.on('error', (error) => {
      problem = listenProblem(error) ?? problem;
    });
    fresh.on('disconnected', retryLater);
    return fresh;
  }

  function watchdog(): ReturnType<typeof setTimeout> {
    return setTimeout(() => peer.disconnect(), OPEN_MS);
  }

  function sendTerms(): void {
    clearTimeout(termsTimer);
    termsTimer = setTimeout(sendTerms, TERMS_MS);
    const { hostKey } = options;
    const payload: RoomPayload = { verifier: verifierOf(terms.secret, code), allowsTyping: terms.allowsTyping };
    peer.socket.send({ type: 'ROOM', payload: hostKey === null ? payload : { ...payload, hostKey } });
  }

  function retryLater(): void {
    clearTimeout(timer);
    clearTimeout(termsTimer);
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

  /** Puts `isWelcome` between PeerJS's socket and PeerJS, and hears what PeerJS does not know. */
  function guard(fresh: Peer): void {
    const handlers = fresh.socket.listeners('message');
    fresh.socket.removeAllListeners('message');
    const hasConnection = (from: string, id: string): boolean => fresh.getConnection(from, id) !== null;
    fresh.socket.on('message', (message: unknown) => {
      const room = roomAnswer.safeParse(message);
      const waiting = readRelayed(message);
      if (room.success) opened(room.data.payload.iceServers);
      else if (waiting !== null) void meet(waiting);
      else if (isWelcome(message, pending.size, hasConnection, admits)) for (const handle of handlers) handle(message);
    });
  }

  function opened(iceServers: NetSettings['iceServers']): void {
    clearTimeout(timer);
    failures = 0;
    problem = null;
    // PeerJS reads this very object for each connection it makes.
    config.iceServers = [...settings.iceServers, ...iceServers];
    onState({ kind: 'open', problem: null });
  }

  function admits(ticket: string): boolean {
    const { secret, allowsTyping } = terms;
    if (viaOf(ticket) === 'code' && !allowsTyping) return false;
    return checkTicket(verifierOf(secret, code), code, ticket, Date.now()) === 'valid';
  }

  function accept(connection: DataConnection): void {
    pending.add(connection);
    const settle = (): void => {
      clearTimeout(patience);
      pending.delete(connection);
    };
    const giveUp = (): void => {
      settle();
      connection.close();
    };
    const patience = setTimeout(giveUp, CONNECT_MS);
    connection.on('error', () => {
      if (!connection.open) giveUp();
    });
    connection.once('open', () => {
      const { ticket } = connection.metadata as { ticket: string };
      const link = linkOver(connection, () => {});
      void printsOfConnection(connection)
        .then((prints) => welcome(link, ticket, prints))
        .then(settle);
    });
  }

  async function meet({ link: name, ticket }: { link: string; ticket: string }): Promise<void> {
    if (pending.size >= MAX_PENDING || !admits(ticket)) return;
    const place = {};
    pending.add(place);
    try {
      const url = `${relayUrls(settings).relay}?link=${name}`;
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(CONNECT_MS)]);
      const link = new RelayLink(await openBrowserSocket(url, signal));
      relayed = [...relayed.filter(({ isEnded }) => !isEnded), link];
      await welcome(link, ticket, null);
    } catch {
      // The worker, or the relay, is gone meanwhile: it asks again.
    } finally {
      pending.delete(place);
    }
  }

  /** Hands the link on once its other end has shown that it was invited. */
  async function welcome(link: CountedLink, ticket: string, prints: Prints | null): Promise<void> {
    const proof = proofFor(terms.secret, code, ticket);
    const route = prints === null ? 'relayed' : 'direct';
    try {
      const proven = await greetWorker(link, { proof, prints, route, isBanned: options.isBanned });
      if (isClosed) proven.close();
      else onLink(proven);
    } catch {
      // Closed by the handshake; whoever it was hears why, if it was invited.
    }
  }

  return {
    setTerms(changed) {
      terms = changed;
      if (peer.open) sendTerms();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(termsTimer);
      closing.abort();
      for (const link of relayed) link.close();
      // The code is free for another at once; a page that is reloaded keeps it.
      peer.socket.send({ type: 'LEAVE' });
      peer.destroy();
    },
  };
}

/**
 * A data channel to the host of `code`, which has yet to prove itself. Rejects with a DialError, or with the signal's
 * reason.
 */
export async function connectToHost(
  { code, ticket }: { readonly code: string; readonly ticket: string },
  settings: NetSettings,
  signal: AbortSignal,
): Promise<{ link: CountedLink; prints: Prints }> {
  const host = hostId(code);
  signal.throwIfAborted();
  if (typeof RTCPeerConnection === 'undefined') {
    throw new DialError('no-webrtc', 'This browser has no WebRTC, or it is switched off.');
  }
  const peer = new Peer(`manyhands-worker-${randomHex()}`, peerOptions(settings, `${code}.${ticket}`));
  try {
    return await connect(peer, host, ticket, signal);
  } catch (error) {
    peer.destroy();
    throw error;
  }
}

function connect(
  peer: Peer,
  host: string,
  ticket: string,
  signal: AbortSignal,
): Promise<{ link: CountedLink; prints: Prints }> {
  return new Promise((resolve, reject) => {
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
      const metadata = { ticket };
      const connection = peer.connect(host, { serialization: 'raw', reliable: true, label: 'manyhands', metadata });
      timer = setTimeout(() => {
        const hasAnswered = connection.peerConnection?.remoteDescription != null;
        if (hasAnswered) fail('ice-failed', 'The host answered, but no way to it was found in time.');
        else fail('no-host', 'The host is known but does not answer.');
      }, DIAL_MS);
      connection.on('error', (error) => fail('ice-failed', `No way to the host was found: ${error.message}`));
      connection.once('open', () =>
        settle(() => {
          const link = linkOver(connection, () => peer.destroy());
          // The link needs signalling no more, and a hidden tab pays for an open WebSocket.
          peer.disconnect();
          resolve(printsOfConnection(connection).then((prints) => ({ link, prints })));
        }),
      );
    });
  });
}

function linkOver(connection: DataConnection, dispose: () => void): CountedLink {
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

/**
 * A channel may open before its page learns that both descriptions are set (seen in Chromium under load). Without
 * fingerprints no proof matches, which is right: DTLS has none to check either.
 */
async function printsOfConnection({ peerConnection }: DataConnection): Promise<Prints> {
  const look = (): Prints | null =>
    printsOf(peerConnection.localDescription?.sdp, peerConnection.remoteDescription?.sdp);
  if (look() === null) {
    await new Promise<void>((resolve) => {
      peerConnection.addEventListener('signalingstatechange', () => resolve());
      setTimeout(resolve, HANDSHAKE_MS);
    });
  }
  return look() ?? { local: 'none', remote: 'unknown' };
}

function peerOptions({ signalling, iceServers }: NetSettings, token: string) {
  // PeerJS would fill whatever is left out with its public servers.
  const config: RTCConfiguration = { iceServers: [...iceServers] };
  return { ...signalling, token, config, debug: 0 } satisfies PeerOptions;
}

function hostId(code: string): string {
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(code) && code.length <= 40) return `manyhands-host-${code}`;
  throw new RangeError(`"${code}" is not a code: it has up to 40 small letters and digits, with single dashes between`);
}

// crypto.randomUUID exists only in secure contexts, which http://192.168.x.x is not.
const randomHex = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Words for a failure of signalling, or null when only one connection is concerned. */
function listenProblem({ type, message }: PeerError<string>): string | null {
  if (type === 'peer-unavailable' || type === 'webrtc' || type === 'disconnected') return null;
  if (type === 'unavailable-id')
    return 'This code is in use, perhaps by this page before it was reloaded. Trying again.';
  if (type === 'browser-incompatible') return 'This browser has no WebRTC, or it is switched off.';
  if (message.includes('host-key'))
    return 'This relay opens rooms only for those who know its key: add hostKey=… to the part after # in the address.';
  return 'The signalling server cannot be reached. Trying again; workers that are connected go on.';
}

function dialFailure({ type, message }: PeerError<string>): [DialCode, string] {
  if (type === 'peer-unavailable') return ['no-host', 'No host with this code is there.'];
  if (type === 'browser-incompatible') return ['no-webrtc', 'This browser has no WebRTC, or it is switched off.'];
  if (type === 'webrtc') return ['ice-failed', `The connection could not be set up: ${message}`];
  return ['no-signalling', `The signalling server cannot be reached: ${message}`];
}
