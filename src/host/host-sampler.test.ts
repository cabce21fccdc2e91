import { expect, test } from 'vitest';
import { noCounters, type RunState } from '../core/server/progress.ts';
import type { TransportStats } from '../net/link/link.ts';
import { hostSampler } from './host-sampler.ts';
import type { HostState } from './state.ts';

test('a host is as busy as its server thread, and its bytes are those of all links, of the wire where it is told', async () => {
  const channel = { messagesSent: 1, messagesReceived: 1, bytesSent: 10, bytesReceived: 20, roundTripMs: null };
  const told: TransportStats = { ...channel, wireBytesSent: 100, wireBytesReceived: 200 };
  const untold: TransportStats = { ...channel, wireBytesSent: null, wireBytesReceived: null };
  let [nowMs, busyMs] = [0, 0];
  const links = new Map([
    [1, { stats: told }],
    [2, { stats: untold }],
    [3, { stats: null }],
  ]);
  const sampler = hostSampler({
    now: () => nowMs,
    // Of a host's state only this is looked at.
    state: () => ({ run: { counters: { ...noCounters, busyMs } } as RunState }) as HostState,
    links: () => links,
    openGauges: () => ({
      read: async () => ({
        cpuMs: null,
        memoryBytes: null,
        readBytes: null,
        writtenBytes: null,
        storageBytes: null,
        pressure: null,
      }),
      close() {},
    }),
  });
  expect(await sampler.sample()).toMatchObject({ busy: null, sentBytes: 110, receivedBytes: 220 });
  [nowMs, busyMs] = [1000, 300];
  links.delete(1);
  expect(await sampler.sample()).toMatchObject({ busy: 0.3, sentBytes: 110, receivedBytes: 220 });
});
