import { errorText } from '../../experiment/error-text.ts';
import { Connection, type ConnectionEvents } from '../link/connection.ts';
import { RelayLink } from '../link/relay-link.ts';
import { type Fingerprints, type IceServer, newCall } from '../link/signal.ts';
import { type DialCode, DialError } from './dial-error.ts';
import { type BareLink, greetHost, HandshakeError, type ProvenLink } from './handshake.ts';
import { type NetSettings, socketUrl } from './ice.ts';
import { type Invite, readInvite } from './invite.ts';
import { hostId, type JoinAnswer, joinAnswerSchema, signalMessage } from './messages.ts';
import { type Runtime, SignalSocket } from './signal-socket.ts';

/** How long the relay may take to answer a question. */
const ASK_MS = 8000;

export interface DialTarget {
  readonly code: string;
  /** From the link; null when the code was typed. */
  readonly invite: string | null;
  /** See deviceFor. */
  readonly device: string;
  /** 'relay' tries no data channel. */
  readonly transport: 'auto' | 'relay';
  /** Hears which STUN and TURN servers the relay added, each time it is asked. */
  onServers(servers: readonly IceServer[]): void;
}

/**
 * A way to one host, to be used again whenever the link was lost: asks the relay, connects directly or, where that fails,
 * through the relay, and gives a link whose other end is proven to be the host. It rejects with a DialError, or with the
 * signal's reason.
 */
export function dialer(
  runtime: Runtime,
  target: DialTarget,
  settings: NetSettings,
): (signal: AbortSignal) => Promise<ProvenLink> {
  const { code, device } = target;
  const given = target.invite === null ? null : readInvite(target.invite);
  let typed: Invite | null = null;
  // Where data channels were blocked once they are next time: no second wait for them.
  let mustRelay = target.transport === 'relay';

  return async (signal) => {
    signal.throwIfAborted();
    if (target.invite !== null && given === null)
      throw new DialError('not-invited', 'The invite in the link is damaged.');
    const { invite, iceServers } = await getIn(signal);
    if (given === null) typed = invite;
    target.onServers(iceServers);
    if (!mustRelay) {
      try {
        const all = [...settings.iceServers, ...iceServers];
        const [link, fingerprints] = await connectToHost(
          runtime,
          settings,
          { code, ...invite, iceServers: all },
          signal,
        );
        return await prove(link, invite, fingerprints);
      } catch (error) {
        const isBlocked = error instanceof DialError && (error.code === 'ice-failed' || error.code === 'no-webrtc');
        if (!isBlocked) throw error;
        const link = await throughRelay(invite, signal).catch(() => null);
        signal.throwIfAborted();
        if (link === null) throw error;
        mustRelay = true;
        return prove(link, invite, null);
      }
    }
    return prove(await throughRelay(invite, signal), invite, null);
  };

  /** A valid invite, and the servers that come with it: the link's, the one that the code brought, or a new one for the code. */
  async function getIn(signal: AbortSignal) {
    const held = given ?? typed;
    let answer = await ask(code, held?.ticket ?? null, settings, signal);
    if (answer.kind === 'refused' && held !== null && given === null) answer = await ask(code, null, settings, signal);
    if (answer.kind === 'refused') throw new DialError(answer.why, `The relay refused: ${answer.why}.`);
    const invite = answer.invite === null ? held : readInvite(answer.invite);
    if (invite === null) throw new DialError('no-signalling', 'The relay gave no invite for the code.');
    return { invite, iceServers: answer.iceServers };
  }

  async function throughRelay({ ticket }: Invite, signal: AbortSignal): Promise<RelayLink> {
    try {
      const url = socketUrl(settings.relayUrl, 'relay', { token: `${code}.${ticket}` });
      return await RelayLink.open(runtime.openSocket, url, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new DialError('ice-failed', `No way to the host: ${errorText(error)}.`);
    }
  }

  async function prove(link: BareLink, { proof }: Invite, fingerprints: Fingerprints | null): Promise<ProvenLink> {
    try {
      return await greetHost(link, { proof, fingerprints, device });
    } catch (error) {
      if (!(error instanceof HandshakeError)) throw error;
      const { message, code: why } = error;
      throw new DialError(why === 'removed' || why === 'not-the-host' ? why : 'no-host', message);
    }
  }
}

async function ask(
  code: string,
  ticket: string | null,
  { relayUrl }: NetSettings,
  signal: AbortSignal,
): Promise<JoinAnswer> {
  try {
    const response = await fetch(new URL('signal/join', relayUrl), {
      method: 'POST',
      body: JSON.stringify({ code, ticket }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]),
    });
    return joinAnswerSchema.parse(await response.json());
  } catch (error) {
    signal.throwIfAborted();
    throw new DialError('no-signalling', `The relay cannot be reached: ${errorText(error)}`);
  }
}

/** A data channel to the host of a code, which has yet to prove itself. */
function connectToHost(
  runtime: Runtime,
  { relayUrl }: NetSettings,
  { code, ticket, iceServers }: { code: string; ticket: string; iceServers: readonly IceServer[] },
  signal: AbortSignal,
): Promise<readonly [BareLink, Fingerprints]> {
  const { openRtc } = runtime;
  const host = hostId(code);
  signal.throwIfAborted();
  if (openRtc === null) throw new DialError('no-webrtc', 'This browser has no WebRTC, or it is switched off.');
  return new Promise((resolve, reject) => {
    let connection: Connection | null = null;
    const settle = (): void => {
      signal.removeEventListener('abort', onAbort);
      // A link needs signalling no more, and a hidden tab pays for an open WebSocket.
      socket.close();
    };
    const fail = (error: unknown): void => {
      settle();
      connection?.abort();
      reject(error);
    };
    const failWith = (why: DialCode, message: string): void => fail(new DialError(why, message));
    const onAbort = (): void => fail(signal.reason);
    signal.addEventListener('abort', onAbort);

    const events: ConnectionEvents = {
      send: (own) => socket.send(signalMessage(own, host, ticket)),
      onLink(link, fingerprints) {
        settle();
        resolve([link, fingerprints]);
      },
      onFailed(failure, why) {
        if (failure === 'unanswered') failWith('no-host', 'The host is known but does not answer.');
        else failWith('ice-failed', `No way to the host was found: ${why}.`);
      },
      onGone() {},
    };
    const id = `manyhands-worker-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`;
    const socket = new SignalSocket(
      runtime,
      relayUrl,
      { id, token: `${code}.${ticket}` },
      {
        onOpen() {
          try {
            connection = new Connection(newCall(), openRtc, iceServers, events);
            void connection.offer();
          } catch (error) {
            failWith('ice-failed', `No connection could be made: ${errorText(error)}.`);
          }
        },
        onMessage(message) {
          if (message.type === 'EXPIRE') failWith('no-host', 'No host with this code is there.');
          else if (message.type !== 'ANSWER' && message.type !== 'CANDIDATE') return;
          else if (message.payload.signal.call === connection?.call) void connection.hear(message.payload.signal);
        },
        onEnd: () => failWith('no-signalling', 'The signalling server cannot be reached.'),
      },
    );
  });
}
