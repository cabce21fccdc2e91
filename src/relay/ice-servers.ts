import { createHmac } from 'node:crypto';
import type { IceServer } from '../net/link/signal.ts';

/** The STUN and TURN servers that a relay names to its pages. */
export interface IceOptions {
  readonly stun: readonly string[];
  readonly turn: readonly string[];
  readonly auth:
    | { readonly kind: 'none' }
    | { readonly kind: 'fixed'; readonly username: string; readonly credential: string }
    /** Shared with the TURN server (coturn: use-auth-secret, static-auth-secret). */
    | { readonly kind: 'secret'; readonly secret: string };
}

export const noIce: IceOptions = { stun: [], turn: [], auth: { kind: 'none' } };

/** Longer than a lesson and a night's run; coturn asks at the start of an allocation and when it is refreshed. */
const CREDENTIAL_SECONDS = 12 * 3600;

/** The servers by name alone, for whoever asks. */
export const serverNames = ({ stun, turn }: IceOptions): IceServer[] => [...stun, ...turn].map((urls) => ({ urls }));

/** The servers with credentials, for a host or an invited worker; those made from a secret run out by themselves. */
export function iceServers({ stun, turn, auth }: IceOptions, user: string, nowMs: number): IceServer[] {
  const plain = stun.map((urls) => ({ urls }));
  if (auth.kind === 'none') return plain;
  const { username, credential } = auth.kind === 'fixed' ? auth : timedLogin(auth.secret, user, nowMs);
  return [...plain, ...turn.map((urls) => ({ urls, username, credential }))];
}

function timedLogin(secret: string, user: string, nowMs: number) {
  const username = `${Math.floor(nowMs / 1000) + CREDENTIAL_SECONDS}:${user}`;
  return { username, credential: createHmac('sha1', secret).update(username).digest('base64') };
}
