import * as z from 'zod/mini';
import { openBrowserSocket } from '../link/browser-socket.ts';
import { RelayLink } from '../link/relay-link.ts';
import { DialError } from './dial-error.ts';
import {
  type CountedLink,
  greetHost,
  HandshakeError,
  type IceServer,
  type JoinAnswer,
  joinRefusals,
  type Prints,
  type ProvenLink,
} from './handshake.ts';
import { type NetSettings, relayUrls } from './ice.ts';
import { type Invite, readInvite } from './invite.ts';
import { connectToHost } from './peer.ts';

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
export function dialer(target: DialTarget, settings: NetSettings): (signal: AbortSignal) => Promise<ProvenLink> {
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
    const all = { ...settings, iceServers: [...settings.iceServers, ...iceServers] };
    const address = { code, ticket: invite.ticket };
    if (!mustRelay) {
      try {
        const { link, prints } = await connectToHost(address, all, signal);
        return await prove(link, invite, prints);
      } catch (error) {
        const isBlocked = error instanceof DialError && (error.code === 'ice-failed' || error.code === 'no-webrtc');
        if (!isBlocked) throw error;
        const link = await throughRelay(address, signal).catch(() => null);
        signal.throwIfAborted();
        if (link === null) throw error;
        mustRelay = true;
        return prove(link, invite, null);
      }
    }
    return prove(await throughRelay(address, signal), invite, null);
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

  async function throughRelay({ ticket }: { ticket: string }, signal: AbortSignal): Promise<RelayLink> {
    try {
      return new RelayLink(await openBrowserSocket(`${relayUrls(settings).relay}?token=${code}.${ticket}`, signal));
    } catch (error) {
      signal.throwIfAborted();
      throw new DialError('ice-failed', `No way to the host: ${(error as Error).message}.`);
    }
  }

  async function prove(link: CountedLink, { proof }: Invite, prints: Prints | null): Promise<ProvenLink> {
    try {
      return await greetHost(link, { proof, prints, device, route: prints === null ? 'relayed' : 'direct' });
    } catch (error) {
      if (!(error instanceof HandshakeError)) throw error;
      const { message, code: why } = error;
      throw new DialError(why === 'removed' || why === 'not-the-host' ? why : 'no-host', message);
    }
  }
}

const iceServer = z.object({
  urls: z.string(),
  username: z.optional(z.string()),
  credential: z.optional(z.string()),
});
const answerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('welcome'), invite: z.nullable(z.string()), iceServers: z.array(iceServer) }),
  z.object({ kind: z.literal('refused'), why: z.enum(joinRefusals) }),
]);

async function ask(
  code: string,
  ticket: string | null,
  settings: NetSettings,
  signal: AbortSignal,
): Promise<JoinAnswer> {
  try {
    const response = await fetch(relayUrls(settings).join, {
      method: 'POST',
      body: JSON.stringify({ code, ticket }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]),
    });
    return answerSchema.parse(await response.json());
  } catch (error) {
    signal.throwIfAborted();
    throw new DialError('no-signalling', `The relay cannot be reached: ${(error as Error).message}`);
  }
}
