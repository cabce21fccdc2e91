/** No letters or digits that are taken for each other when read aloud or off a beamer. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_LENGTH = 6;

const draw = (length: number) =>
  Array.from(crypto.getRandomValues(new Uint32Array(length)), (n) => ALPHABET[n % ALPHABET.length]).join('');

/** This tab's room: the same after a reload, so that its workers find it again. */
export function ownRoom(): { readonly code: string; readonly token: string } {
  const kept = sessionStorage.getItem('manyhands room')?.split(' ');
  const [code, token] = kept?.length === 2 ? kept : [draw(CODE_LENGTH), draw(24)];
  sessionStorage.setItem('manyhands room', `${code} ${token}`);
  return { code: code as string, token: token as string };
}

/** The code somebody typed, as far as it can be one; else null. */
export function readCode(typed: string): string | null {
  const code = typed.toLowerCase().replace(/[^a-z0-9]/g, '');
  return code.length === CODE_LENGTH ? code : null;
}
