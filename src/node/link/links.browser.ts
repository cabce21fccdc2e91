import { expect, inject, test } from 'vitest';
import { browserRuntime } from '../../net/join/browser-runtime.ts';
import { dialer } from '../../net/join/dial.ts';
import { deviceFor } from '../../net/join/handshake.ts';
import { lanSettings } from '../../net/join/ice.ts';
import { linkContract } from '../../net/link/link-contract-for-tests.ts';
import type {} from './pipe-for-tests.ts';

const { port, code, invite } = inject('nodePipe');
const settings = lanSettings({ hostname: 'localhost', port: String(port), protocol: 'http:' });
const device = deviceFor(new Uint8Array(16), code);

const dialNode = () =>
  dialer(
    browserRuntime,
    { code, invite, device, transport: 'auto', onServers: () => {} },
    settings,
  )(new AbortController().signal);

// Both ends are this tab's, so that the contract can hold them; everything between them goes through Node, twice.
linkContract('tab to Node', async () => [await dialNode(), await dialNode()]);

test('a tab reaches a host in Node directly, and both count the same bytes', async () => {
  const [a, b] = [await dialNode(), await dialNode()];
  let received = 0;
  b.onFrame = (frame) => {
    received += frame.byteLength;
  };
  for (const bytes of [1, 1000, 65_536]) a.send(new ArrayBuffer(bytes));
  await expect.poll(() => received).toBe(66_537);
  expect([a.route, b.route]).toEqual(['direct', 'direct']);
  expect(await a.stats()).toMatchObject({ bytesSent: 66_537, messagesSent: 3, bytesReceived: 0 });
  expect(await b.stats()).toMatchObject({ bytesReceived: 66_537, messagesReceived: 3, bytesSent: 0 });
  a.close();
});
