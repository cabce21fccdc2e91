import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/*
 * An invite is a ticket and a proof, both for one room until one moment:
 *
 *   ticket  via · expiry · '.' · 128 bits   shown to the relay and, in the offer, to the host, before anything is built
 *   proof   128 bits                        never sent: both ends of a link show that they know it (handshake.ts)
 *
 * The host has the room's secret (128 bits), from which both follow. The relay has only the verifier: it checks tickets
 * without being able to pass for the host of a link invite. Via says who made the invite: 'L', the host, as a link;
 * 'C', the relay, for somebody who typed the code, while the host allows that. A proof of 'C' is known to the relay,
 * so that whoever typed a code trusts the relay to introduce the right host; whoever used a link need not.
 *
 * crypto.subtle does not exist on plain http pages; these hashes are JavaScript.
 */

const SECRET_BYTES = 16;
const PART_BYTES = 16;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A link lasts a day, and is the same for an hour, so that a QR code on a wall does not keep changing. */
const LINK_MS = 24 * HOUR_MS;
/** Long enough to connect and to come back after a hiccup; afterwards the code is asked again. */
const CODE_MS = HOUR_MS;

export interface Invite {
  /** What the relay and the offer carry. Letters, digits, '-', '_' and one '.'. */
  readonly ticket: string;
  /** The key of the handshake. */
  readonly proof: Uint8Array;
}

/** A room's secret, at random. It stays with the host. */
export const newSecret = (): string => base64Url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));

/** No letters or digits that are taken for each other when read aloud or off a beamer. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
export const CODE_LENGTH = 6;

/** A room's code, at random, as people read it to each other. */
export const newCode = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(CODE_LENGTH)), (n) => ALPHABET[n % ALPHABET.length]).join('');

/** What a host gives the relay: enough to check its invites and to make those for a typed code. */
export const verifierOf = (secret: string, code: string): string =>
  base64Url(mac(bytesOf(secret, SECRET_BYTES), 'verifier', code));

/** The invite of a host's join link at this time, as text for the link. */
export function linkInvite(secret: string, code: string, nowMs: number): string {
  const expiresAtMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS + LINK_MS;
  const ticket = ticketFor(verifierOf(secret, code), code, 'link', expiresAtMs);
  return `${ticket}.${base64Url(proofFor(secret, code, ticket))}`;
}

/** The invite that the relay hands to somebody who typed the code. */
export function codeInvite(verifier: string, code: string, nowMs: number): string {
  const ticket = ticketFor(verifier, code, 'code', Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS + CODE_MS);
  return `${ticket}.${base64Url(codeProof(verifier, code, ticket))}`;
}

const INVITE = /^([LC][0-9a-z]{1,8}\.[A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{22})$/;
const TICKET = /^([LC])([0-9a-z]{1,8})\.[A-Za-z0-9_-]{22}$/;

/** An invite from its text, or null if it is none. Only the host and the relay can tell whether it is good. */
export function readInvite(text: string): Invite | null {
  const [, ticket, proof] = INVITE.exec(text) ?? [];
  return ticket === undefined || proof === undefined ? null : { ticket, proof: bytesOf(proof, PART_BYTES) };
}

/** How the holder of a ticket came by it, and until when it holds; null if it is no ticket. */
export function readTicket(ticket: string): { via: 'link' | 'code'; expiresAtMs: number } | null {
  const [, via, minute] = TICKET.exec(ticket) ?? [];
  if (minute === undefined) return null;
  return { via: via === 'L' ? 'link' : 'code', expiresAtMs: Number.parseInt(minute, 36) * MINUTE_MS };
}

/** Whether a ticket was made with this verifier for this room and still holds. */
export function checkTicket(
  verifier: string,
  code: string,
  ticket: string,
  nowMs: number,
): 'valid' | 'expired' | 'wrong' {
  const read = readTicket(ticket);
  if (read === null || !isSame(ticket, ticketFor(verifier, code, read.via, read.expiresAtMs))) return 'wrong';
  return nowMs < read.expiresAtMs ? 'valid' : 'expired';
}

/** The proof that belongs to a ticket: what the host expects its holder to know. */
export function proofFor(secret: string, code: string, ticket: string): Uint8Array {
  if (readTicket(ticket)?.via === 'code') return codeProof(verifierOf(secret, code), code, ticket);
  return mac(bytesOf(secret, SECRET_BYTES), 'link proof', code, ticket).slice(0, PART_BYTES);
}

/** HMAC-SHA256 over parts that cannot run into each other. */
export function mac(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const bytes = parts.map((part) => (typeof part === 'string' ? utf8ToBytes(part) : part));
  return hmac(sha256, key, concatBytes(...bytes.flatMap((part) => [Uint8Array.of(part.length), part])));
}

/** Equality that takes the same time wherever two texts or byte strings of equal length differ. */
export function isSame(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const [left, right] = [a, b].map((value) => (typeof value === 'string' ? utf8ToBytes(value) : value));
  if (left === undefined || right === undefined || left.length !== right.length) return false;
  let difference = 0;
  for (let i = 0; i < left.length; i++) difference |= (left[i] ?? 0) ^ (right[i] ?? 0);
  return difference === 0;
}

function codeProof(verifier: string, code: string, ticket: string): Uint8Array {
  return mac(bytesOf(verifier, 32), 'code proof', code, ticket).slice(0, PART_BYTES);
}

function ticketFor(verifier: string, code: string, via: 'link' | 'code', expiresAtMs: number): string {
  const head = `${via === 'link' ? 'L' : 'C'}${Math.floor(expiresAtMs / MINUTE_MS).toString(36)}`;
  return `${head}.${base64Url(mac(bytesOf(verifier, 32), 'ticket', code, head).slice(0, PART_BYTES))}`;
}

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');

function bytesOf(text: string, length: number): Uint8Array {
  const bytes = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
  if (bytes.length !== length) throw new RangeError(`a key of ${length} bytes was expected, ${bytes.length} came`);
  return bytes;
}
