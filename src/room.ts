/** No letters or digits that are taken for each other when read aloud or off a beamer. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_LENGTH = 6;
const KEY = 'manyhands room';
/** A page that is being reloaded lets go of its room within moments. */
const CLAIM_MS = 1000;

const draw = (length: number) =>
  Array.from(crypto.getRandomValues(new Uint32Array(length)), (n) => ALPHABET[n % ALPHABET.length]).join('');

/** This tab's room: the same after a reload, so that its workers find it again, but not in a duplicate of the tab. */
export async function ownRoom(): Promise<{ readonly code: string; readonly token: string }> {
  const [keptCode, keptToken] = sessionStorage.getItem(KEY)?.split(' ') ?? [];
  const isKept = keptCode !== undefined && keptToken !== undefined && (await claim(keptCode));
  const [code, token] = isKept ? [keptCode, keptToken] : [draw(CODE_LENGTH), draw(24)];
  if (!isKept) await claim(code);
  sessionStorage.setItem(KEY, `${code} ${token}`);
  return { code, token };
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
