import { expect, test } from 'vitest';
import { rng } from '../../core/math/rng.ts';
import {
  checkTicket,
  codeInvite,
  linkInvite,
  newSecret,
  proofFor,
  readInvite,
  readTicket,
  verifierOf,
} from './invite.ts';

const HOUR_MS = 3_600_000;
const secret = 'AAECAwQFBgcICQoLDA0ODw';
const code = 'abc234';
const nowMs = Date.UTC(2030, 0, 1, 12, 30);
const verifier = verifierOf(secret, code);

const made = (text: string) => {
  const invite = readInvite(text);
  const read = readTicket(invite?.ticket ?? '');
  if (invite === null || read === null) throw new Error(`${text} is no invite`);
  return { ...invite, ...read };
};

test('a link lets in for a day and not longer, and is the same for an hour', () => {
  const text = linkInvite(secret, code, nowMs);
  const { ticket, via, expiresAtMs } = made(text);
  expect(via).toBe('link');
  expect(expiresAtMs - nowMs).toBeGreaterThanOrEqual(24 * HOUR_MS);
  expect(expiresAtMs - nowMs).toBeLessThanOrEqual(25 * HOUR_MS);
  expect(checkTicket(verifier, code, ticket, nowMs)).toBe('valid');
  expect(checkTicket(verifier, code, ticket, expiresAtMs - 1)).toBe('valid');
  expect(checkTicket(verifier, code, ticket, expiresAtMs)).toBe('expired');
  expect(linkInvite(secret, code, nowMs + HOUR_MS / 3)).toBe(text);
  expect(linkInvite(secret, code, nowMs + HOUR_MS)).not.toBe(text);
});

test('a typed code gets an invite of its own kind, whose proof the host knows too', () => {
  const { ticket, via, proof, expiresAtMs } = made(codeInvite(verifier, code, nowMs));
  expect(via).toBe('code');
  expect(expiresAtMs - nowMs).toBeLessThanOrEqual(HOUR_MS + 60_000);
  expect(checkTicket(verifier, code, ticket, nowMs)).toBe('valid');
  expect(proofFor(secret, code, ticket)).toEqual(proof);
});

test('the relay, which has the verifier, cannot tell the proof of a link', () => {
  const { ticket, proof } = made(linkInvite(secret, code, nowMs));
  expect(proofFor(secret, code, ticket)).toEqual(proof);
  // What it could make for the same ticket with all it knows.
  const pretended = codeInvite(verifier, code, nowMs);
  expect(made(pretended).proof).not.toEqual(proof);
  expect(verifier).not.toContain(secret);
});

test('an invite is for one room with one secret', () => {
  const { ticket } = made(linkInvite(secret, code, nowMs));
  expect(checkTicket(verifierOf(secret, 'abc235'), 'abc235', ticket, nowMs)).toBe('wrong');
  const other = newSecret();
  expect(checkTicket(verifierOf(other, code), code, ticket, nowMs)).toBe('wrong');
  expect(proofFor(other, code, ticket)).not.toEqual(proofFor(secret, code, ticket));
});

test('no changed ticket is valid: later, of another kind, or with any character replaced (seed 5)', () => {
  const { ticket } = made(linkInvite(secret, code, nowMs));
  expect(checkTicket(verifier, code, ticket.replace(/^L/, 'C'), nowMs)).toBe('wrong');
  const random = rng(5);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
  for (let i = 0; i < 500; i++) {
    const at = random.below(ticket.length);
    const changed = ticket.slice(0, at) + alphabet[random.below(alphabet.length)] + ticket.slice(at + 1);
    // The last of 22 characters holds 2 bits of the ticket; tickets are compared as text, so its other bits count too.
    if (changed !== ticket) expect(checkTicket(verifier, code, changed, nowMs), changed).toBe('wrong');
  }
});

test.each([
  '',
  'L',
  `L7.${'a'.repeat(22)}`,
  `X7.${'a'.repeat(22)}.${'b'.repeat(22)}`,
  `L7.${'a'.repeat(22)}.${'+'.repeat(22)}`,
])('no invite: "%s"', (text) => {
  expect(readInvite(text)).toBeNull();
});

test('secrets are 128 random bits', () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const one of secrets) expect(one).toMatch(/^[A-Za-z0-9_-]{22}$/);
});
