import protobuf from 'protobufjs';
import { expect } from 'vitest';

/** As in TensorFlow's event.proto and summary.proto, cut down to what is written. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Event { double wall_time = 1; int64 step = 2; oneof what { string file_version = 3; Summary summary = 5; } }
  message Summary { message Value { string tag = 1; oneof what { float simple_value = 2; } } repeated Value value = 1; }
`);
const Event = root.lookupType('Event');

interface DecodedEvent {
  readonly wallTime: number;
  readonly step: string;
  readonly fileVersion?: string;
  readonly summary?: { readonly value: readonly { readonly tag: string; readonly simpleValue: number }[] };
}

/** CRC-32C bit by bit, as its definition has it, then masked. */
function slowMaskedCrc(bytes: Uint8Array): number {
  let crc = 0xffffffffn;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0x82f63b78n : crc >> 1n;
  }
  crc ^= 0xffffffffn;
  return Number((((crc >> 15n) | (crc << 17n)) + 0xa282ead8n) & 0xffffffffn);
}

/** Reads a file to its last byte, checking both checksums of each record. */
export function readEvents(file: Uint8Array): DecodedEvent[] {
  const events: DecodedEvent[] = [];
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = 0; at < file.length; ) {
    const length = Number(view.getBigUint64(at, true));
    expect(view.getUint32(at + 8, true)).toBe(slowMaskedCrc(file.subarray(at, at + 8)));
    const data = file.subarray(at + 12, at + 12 + length);
    expect(data.length).toBe(length);
    expect(view.getUint32(at + 12 + length, true)).toBe(slowMaskedCrc(data));
    events.push(Event.toObject(Event.decode(data), { longs: String, defaults: true }) as DecodedEvent);
    at += 16 + length;
  }
  return events;
}
