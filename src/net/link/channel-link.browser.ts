import { expect, onTestFinished, test } from 'vitest';
import { ChannelLink } from './channel-link.ts';
import { MAX_FRAME_BYTES } from './link.ts';

/** Two ends of a data channel within this page. */
async function pair(): Promise<readonly [ChannelLink, ChannelLink]> {
  const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()];
  a.onicecandidate = ({ candidate }) => void b.addIceCandidate(candidate);
  b.onicecandidate = ({ candidate }) => void a.addIceCandidate(candidate);
  const ours = a.createDataChannel('test');
  const theirs = new Promise<RTCDataChannel>((resolve) => {
    b.ondatachannel = ({ channel }) => resolve(channel);
  });
  const open = new Promise((resolve) => {
    ours.onopen = resolve;
  });
  await a.setLocalDescription();
  if (a.localDescription) await b.setRemoteDescription(a.localDescription);
  await b.setLocalDescription();
  if (b.localDescription) await a.setRemoteDescription(b.localDescription);
  await open;
  const links = [new ChannelLink(a, ours, () => a.close()), new ChannelLink(b, await theirs, () => b.close())] as const;
  onTestFinished(() => {
    for (const link of links) link.close();
  });
  return links;
}

/** Sends frames that the other end takes, and waits for its acknowledgements. */
async function pour(from: ChannelLink, to: ChannelLink, frames: number, bytes: number): Promise<void> {
  let taken = 0;
  await new Promise<void>((resolve) => {
    to.onFrame = () => {
      taken += 1;
      if (taken === frames) resolve();
    };
    for (let i = 0; i < frames; i += 1) from.send(new ArrayBuffer(bytes));
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
}

test('the wire carries more than the channel, and what one side sends there the other receives', async () => {
  const [a, b] = await pair();
  const before = await a.stats();
  // DTLS's handshake is there before anything is sent.
  expect(before).toMatchObject({ bytesSent: 0, wireBytesSent: expect.any(Number) });
  expect(before.wireBytesSent).toBeGreaterThan(1000);
  await pour(a, b, 64, MAX_FRAME_BYTES);
  // In this order: a packet that comes between is not received more than sent.
  const receiver = await b.stats();
  const sender = await a.stats();
  const [sentBytes, wireBytes] = [
    sender.bytesSent - before.bytesSent,
    (sender.wireBytesSent ?? 0) - (before.wireBytesSent ?? 0),
  ];
  expect(sentBytes).toBe(64 * MAX_FRAME_BYTES);
  // Headers are some 7 % of full packets. What was sent again comes on top, and between two ends in one page that is much.
  expect(wireBytes / sentBytes).toBeGreaterThan(1.05);
  expect(receiver.wireBytesReceived).toBeLessThanOrEqual(sender.wireBytesSent ?? 0);
  expect(receiver.wireBytesReceived).toBeGreaterThan(sentBytes);
  // Acknowledgements.
  expect(receiver.bytesSent).toBe(0);
  expect(receiver.wireBytesSent).toBeGreaterThan(0);
});

test('headers of each layer are counted: SCTP, UDP and IP take 56 bytes of a lone message, DTLS at most 40', async () => {
  const [a, b] = await pair();
  const takenBytes: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    const before = (await a.stats()).wireBytesSent ?? 0;
    await pour(a, b, 1, 1000);
    takenBytes.push(((await a.stats()).wireBytesSent ?? 0) - before);
  }
  // A heartbeat may fall among them.
  expect(Math.min(...takenBytes)).toBeGreaterThan(1056);
  expect(Math.min(...takenBytes)).toBeLessThanOrEqual(1096);
});

test('wire bytes never fall, and stay known after the end', async () => {
  const [a, b] = await pair();
  await pour(a, b, 4, 1000);
  const before = await a.stats();
  a.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect((await a.stats()).wireBytesSent).toBeGreaterThanOrEqual(before.wireBytesSent ?? 0);
});
