import { describe, expect, test } from 'vitest';
import { rng } from '../../core/math/rng.ts';
import { checksum } from '../../core/wire/checksum.ts';
import { Outbox } from '../../core/wire/outbox.ts';
import { unhindered } from '../../experiment/emulation.ts';
import { emulate } from './emulate.ts';
import type { Link } from './link.ts';
import { memoryPair } from './memory-for-tests.ts';
import { Messenger, type MessengerHandlers } from './messenger.ts';
import { bridge, portLink } from './port.ts';

type Inbound = { readonly head: unknown; readonly checksum: number };

function messenger(link: Link, handlers: Partial<MessengerHandlers> = {}) {
  const received: Inbound[] = [];
  const self = new Messenger(link, {
    onMessage: ({ head, body }) => received.push({ head, checksum: checksum(body) }),
    onGarbled: (reason) => expect.unreachable(reason),
    onClose: () => {},
    ...handlers,
  });
  self.expectBodyBytes(1 << 28);
  return { self, received };
}

const bodyOf = (bytes: number, seed: number) => {
  const words = Uint32Array.from({ length: Math.ceil(bytes / 4) }, (_, i) => Math.imul(i + seed, 0x9e3779b1));
  return new Uint8Array(words.buffer, 0, bytes);
};

/** A link that keeps frames until they are let through by hand. */
function heldLink(): Link & { readonly frames: ArrayBuffer[] } {
  const frames: ArrayBuffer[] = [];
  return {
    frames,
    bufferedBytes: 0,
    send: (frame) => frames.push(frame),
    onFrame: () => {},
    onLow: () => {},
    onClose: () => {},
    close: () => {},
  };
}

const total = (frames: readonly ArrayBuffer[]) => frames.reduce((sum, frame) => sum + frame.byteLength, 0);

describe('long messages (F5)', () => {
  for (const seed of [1, 2, 3]) {
    test(`arrive whole both ways among small ones, through threads, seed ${seed}`, async () => {
      const random = rng(seed, 'sizes');
      const links = memoryPair().map((link) => {
        const { port1, port2 } = new MessageChannel();
        bridge(link, port1);
        return portLink(port2);
      }) as [Link, Link];
      const [a, b] = links.map((link) => messenger(link)) as [
        ReturnType<typeof messenger>,
        ReturnType<typeof messenger>,
      ];
      const sent: Inbound[] = [];
      for (let i = 0; i < 12; i++) {
        const body = bodyOf(i % 3 === 0 ? random.below(4_000_000) : random.below(500), i);
        sent.push({ head: { i }, checksum: checksum(body) });
        a.self.send('gradients', 1, { i }, body);
        b.self.send('parameters', 1, { i }, body);
      }
      const byNumber = (list: readonly Inbound[]) =>
        [...list].sort((x, y) => (x.head as { i: number }).i - (y.head as { i: number }).i);
      await expect.poll(() => [a.received.length, b.received.length], { timeout: 5000 }).toEqual([12, 12]);
      expect(byNumber(a.received)).toEqual(sent);
      expect(byNumber(b.received)).toEqual(sent);
      for (const link of links) link.close();
    });
  }

  test('go no further than the window while the other side does not read, and small ones pass them', () => {
    const link = heldLink();
    const { self } = messenger(link);
    self.send('parameters', 1, { type: 'large' }, new Uint8Array(200_000_000));
    expect(total(link.frames)).toBeLessThan(700_000);
    const before = link.frames.length;
    self.send('control', 1, { type: 'small' });
    expect(link.frames.length).toBe(before + 1);
    expect(link.frames.at(-1)?.byteLength).toBeLessThan(100);
  });

  test('are bounded to 4 MiB under way however good the link was', async () => {
    const sender = heldLink();
    const receiver = heldLink();
    const a = messenger(sender);
    const b = messenger(receiver);
    a.self.send('parameters', 1, { type: 'large' }, new Uint8Array(100_000_000));
    let most = 0;
    while (b.received.length === 0) {
      most = Math.max(most, total(sender.frames));
      for (const frame of sender.frames.splice(0)) receiver.onFrame(frame);
      for (const frame of receiver.frames.splice(0)) sender.onFrame(frame);
    }
    expect(most).toBeGreaterThan(1 << 20);
    expect(most).toBeLessThan((1 << 22) + 100_000);
  });

  test('need no extra message when they are few and short, and one for two of LeNet’s size', () => {
    const link = heldLink();
    const { self } = messenger(link);
    self.send('gradients', 1, { type: 'push' }, new Uint8Array(246_824));
    expect(self.traffic.sent.control.frames).toBe(0);
    self.send('gradients', 1, { type: 'push' }, new Uint8Array(246_824));
    expect(self.traffic.sent.control.frames).toBe(1);
  });

  test('report progress each MiB on both sides, and only when over one MiB', async () => {
    const seen: Record<'sent' | 'received', number[]> = { sent: [], received: [] };
    const handlers: Partial<MessengerHandlers> = {
      onProgress(direction, doneBytes, totalBytes) {
        expect(doneBytes).toBeLessThanOrEqual(totalBytes);
        seen[direction].push(doneBytes / totalBytes);
      },
    };
    const [a, b] = memoryPair();
    const from = messenger(a, handlers);
    const to = messenger(b, handlers);
    from.self.send('parameters', 1, { type: 'small' }, new Uint8Array(1_000_000));
    from.self.send('parameters', 1, { type: 'large' }, new Uint8Array(10_000_000));
    await expect.poll(() => to.received.length).toBe(2);
    for (const shares of [seen.sent, seen.received]) {
      expect(shares).toHaveLength(10);
      expect(shares).toEqual([...shares].sort((x, y) => x - y));
      expect(shares.at(-1)).toBe(1);
    }
  });

  test('on an emulated line of 8 Mbit/s let a small message and its answer through within 0.4 s', async () => {
    const [a, far] = memoryPair();
    const near = emulate(a, rng(1), () => performance.now());
    near.setConditions({ ...unhindered, mbps: 8 });
    const waits: number[] = [];
    const host = messenger(far, {
      onMessage({ head }) {
        if ((head as { sentMs?: number }).sentMs !== undefined) host.self.send('control', 0, head as object);
      },
    });
    let pings = 0;
    const worker = messenger(near, {
      onMessage({ head }) {
        waits.push(performance.now() - (head as { sentMs: number }).sentMs);
      },
    });
    // Without a window 3 MB would wait in the line: three seconds.
    worker.self.send('gradients', 1, { type: 'push' }, new Uint8Array(3_000_000));
    const timer = setInterval(() => {
      pings += 1;
      worker.self.send('control', 0, { sentMs: performance.now() });
    }, 50);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    clearInterval(timer);
    // The window starts at half a second’s worth and shrinks.
    expect(waits.length).toBeGreaterThan(pings / 2);
    expect(Math.max(...waits.slice(-15))).toBeLessThan(400);
    near.close();
  });

  test('end the link when a mark comes back that was never sent, or with a number that is none', () => {
    for (const at of [7, -1, 1.5]) {
      const link = heldLink();
      const reasons: string[] = [];
      const messages: unknown[] = [];
      new Messenger(link, {
        onMessage: ({ head }) => messages.push(head),
        onGarbled: (reason) => reasons.push(reason),
        onClose: () => {},
      });
      const outbox = new Outbox();
      outbox.push('control', 0, { type: 'reached', at });
      link.onFrame(outbox.next() as ArrayBuffer);
      expect(reasons).toHaveLength(1);
      expect(messages).toEqual([]);
    }
  });

  test('marks without end get one answer at a time while the link is full', () => {
    const link = heldLink();
    Object.assign(link, { bufferedBytes: 1 << 20 });
    messenger(link);
    const outbox = new Outbox();
    for (let at = 0; at < 1000; at++) outbox.push('control', 0, { type: 'mark', at });
    for (let frame = outbox.next(); frame; frame = outbox.next()) link.onFrame(frame);
    Object.assign(link, { bufferedBytes: 0 });
    link.onLow();
    expect(link.frames).toHaveLength(1);
  });
});
