import * as z from 'zod/mini';
import { answerSchema, candidateSchema, iceServerSchema, offerSchema, type Signal } from '../link/signal.ts';

/*
 * HOW A WORKER GETS IN. Tabs and Node use the same files; what their runtimes do differently is in Runtime.
 *
 * 1. The host opens a WebSocket to the relay: signal/socket?id=manyhands-host-<code>&token=<own>.
 *    The relay answers OPEN (or ID-TAKEN: another token has the code). The same token takes a half-open socket over.
 * 2. The host sends ROOM with its terms (invite.ts: verifierOf). The relay answers ROOM with ICE servers: from then on
 *    workers can come. A host may send ROOM again at any time: with another verifier old invites stop working, and
 *    `iceServers` come fresh (TURN credentials run out).
 * 3. A worker asks POST signal/join (code and ticket; null: the code was typed) and hears JoinAnswer: ICE servers,
 *    and for a typed code an invite. It then opens signal/socket with id=manyhands-worker-<random>&token=<code>.<ticket>.
 *    A socket with a wrong ticket is refused with 403. A worker's messages go to its host only, a host's to its workers.
 * 4. The worker's OFFER has its ticket. The host checks it and counts the connections under way before it makes one.
 * 5. The channel opens, and both sides prove themselves (handshake.ts); only then do frames flow. The keys: `proof` of
 *    the invite at the worker, proofFor(secret, code, ticket) at the host.
 * 6. Where ICE finds no way, the worker opens relay?token=<code>.<ticket>. The host hears RELAY, checks the ticket as in
 *    4 and opens relay?link=<link>. Both go on with 5 over a RelayLink, without fingerprints: the relay carries the
 *    frames and could read them.
 */

const HOST_PREFIX = 'manyhands-host-';

/** The signalling name of the host of a code. */
export const hostId = (code: string): string => HOST_PREFIX + code;

/** The code of the host with this signalling name; null if it is a worker's. */
export const codeOf = (id: string): string | null => (id.startsWith(HOST_PREFIX) ? id.slice(HOST_PREFIX.length) : null);

const id = z.string().check(z.maxLength(64));
const code = z.string().check(z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), z.maxLength(40));

/** Who opens a signalling socket. */
export const peerSchema = z.object({
  id: z.string().check(z.regex(/^manyhands-(host|worker)-[a-z0-9]+(-[a-z0-9]+)*$/), z.maxLength(64)),
  token: z.string().check(z.regex(/^[A-Za-z0-9._-]{1,128}$/)),
});

/** On what terms a host lets workers in. */
export const termsSchema = z.object({
  verifier: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)),
  /** Whether the relay may give an invite to whoever knows the code. */
  allowsTyping: z.boolean(),
  /** What a relay that lets only some open rooms asks for. */
  hostKey: z.optional(z.string().check(z.maxLength(128))),
});
export type RoomTerms = z.infer<typeof termsSchema>;

/** What hosts and workers say through signalling; the relay passes payloads on unread. */
export const toRelaySchema = z.object({
  type: z.enum(['OFFER', 'ANSWER', 'CANDIDATE', 'LEAVE', 'HEARTBEAT', 'ROOM']),
  dst: z.optional(id),
  payload: z.optional(z.unknown()),
});

/** What they hear. */
export const fromRelaySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('OPEN') }),
  z.object({ type: z.literal('ID-TAKEN') }),
  z.object({ type: z.literal('ERROR'), payload: z.object({ code: z.literal('host-key') }) }),
  z.object({ type: z.literal('EXPIRE') }),
  z.object({ type: z.literal('ROOM'), payload: z.object({ iceServers: z.array(iceServerSchema) }) }),
  z.object({
    type: z.literal('RELAY'),
    payload: z.object({ link: z.string().check(z.regex(/^[0-9a-f]{32}$/)), ticket: id }),
  }),
  z.object({ type: z.literal('OFFER'), src: id, payload: z.object({ ticket: id, signal: offerSchema }) }),
  z.object({ type: z.literal('ANSWER'), src: id, payload: z.object({ signal: answerSchema }) }),
  z.object({ type: z.literal('CANDIDATE'), src: id, payload: z.object({ signal: candidateSchema }) }),
]);
export type FromRelay = z.infer<typeof fromRelaySchema>;

/** A signal as it goes through the relay. */
export const signalMessage = (signal: Signal, dst: string, ticket?: string) => {
  const type = ({ offer: 'OFFER', answer: 'ANSWER', candidate: 'CANDIDATE' } as const)[signal.kind];
  return { type, dst, payload: { ticket, signal } };
};

export const joinRequestSchema = z.object({ code, ticket: z.nullable(id) });

export const joinRefusals = ['no-host', 'not-invited', 'expired', 'code-off', 'too-many-tries'] as const;
export type JoinRefusal = (typeof joinRefusals)[number];

export const joinAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('welcome'), invite: z.nullable(z.string()), iceServers: z.array(iceServerSchema) }),
  z.object({ kind: z.literal('refused'), why: z.enum(joinRefusals) }),
]);
export type JoinAnswer = z.infer<typeof joinAnswerSchema>;
