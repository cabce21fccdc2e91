const [PLUS, MINUS, POINT, ZERO] = [43, 45, 46, 48];
/** So many digits are exact as an integer in float64, and dividing by such a power of ten rounds once. */
const MAX_EXACT_DIGITS = 15;
const POWERS = Array.from({ length: MAX_EXACT_DIGITS + 1 }, (_, i) => 10 ** i);
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const MAX_SHOWN = 24;

/** The decimal number written in bytes[start, end), or NaN if it is anything else. Exact to the last bit. */
export function numberAt(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  const sign = bytes[at];
  if (sign === PLUS || sign === MINUS) at++;
  let mantissa = 0;
  let digits = 0;
  let decimals = -1;
  for (; at < end; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit;
      digits++;
      if (decimals >= 0) decimals++;
    } else if (digit === POINT - ZERO && decimals < 0) decimals = 0;
    else break;
  }
  if (at < end || digits > MAX_EXACT_DIGITS) return slowNumberAt(bytes, start, end);
  if (digits === 0) return Number.NaN;
  const value = decimals > 0 ? mantissa / (POWERS[decimals] as number) : mantissa;
  return sign === MINUS ? -value : value;
}

/** With exponents or many digits. */
function slowNumberAt(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > 400) return Number.NaN;
  const text = String.fromCharCode(...bytes.subarray(start, end));
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}

/** A short, quoted, printable form of what is written there, for error messages. */
export function shownAt(bytes: Uint8Array, start: number, end: number): string {
  const shown = String.fromCharCode(...bytes.subarray(start, Math.min(end, start + MAX_SHOWN)));
  return `“${shown.replace(/[^ -~]/g, '?')}${end - start > MAX_SHOWN ? '…' : ''}”`;
}
