import { CODE_LENGTH, newCode, newSecret } from '../net/join/invite.ts';

const KEY = 'manyhands room';
/** A page that is being reloaded lets go of its room within moments. */
const CLAIM_MS = 1000;

/** What a host tab keeps about its room. */
export interface OwnRoom {
  readonly code: string;
  /** Proves to signalling that the room is this tab's. */
  readonly token: string;
  /** What invites follow from. */
  readonly secret: string;
  /** Another secret: links that were given out stop working. */
  renew(): void;
  /** Devices that were removed. */
  isBanned(device: string): boolean;
  ban(device: string): void;
}

/** This tab's room: the same after a reload, so that its workers find it again, but not in a duplicate of the tab. */
export async function ownRoom(): Promise<OwnRoom> {
  const [keptCode, keptToken, keptSecret] = sessionStorage.getItem(KEY)?.split(' ') ?? [];
  const isKept = keptCode !== undefined && keptToken && keptSecret && (await claim(keptCode));
  const [code, token] = isKept ? [keptCode, keptToken] : [newCode(), newSecret()];
  let secret = isKept ? keptSecret : newSecret();
  if (!isKept) await claim(code);
  const bannedKey = `${KEY} ${code} removed`;
  const banned = new Set(sessionStorage.getItem(bannedKey)?.split(' ').filter(Boolean));
  const keep = () => sessionStorage.setItem(KEY, `${code} ${token} ${secret}`);
  keep();
  return {
    code,
    token,
    get secret() {
      return secret;
    },
    renew() {
      secret = newSecret();
      keep();
    },
    isBanned: (device) => banned.has(device),
    ban(device) {
      banned.add(device);
      sessionStorage.setItem(bannedKey, [...banned].join(' '));
    },
  };
}

const DEVICE_KEY = 'manyhands device';

/** What this browser is known by to hosts, in one room (see deviceFor): made at the first click and kept. */
export function deviceSecret(): Uint8Array {
  const kept = localStorage.getItem(DEVICE_KEY)?.split(' ').map(Number) ?? [];
  if (kept.length === 16 && kept.every((byte) => byte >= 0 && byte < 256)) return Uint8Array.from(kept);
  const fresh = crypto.getRandomValues(new Uint8Array(16));
  localStorage.setItem(DEVICE_KEY, fresh.join(' '));
  return fresh;
}

/** Whether an address is of this machine or of a local network, where people see the host's screen. */
export function isLocalAddress(hostname: string): boolean {
  const isNumber = /^\d+(\.\d+){3}$/.test(hostname);
  if (isNumber) return /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\./.test(hostname);
  return /^(\[::1\]|\[f[cde].*\]|[^.:]+(\.(local|lan|home\.arpa))?)$/.test(hostname);
}

/**
 * Holds the room for as long as the page lives. False if another tab holds it: a duplicated tab has a copy of the
 * storage. Web Locks exist only in secure contexts; elsewhere every claim is granted.
 */
async function claim(code: string): Promise<boolean> {
  const locks = (navigator as Partial<Pick<Navigator, 'locks'>>).locks;
  if (!locks) return true;
  const giveUp = AbortSignal.timeout(CLAIM_MS);
  return new Promise((resolve) => {
    const held = (): Promise<never> => {
      resolve(true);
      return new Promise<never>(() => {});
    };
    locks.request(`manyhands room ${code}`, { signal: giveUp }, held).catch(() => resolve(false));
  });
}

/** The code somebody typed, as far as it can be one; else null. */
export function readCode(typed: string): string | null {
  const code = typed.toLowerCase().replace(/[^a-z0-9]/g, '');
  return code.length === CODE_LENGTH ? code : null;
}
