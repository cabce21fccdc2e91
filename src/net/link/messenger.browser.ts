import { expect, onTestFinished, test } from 'vitest';
import { checksum } from '../../core/wire/checksum.ts';
import { ChannelLink } from './channel-link.ts';
import type { Link } from './link.ts';
import { Messenger } from './messenger.ts';

/** Two ends of a real data channel within this page. */
async function channelPair(): Promise<readonly [Link, Link]> {
  const connections = [new RTCPeerConnection(), new RTCPeerConnection()] as const;
  const [a, b] = connections;
  a.onicecandidate = ({ candidate }) => void (candidate && b.addIceCandidate(candidate));
  b.onicecandidate = ({ candidate }) => void (candidate && a.addIceCandidate(candidate));
  const channels = [a, b].map((side) => side.createDataChannel('test', { negotiated: true, id: 0 }));
  const opened = channels.map(
    (channel) =>
      new Promise((resolve) => {
        channel.onopen = resolve;
      }),
  );
  await a.setLocalDescription();
  await b.setRemoteDescription(a.localDescription as RTCSessionDescription);
  await b.setLocalDescription();
  await a.setRemoteDescription(b.localDescription as RTCSessionDescription);
  await Promise.all(opened);
  onTestFinished(() => {
    for (const connection of connections) connection.close();
  });
  return connections.map(
    (connection, i) => new ChannelLink(connection, channels[i] as RTCDataChannel, () => {}),
  ) as unknown as readonly [Link, Link];
}

const LARGE_BYTES = 64_000_000;

test('64 MB go over a data channel while small messages come and go within the window’s time (F5)', async () => {
  const [a, b] = await channelPair();
  let onPong = () => {};
  let progress = 0;
  const sums: number[] = [];
  const near = new Messenger(a, {
    onMessage: () => onPong(),
    onGarbled: (reason) => expect.unreachable(reason),
    onClose: () => {},
    onProgress: (direction, doneBytes) => {
      expect(direction).toBe('sent');
      progress = doneBytes;
    },
  });
  const far = new Messenger(b, {
    onMessage: ({ body }) => {
      if (body.length === 0) far.send('control', 0, { type: 'pong' });
      else sums.push(checksum(body));
    },
    onGarbled: (reason) => expect.unreachable(reason),
    onClose: () => {},
  });
  far.expectBodyBytes(LARGE_BYTES);
  const ping = () => {
    const startMs = performance.now();
    return new Promise<number>((resolve) => {
      onPong = () => resolve(performance.now() - startMs);
      near.send('control', 0, { type: 'ping' });
    });
  };
  const median = (values: number[]) => values.sort((x, y) => x - y)[values.length >> 1] as number;

  const idleMs: number[] = [];
  for (let i = 0; i < 20; i++) idleMs.push(await ping());
  const body = new Uint8Array(Uint32Array.from({ length: LARGE_BYTES / 4 }, (_, i) => Math.imul(i, 0x9e3779b1)).buffer);
  const startMs = performance.now();
  near.send('parameters', 1, { type: 'work' }, body);
  const busyMs: number[] = [];
  while (sums.length === 0) busyMs.push(await ping());
  const seconds = (performance.now() - startMs) / 1000;

  expect(sums).toEqual([checksum(body)]);
  expect(progress).toBeGreaterThan(LARGE_BYTES);
  // 50 ms of queue are the aim, and never is more on the way than the 4 MiB of a window.
  const windowMs = (4.2e6 / LARGE_BYTES) * seconds * 1000;
  expect(median(busyMs)).toBeLessThan(4 * median(idleMs) + Math.max(50, windowMs));
});
