import { expect, test } from 'vitest';
import { rng } from '../../core/math/rng.ts';
import { type Conditions, unhindered } from '../../experiment/emulation.ts';
import { emulate } from './emulate.ts';
import type { Link } from './link.ts';
import { linkContract } from './link-contract-for-tests.ts';
import { memoryPair } from './memory-for-tests.ts';
import { bridge, portLink } from './port.ts';

const portPair = async (): Promise<readonly [Link, Link]> => {
  const { port1, port2 } = new MessageChannel();
  return [portLink(port1), portLink(port2)];
};

/** A memory link whose ends are carried to two other threads. */
const bridgedPair = async (): Promise<readonly [Link, Link]> => {
  const ends = memoryPair().map((link) => {
    const { port1, port2 } = new MessageChannel();
    bridge(link, port1);
    return portLink(port2);
  });
  return ends as [Link, Link];
};

/** A memory link of which one end, as in a worker, makes conditions worse for both directions. */
const emulatedPair =
  (conditions: Partial<Conditions>, emulatedEnd: 0 | 1) => async (): Promise<readonly [Link, Link]> => {
    const ends = memoryPair();
    const emulated = emulate(ends[emulatedEnd], rng(7), () => performance.now());
    emulated.setConditions({ ...unhindered, ...conditions });
    ends[emulatedEnd] = emulated;
    return ends;
  };

linkContract('memory', async () => memoryPair());
linkContract('emulated, unhindered', emulatedPair({}, 0));
linkContract('emulated sender', emulatedPair({ latencyMs: 3, mbps: 800, loss: 0.01 }, 0));
linkContract('emulated receiver', emulatedPair({ latencyMs: 3, mbps: 800, loss: 0.01 }, 1));
linkContract('port', portPair);
linkContract('bridged memory', bridgedPair);

test('a port link ends when the other end of the port goes without a word', async () => {
  const { port1, port2 } = new MessageChannel();
  const link = portLink(port1);
  const reason = new Promise<string>((resolve) => {
    link.onClose = resolve;
  });
  port2.close();
  expect(await reason).toContain('gone');
});

test('a bridge holds its thread back while the link is full', async () => {
  const link = fullLink();
  const { port1, port2 } = new MessageChannel();
  bridge(link, port1);
  const inner = portLink(port2);
  inner.send(new ArrayBuffer(1000));
  await expect.poll(() => link.sentBytes).toBe(1000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(inner.bufferedBytes).toBe(1000);
  link.bufferedBytes = 0;
  link.onLow();
  await expect.poll(() => inner.bufferedBytes).toBe(0);
  inner.close();
});

test('a bridge tells its thread why the link ended', async () => {
  const link = fullLink();
  const { port1, port2 } = new MessageChannel();
  bridge(link, port1);
  const inner = portLink(port2);
  const reason = new Promise<string>((resolve) => {
    inner.onClose = resolve;
  });
  link.onClose('the other side stopped answering');
  expect(await reason).toBe('the other side stopped answering');
});

test('a bridge ends a link that brings more than its thread reads, and takes no more memory for it', async () => {
  const link = fullLink();
  const { port1, port2 } = new MessageChannel();
  bridge(link, port1);
  // The thread is busy: nothing is read from port2 yet.
  let frames = 0;
  while (!link.isClosed && frames < 1000) {
    link.onFrame(new ArrayBuffer(65_536));
    frames += 1;
  }
  expect(frames).toBe(513);
  const inner = portLink(port2);
  const reason = new Promise<string>((resolve) => {
    inner.onClose = resolve;
  });
  inner.onFrame = () => {};
  expect(await reason).toContain('faster than they could be read');
});

function fullLink() {
  return {
    sentBytes: 0,
    isClosed: false,
    bufferedBytes: 1 << 20,
    send(frame: ArrayBuffer) {
      this.sentBytes += frame.byteLength;
    },
    onFrame: (_frame: ArrayBuffer) => {},
    onLow: () => {},
    onClose: (_reason: string) => {},
    close() {
      this.isClosed = true;
    },
  };
}
