import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BaseLink } from '../link/base-link.ts';
import { linkContract } from '../link/link-contract-for-tests.ts';
import { memoryPair } from '../link/memory.ts';
import {
  type CountedLink,
  deviceFor,
  greetHost,
  greetWorker,
  HANDSHAKE_MS,
  type HandshakeError,
  type Prints,
  type ProvenLink,
  printsOf,
} from './handshake.ts';

const proof = new Uint8Array(16).fill(7);
const device = deviceFor(new Uint8Array(16), 'abc234');
const prints: { worker: Prints; host: Prints } = {
  worker: { local: 'sha-256 aa', remote: 'sha-256 bb' },
  host: { local: 'sha-256 bb', remote: 'sha-256 aa' },
};

/** A memory link that counts. */
function countedPair(): [CountedLink, CountedLink] {
  return memoryPair().map((link) => {
    const counts = { messagesSent: 0, messagesReceived: 0, bytesSent: 0, bytesReceived: 0 };
    const send = link.send.bind(link);
    link.send = (frame) => {
      counts.messagesSent += 1;
      counts.bytesSent += frame.byteLength;
      send(frame);
    };
    const deliver = Reflect.get(BaseLink.prototype, 'deliver') as (frame: ArrayBuffer) => void;
    Reflect.set(link, 'deliver', (frame: ArrayBuffer) => {
      counts.messagesReceived += 1;
      counts.bytesReceived += frame.byteLength;
      deliver.call(link, frame);
    });
    return Object.assign(link, { stats: async () => ({ ...counts, roundTripMs: null }) });
  }) as [CountedLink, CountedLink];
}

const asWorker = (link: CountedLink, changed: object = {}) =>
  greetHost(link, { proof, prints: prints.worker, device, route: 'direct', ...changed });
const asHost = (link: CountedLink, changed: object = {}) =>
  greetWorker(link, { proof, prints: prints.host, route: 'direct', isBanned: () => false, ...changed });

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
      worker: { ...prints.worker, remote: 'sha-256 mm' },
      host: { ...prints.host, remote: 'sha-256 mm' },
    };
    expect(await outcomes(asWorker(a, { prints: between.worker }), asHost(b, { prints: between.host }))).toEqual([
      'not-the-host',
      'no-answer',
    ]);
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

test('fingerprints are read from descriptions, whatever their case and order', () => {
  const sdp = (print: string) =>
    `v=0\r\na=group:BUNDLE 0\r\nm=application 9\r\na=fingerprint:sha-256 ${print}\r\na=setup:active\r\n`;
  expect(printsOf(sdp('AB:CD'), sdp('ef:01'))).toEqual({ local: 'sha-256 ab:cd', remote: 'sha-256 ef:01' });
  expect(printsOf(sdp('AB:CD'), 'v=0')).toBeNull();
  expect(printsOf(undefined, undefined)).toBeNull();
});

test('a device has another name in each room', () => {
  const secret = new Uint8Array(16).fill(1);
  expect(deviceFor(secret, 'abc234')).toBe(deviceFor(secret, 'abc234'));
  expect(deviceFor(secret, 'abc234')).not.toBe(deviceFor(secret, 'abc235'));
});
