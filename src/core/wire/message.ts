/*
 * A message, little-endian: 4 bytes of head length, the head (JSON in ASCII), zeros up to a multiple of four, the body.
 * Numbers in the body are therefore aligned for typed arrays.
 */

/** A head longer than this is refused: heads are a few hundred bytes. */
export const MAX_HEAD_BYTES = 32_768;

export interface Message {
  readonly head: unknown;
  /** Empty where the message has no numbers. A view, never a copy. */
  readonly body: Uint8Array;
}

export const NO_BODY = new Uint8Array(0);

const paddedTo4 = (bytes: number) => (bytes + 3) & ~3;

/** The bytes that come before the body: length, head and padding. */
export function encodeHead(head: object): Uint8Array {
  // ASCII only, so that one character is one byte; JSON allows every other character as an escape.
  const text = JSON.stringify(head).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const bytes = new Uint8Array(paddedTo4(4 + text.length));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  for (let i = 0; i < text.length; i++) bytes[4 + i] = text.charCodeAt(i);
  return bytes;
}

/** Splits a whole message; throws on a head that is too long, cut off or not JSON. */
export function decodeMessage(bytes: Uint8Array, maxHeadBytes = MAX_HEAD_BYTES): Message {
  if (bytes.length < 4) throw new RangeError('a message without a head');
  const headBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (headBytes > maxHeadBytes || 4 + headBytes > bytes.length) {
    throw new RangeError(`a head of ${headBytes} bytes in a message of ${bytes.length}`);
  }
  let text = '';
  // In pieces: each character becomes an argument, and the stack holds only so many.
  for (let at = 4; at < 4 + headBytes; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, Math.min(at + 8192, 4 + headBytes)));
  }
  return { head: JSON.parse(text), body: bytes.subarray(Math.min(paddedTo4(4 + headBytes), bytes.length)) };
}
