import { checksum } from './checksum.ts';
import { type Kind, kinds, PROTOCOL } from './protocol.ts';

/** A frame carries at most this many bytes, header included: every WebRTC stack takes 64 KiB messages. */
export const MAX_FRAME_BYTES = 65_536;

/*
 * A frame, little-endian. A message is one frame, or several with the same sequence and rising offsets.
 *
 *  offset  bytes  field
 *       0      2  magic 0x484d ("MH")
 *       2      1  protocol version
 *       3      1  kind, an index into `kinds`
 *       4      4  run, the host's count of runs; 0 before the first
 *       8      4  sequence of the message on this link and in this direction
 *      12      4  bytes of the whole message
 *      16      4  where this frame's payload goes in it
 *      20      4  bytes of this frame's payload
 *      24      4  checksum of the 24 bytes before and the payload
 *      28      …  payload
 */
const MAGIC = 0x484d;
const CHECKSUM_AT = 24;
export const HEADER_BYTES = CHECKSUM_AT + 4;
/** A multiple of four, so that numbers in a message stay aligned. */
export const MAX_PAYLOAD_BYTES = MAX_FRAME_BYTES - HEADER_BYTES;

export interface FrameHeader {
  readonly kind: Kind;
  readonly run: number;
  readonly sequence: number;
  readonly totalBytes: number;
  readonly offset: number;
}

export interface Frame extends FrameHeader {
  /** A view into the received buffer. */
  readonly payload: Uint8Array;
}

/** Why a peer's bytes cannot be trusted any further. Its link is closed, and its unfinished message is not used. */
export class FrameError extends Error {
  override name = 'FrameError';
}

/** One frame with room for its payload, which `fill` writes before the checksum is taken. */
export function writeFrame(
  header: FrameHeader,
  payloadBytes: number,
  fill: (payload: Uint8Array) => void,
): ArrayBuffer {
  const buffer = new ArrayBuffer(HEADER_BYTES + payloadBytes);
  const view = new DataView(buffer);
  view.setUint16(0, MAGIC, true);
  view.setUint8(2, PROTOCOL);
  view.setUint8(3, kinds.indexOf(header.kind));
  view.setUint32(4, header.run, true);
  view.setUint32(8, header.sequence, true);
  view.setUint32(12, header.totalBytes, true);
  view.setUint32(16, header.offset, true);
  view.setUint32(20, payloadBytes, true);
  const payload = new Uint8Array(buffer, HEADER_BYTES);
  fill(payload);
  view.setUint32(CHECKSUM_AT, frameChecksum(buffer, payload), true);
  return buffer;
}

/** Checks everything a frame says about itself before any of it is used. */
export function readFrame(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < HEADER_BYTES) throw new FrameError(`a frame of ${buffer.byteLength} bytes has no header`);
  if (buffer.byteLength > MAX_FRAME_BYTES) throw new FrameError(`a frame of ${buffer.byteLength} bytes is too long`);
  const view = new DataView(buffer);
  if (view.getUint16(0, true) !== MAGIC) throw new FrameError('not a Manyhands frame');
  if (view.getUint8(2) !== PROTOCOL) {
    throw new FrameError(`protocol ${view.getUint8(2)} where ${PROTOCOL} was expected: reload both pages`);
  }
  const kind = kinds[view.getUint8(3)];
  if (kind === undefined) throw new FrameError(`unknown kind ${view.getUint8(3)}`);
  const totalBytes = view.getUint32(12, true);
  const offset = view.getUint32(16, true);
  const payload = new Uint8Array(buffer, HEADER_BYTES);
  if (view.getUint32(20, true) !== payload.length) throw new FrameError('a frame is not as long as it says');
  if (offset + payload.length > totalBytes) throw new FrameError('a frame reaches past the end of its message');
  if (view.getUint32(CHECKSUM_AT, true) !== frameChecksum(buffer, payload)) throw new FrameError('checksum mismatch');
  return { kind, run: view.getUint32(4, true), sequence: view.getUint32(8, true), totalBytes, offset, payload };
}

const frameChecksum = (buffer: ArrayBuffer, payload: Uint8Array) =>
  checksum(payload, checksum(new Uint8Array(buffer, 0, CHECKSUM_AT)));
