import {
  type CountedLink,
  greetWorker,
  type IceServer,
  type Prints,
  type ProvenLink,
} from '../../net/join/handshake.ts';
import { checkTicket, proofFor, verifierOf, viaOf } from '../../net/join/invite.ts';
import { isWelcome, MAX_PENDING, readRelayed } from '../../net/join/offer-guard.ts';
import { RelayLink } from '../../net/link/relay-link.ts';
import {
  addCandidate,
  type Candidate,
  openConnection,
  type PeerConnection,
  printsOn,
  setRemote,
} from './connection.ts';
import { NodeLink } from './link.ts';
import { openRelaySocket } from './relay-socket.ts';
import { type RelayAddress, type Signal, SignalSocket } from './signal.ts';

/** How long a connection may take from the offer to an open channel. */
const CONNECT_MS = 15_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 8000;
/** TURN credentials run out after twelve hours. */
const FRESH_MS = 6 * 3_600_000;

/** A room of this process. */
export interface NodeRoom {
  readonly code: string;
  /** Proves to signalling that a process started anew is the same host. */
  readonly token: string;
  /** What invites are made from. */
  readonly secret: string;
  readonly allowsTyping: boolean;
}

export interface NodeNet extends RelayAddress {
  /** The one address that data channels use; null: every address of the machine. */
  readonly bindAddress: string | null;
  /** What the relay asks of hosts, if it does. */
  readonly hostKey?: string;
}

export interface NodeListenHandlers {
  onLink(link: ProvenLink): void;
  onState(state: { readonly kind: 'connecting' | 'open' | 'lost'; readonly problem: string | null }): void;
  isBanned(device: string): boolean;
}

/**
 * Waits for invited workers in this process. Returns to a lost signalling server by itself; links that are open do not
 * need it and stay. `close` ends everything.
 */
export function listenInNode(room: NodeRoom, net: NodeNet, handlers: NodeListenHandlers): { close(): void } {
  const { code, token, secret, allowsTyping } = room;
  const verifier = verifierOf(secret, code);
  const half = new Map<string, PeerConnection>();
  const links = new Set<CountedLink>();
  let iceServers: readonly IceServer[] = [];
  let failures = 0;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let socket = join();
  const freshener = setInterval(() => declare(socket), FRESH_MS);
  handlers.onState({ kind: 'connecting', problem: null });

  function join(): SignalSocket {
    const current = new SignalSocket(
      net,
      { id: `manyhands-host-${code}`, token },
      {
        onOpen: () => declare(current),
        onEnd(why) {
          handlers.onState({ kind: 'lost', problem: endWords[why] });
          const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
          failures += 1;
          timer = setTimeout(() => {
            if (!isClosed) socket = join();
          }, pauseMs);
        },
        onSignal: (signal) => hear(current, signal),
      },
    );
    return current;
  }

  function declare(to: SignalSocket): void {
    to.send('ROOM', '', { verifier, allowsTyping, ...(net.hostKey === undefined ? {} : { hostKey: net.hostKey }) });
  }

  function admits(ticket: string): boolean {
    if (viaOf(ticket) === 'code' && !allowsTyping) return false;
    return checkTicket(verifier, code, ticket, Date.now()) === 'valid';
  }

  function hear(from: SignalSocket, signal: Signal): void {
    if (signal.type === 'ROOM') {
      failures = 0;
      iceServers = (signal.payload as { iceServers?: IceServer[] }).iceServers ?? [];
      return handlers.onState({ kind: 'open', problem: null });
    }
    const waiting = readRelayed(signal);
    if (waiting !== null) return void meet(waiting.link, waiting.ticket);
    const hasConnection = (peer: string, id: string) => half.has(`${peer} ${id}`);
    if (!isWelcome(signal, half.size, hasConnection, admits)) return;
    const { src, payload } = signal as unknown as Welcome;
    if (signal.type === 'CANDIDATE') addCandidate(half.get(`${src} ${payload.connectionId}`), payload.candidate);
    else if (signal.type === 'OFFER') accept(from, src, payload);
  }

  function accept(from: SignalSocket, src: string, { connectionId, sdp, metadata }: Welcome['payload']): void {
    const key = `${src} ${connectionId}`;
    const tell = (type: 'OFFER' | 'ANSWER' | 'CANDIDATE', part: object) =>
      from.send(type, src, { ...part, type: 'data', connectionId });
    const connection = openConnection(iceServers, net.bindAddress, tell);
    half.set(key, connection);
    const settle = () => {
      clearTimeout(patience);
      half.delete(key);
    };
    const giveUp = () => {
      settle();
      connection.close();
    };
    const patience = setTimeout(giveUp, CONNECT_MS);
    connection.onStateChange((state) => {
      if (state === 'failed' || state === 'closed') giveUp();
    });
    connection.onDataChannel((channel) => {
      const open = () => {
        settle();
        const link = new NodeLink(connection, channel, () => links.delete(link));
        links.add(link);
        welcome(link, metadata.ticket, printsOn(connection));
      };
      if (channel.isOpen()) open();
      else channel.onOpen(open);
    });
    if (!setRemote(connection, sdp.sdp, 'offer')) giveUp();
  }

  /** A worker that found no direct way waits at the relay. */
  async function meet(name: string, ticket: string): Promise<void> {
    if (half.size >= MAX_PENDING || !admits(ticket)) return;
    const socket = await openRelaySocket(net, { link: name });
    if (socket === null) return;
    const link = new RelayLink(socket);
    links.add(link);
    welcome(link, ticket, null);
  }

  /** Hands the link on once its other end has shown that it was invited; else the greeting closes it. */
  function welcome(link: CountedLink, ticket: string, prints: Prints | null): void {
    const proof = proofFor(secret, code, ticket);
    const route = prints === null ? 'relayed' : 'direct';
    greetWorker(link, { proof, prints, route, isBanned: handlers.isBanned }).then(handlers.onLink, () =>
      links.delete(link),
    );
  }

  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(freshener);
      socket.close();
      for (const link of links) link.close();
      for (const connection of half.values()) connection.close();
    },
  };
}

/** An offer or a candidate that `isWelcome` let through. */
interface Welcome {
  readonly src: string;
  readonly payload: {
    readonly connectionId: string;
    readonly sdp: { readonly sdp: string };
    readonly metadata: { readonly ticket: string };
    readonly candidate: Candidate;
  };
}

const endWords = {
  taken: 'This code is in use by another host. Trying again.',
  refused: 'The relay refuses this host. Trying again; workers that are connected go on.',
  lost: 'The relay cannot be reached. Trying again; workers that are connected go on.',
} as const;
