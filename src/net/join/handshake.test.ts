import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { linkContract } from '../link/link-contract-for-tests.ts';
import { RelayLink } from '../link/relay-link.ts';
import type { Fingerprints } from '../link/signal.ts';
import {
  type BareLink,
  deviceFor,
  greetHost,
  greetWorker,
  HANDSHAKE_MS,
  type HandshakeError,
  type ProvenLink,
} from './handshake.ts';

const proof = new Uint8Array(16).fill(7);
const device = deviceFor(new Uint8Array(16), 'abc234');
const fingerprints: { worker: Fingerprints; host: Fingerprints } = {
  worker: { local: 'sha-256 aa', remote: 'sha-256 bb' },
  host: { local: 'sha-256 bb', remote: 'sha-256 aa' },
};

/** Two ends of a link that counts, within this process. */
function countedPair(): [BareLink, BareLink] {
  const links: RelayLink[] = [0, 1].map(
    (own) =>
      new RelayLink({
        send: (data) => queueMicrotask(() => links[1 - own]?.hear(data)),
        close: (reason) => queueMicrotask(() => links[1 - own]?.lost(reason)),
      }),
  );
  return links as [RelayLink, RelayLink];
}

const asWorker = (link: BareLink, changed: object = {}) =>
  greetHost(link, { proof, fingerprints: fingerprints.worker, device, ...changed });
const asHost = (link: BareLink, changed: object = {}) =>
  greetWorker(link, { proof, fingerprints: fingerprints.host, isBanned: () => false, ...changed });

async function provenPair(): Promise<readonly [ProvenLink, ProvenLink]> {
  const [a, b] = countedPair();
  return Promise.all([asWorker(a), asHost(b)]);
}

linkContract('proven', provenPair);

/** How both sides end when one of them is not what it should be. */
async function outcomes(worker: Promise<ProvenLink>, host: Promise<ProvenLink>): Promise<string[]> {
  const settled = await Promise.allSettled([worker, host]);
  return settled.map((one) => (one.status === 'fulfilled' ? 'open' : (one.reason as HandshakeError).code));
}

test('both sides open, and what the worker sends at once arrives', async () => {
  const [a, b] = countedPair();
  const worker = asWorker(a).then((link) => {
    link.send(new ArrayBuffer(3));
    return link;
  });
  const host = await asHost(b);
  await worker;
  const frame = await new Promise<ArrayBuffer>((resolve) => {
    host.onFrame = resolve;
  });
  expect(frame.byteLength).toBe(3);
  expect(host.device).toBe(device);
});

test('the handshake is left out of the counts', async () => {
  const [worker, host] = await provenPair();
  worker.send(new ArrayBuffer(10));
  await expect.poll(async () => (await host.stats()).bytesReceived).toBe(10);
  expect(await worker.stats()).toMatchObject({ messagesSent: 1, bytesSent: 10, messagesReceived: 0, bytesReceived: 0 });
  expect(await host.stats()).toMatchObject({ messagesSent: 0, bytesSent: 0, messagesReceived: 1 });
});

describe('who is refused', () => {
  const other = new Uint8Array(16).fill(8);

  test('a host that does not know the invite', async () => {
    const [a, b] = countedPair();
    expect(await outcomes(asWorker(a), asHost(b, { proof: other }))).toEqual(['not-the-host', 'no-answer']);
  });

  test('a worker that does not know the invite: it can answer nothing', async () => {
    const [a, b] = countedPair();
    const host = asHost(b);
    const sink: number[] = [];
    a.onFrame = (frame) => {
      sink.push(frame.byteLength);
      a.send(Uint8Array.from([0x4d, 0x48, 0x68, 0x73, 3, ...new Uint8Array(32)]).buffer);
    };
    a.send(Uint8Array.from([0x4d, 0x48, 0x68, 0x73, 1, ...new Uint8Array(32)]).buffer);
    await expect(host).rejects.toMatchObject({ code: 'not-invited' });
    expect(sink).toHaveLength(1);
  });

  test('whoever stands between two connections with keys of its own', async () => {
    const [a, b] = countedPair();
    // It carries every frame faithfully, but each end sees its fingerprint and not the other's.
    const between = {
      worker: { ...fingerprints.worker, remote: 'sha-256 mm' },
      host: { ...fingerprints.host, remote: 'sha-256 mm' },
    };
    const worker = asWorker(a, { fingerprints: between.worker });
    const host = asHost(b, { fingerprints: between.host });
    expect(await outcomes(worker, host)).toEqual(['not-the-host', 'no-answer']);
  });

  test('a mirror, which sends everything back', async () => {
    const [a, b] = countedPair();
    b.onFrame = (frame) => b.send(frame);
    await expect(asWorker(a)).rejects.toMatchObject({ code: 'not-the-host' });
  });

  test('a recording of an earlier handshake', async () => {
    const recorded: ArrayBuffer[] = [];
    const [a, b] = countedPair();
    const send = b.send.bind(b);
    b.send = (frame) => {
      recorded.push(frame.slice(0));
      send(frame);
    };
    await Promise.all([asWorker(a), asHost(b)]);
    const [c, d] = countedPair();
    d.onFrame = () => d.send(recorded[0] as ArrayBuffer);
    await expect(asWorker(c)).rejects.toMatchObject({ code: 'not-the-host' });
  });

  test('frames of the app before the proof', async () => {
    const [a, b] = countedPair();
    a.send(new ArrayBuffer(100));
    await expect(asHost(b)).rejects.toMatchObject({ code: 'not-invited' });
  });

  test('a removed device, which is told so by the host itself', async () => {
    const [a, b] = countedPair();
    const banned = asHost(b, { isBanned: (name: string) => name === device });
    expect(await outcomes(asWorker(a), banned)).toEqual(['removed', 'no-answer']);
    const [c, d] = countedPair();
    expect(await outcomes(asWorker(c, { device: 'f'.repeat(32) }), asHost(d))).toEqual(['open', 'open']);
  });

  test('whoever says nothing for two seconds', async () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const [a, b] = countedPair();
    const ends: string[] = [];
    b.onFrame = () => {};
    b.onClose = (reason) => ends.push(reason);
    const attempt = asWorker(a).catch((error: HandshakeError) => error.code);
    await vi.advanceTimersByTimeAsync(HANDSHAKE_MS - 1);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await attempt).toBe('no-answer');
    expect(ends).toHaveLength(1);
  });
});

test('a device has another name in each room', () => {
  const secret = new Uint8Array(16).fill(1);
  expect(deviceFor(secret, 'abc234')).toBe(deviceFor(secret, 'abc234'));
  expect(deviceFor(secret, 'abc234')).not.toBe(deviceFor(secret, 'abc235'));
});
