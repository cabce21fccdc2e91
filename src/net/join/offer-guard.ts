import * as z from 'zod/mini';

const id = z.string().check(z.maxLength(64));
const sdp = z.string().check(z.maxLength(32_768));

const offer = z.object({
  type: z.literal('OFFER'),
  src: id,
  payload: z.object({
    type: z.literal('data'),
    connectionId: id,
    label: z.optional(id),
    reliable: z.literal(true),
    serialization: z.literal('raw'),
    metadata: z.object({ ticket: id }),
    sdp: z.object({ type: z.literal('offer'), sdp }),
  }),
});

const candidate = z.object({
  type: z.literal('CANDIDATE'),
  src: id,
  payload: z.object({ connectionId: id, candidate: z.looseObject({}) }),
});

const relayed = z.object({
  type: z.literal('RELAY'),
  payload: z.object({ link: z.string().check(z.regex(/^[0-9a-f]{32}$/)), ticket: id }),
});

/** A worker that waits at the relay for this host: under which name, and with which ticket. Null if it is not that. */
export function readRelayed(message: unknown): { readonly link: string; readonly ticket: string } | null {
  const { success, data } = relayed.safeParse(message);
  return success ? data.payload : null;
}

/** Chromium gives a tab 500 connections for good; this many half-made ones at a time leave room for a class. */
export const MAX_PENDING = 64;

/**
 * Whether a host may hand a signalling message on to PeerJS, which makes a connection of every offer before asking,
 * throws on malformed ones, and keeps candidates without a connection for ever. `admits` judges the offer's ticket.
 */
export function isWelcome(
  message: unknown,
  pendingCount: number,
  hasConnection: (peer: string, connectionId: string) => boolean,
  admits: (ticket: string) => boolean,
): boolean {
  const type = typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
  if (type === 'OFFER') {
    const { success, data } = offer.safeParse(message);
    if (!success || pendingCount >= MAX_PENDING) return false;
    return !hasConnection(data.src, data.payload.connectionId) && admits(data.payload.metadata.ticket);
  }
  if (type === 'CANDIDATE') {
    const { success, data } = candidate.safeParse(message);
    return success && hasConnection(data.src, data.payload.connectionId);
  }
  // Not ANSWER: a host makes no offers. Not LEAVE: who leaves signalling keeps the link.
  return type === 'OPEN' || type === 'ERROR' || type === 'ID-TAKEN' || type === 'INVALID-KEY' || type === 'EXPIRE';
}
