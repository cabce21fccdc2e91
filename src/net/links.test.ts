import { expect, test } from 'vitest';
import type { Link } from './link.ts';
import { linkContract } from './link-contract.ts';
import { memoryPair } from './memory.ts';
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

linkContract('memory', async () => memoryPair());
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

function fullLink() {
  return {
    sentBytes: 0,
    bufferedBytes: 1 << 20,
    send(frame: ArrayBuffer) {
      this.sentBytes += frame.byteLength;
    },
    onFrame: (_frame: ArrayBuffer) => {},
    onLow: () => {},
    onClose: (_reason: string) => {},
    close: () => {},
  };
}
