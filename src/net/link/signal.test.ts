import { expect, test } from 'vitest';
import { fingerprintsOf, MAX_SIGNAL_CHARS, readSignal, type Signal } from './signal.ts';

const sdp = 'v=0\r\ns=-\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:0\r\n';
const offer = { kind: 'offer', call: 7, sdp };

test.each<Signal>([
  { kind: 'offer', call: 0, sdp },
  { kind: 'answer', call: 2 ** 32 - 1, sdp },
  { kind: 'candidate', call: 7, candidate: 'candidate:1 1 udp 2113937151 127.0.0.1 5000 typ host' },
  // A browser's last candidate of a generation.
  { kind: 'candidate', call: 7, candidate: '' },
])('reads $kind', (signal) => {
  expect(readSignal(JSON.stringify(signal))).toEqual(signal);
});

test.each([
  ['no JSON', '{"kind":"offer"'],
  ['no object', 'null'],
  ['another kind', JSON.stringify({ ...offer, kind: 'hello' })],
  ['no kind', JSON.stringify({ call: 7, sdp })],
  ['no call', JSON.stringify({ kind: 'offer', sdp })],
  ['a call that is no u32', JSON.stringify({ ...offer, call: 2 ** 32 })],
  ['a call that is no integer', JSON.stringify({ ...offer, call: 1.5 })],
  ['a description that is no text', JSON.stringify({ ...offer, sdp: { type: 'offer' } })],
  ['an empty description', JSON.stringify({ ...offer, sdp: '' })],
  ['audio', JSON.stringify({ ...offer, sdp: sdp.replace('application', 'audio') })],
  ['video beside data', JSON.stringify({ ...offer, sdp: `${sdp}m=video 9 UDP/TLS/RTP/SAVPF 96\r\n` })],
  ['two data sections', JSON.stringify({ ...offer, sdp: sdp + sdp })],
  ['a long candidate', JSON.stringify({ kind: 'candidate', call: 7, candidate: 'x'.repeat(513) })],
])('refuses %s', (_, text) => {
  expect(readSignal(text)).toBeNull();
});

test('refuses what is longer than 16 Ki characters, and reads what is not', () => {
  const overhead = JSON.stringify(offer).length;
  const padded = (length: number): string => JSON.stringify({ ...offer, sdp: sdp + 'x'.repeat(length - overhead) });
  expect(readSignal(padded(MAX_SIGNAL_CHARS))).not.toBeNull();
  expect(readSignal(padded(MAX_SIGNAL_CHARS + 1))).toBeNull();
});

test('keeps nothing that it does not know', () => {
  expect(readSignal(JSON.stringify({ ...offer, extra: 1 }))).toEqual(offer);
});

test('fingerprints are read from descriptions, whatever their case and order', () => {
  const sdp = (fingerprint: string) =>
    `v=0\r\na=group:BUNDLE 0\r\nm=application 9\r\na=fingerprint:sha-256 ${fingerprint}\r\na=setup:active\r\n`;
  expect(fingerprintsOf(sdp('AB:CD'), sdp('ef:01'))).toEqual({ local: 'sha-256 ab:cd', remote: 'sha-256 ef:01' });
  expect(fingerprintsOf(sdp('AB:CD'), 'v=0')).toBeNull();
  expect(fingerprintsOf(undefined, undefined)).toBeNull();
  expect(fingerprintsOf(sdp('ab') + sdp('AB'), sdp('cd'))).toEqual({ local: 'sha-256 ab', remote: 'sha-256 cd' });
  expect(fingerprintsOf(sdp('ab'), sdp('cd') + sdp('ef'))).toBeNull();
});
