import { expect, test } from 'vitest';
import type { ProvenLink } from '../net/join/handshake.ts';
import type { TransportStats } from '../net/link/link.ts';
import { resourceSampler } from '../observe/resource-sampler.ts';
import { HostLinks } from './host-links.ts';

const channel = { messagesSent: 1, messagesReceived: 1, bytesSent: 10, bytesReceived: 20, roundTripMs: null };
const withWire: TransportStats = { ...channel, wireBytesSent: 100, wireBytesReceived: 200 };
const withoutWire: TransportStats = { ...channel, wireBytesSent: null, wireBytesReceived: null };

function provenLink(stats: () => Promise<TransportStats>): ProvenLink {
  const none = () => {};
  const link = { send: none, onFrame: none, onLow: none, onClose: none, close: none, bufferedBytes: 0 };
  return { ...link, isEnded: false, route: 'direct', device: 'some', stats };
}

function open(...stats: (() => Promise<TransportStats>)[]) {
  const links = new HostLinks();
  const proven = stats.map(provenLink);
  proven.forEach((link, index) => {
    const { port1, port2 } = new MessageChannel();
    port2.close();
    links.add(index + 1, link, port1);
  });
  return { links, proven };
}

test('bytes are those of all links, of the wire where it is told, and those of a link that ended still count', async () => {
  const { links, proven } = open(
    async () => withWire,
    async () => withoutWire,
    () => Promise.reject(new Error('not yet')),
  );
  const gauged = { cpuMs: null, memoryBytes: null, readBytes: null, writtenBytes: null, storageBytes: null };
  const sampler = resourceSampler({
    now: () => 0,
    busyMs: () => 0,
    links: async () => links.carried(),
    openGauges: () => ({ read: async () => ({ ...gauged, pressure: null }), close() {} }),
  });
  await links.count();
  expect(await sampler.sample()).toMatchObject({ sentBytes: 110, receivedBytes: 220 });
  proven[0]?.onClose('gone');
  expect(links.get(1)).toBeNull();
  expect(await sampler.sample()).toMatchObject({ sentBytes: 110, receivedBytes: 220 });
});

test('what a link carried before a run is not the run’s', async () => {
  let stats = withWire;
  const { links } = open(async () => stats);
  expect(links.get(1)?.stats).toBeNull();
  await links.count();
  links.startRun();
  stats = { ...withWire, messagesSent: 4, bytesSent: 50, wireBytesSent: null, roundTripMs: 3 };
  await links.count();
  expect(links.get(1)?.stats).toEqual({
    ...{ messagesSent: 3, messagesReceived: 0, bytesSent: 40, bytesReceived: 0 },
    ...{ wireBytesSent: null, wireBytesReceived: 0, roundTripMs: 3 },
  });
  expect(links.get(null)).toBeNull();
});
