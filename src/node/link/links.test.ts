import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ProvenLink } from '../../net/join/handshake.ts';
import { linkInvite, newSecret } from '../../net/join/invite.ts';
import { Listener } from '../../net/join/listen.ts';
import { linkContract } from '../../net/link/link-contract-for-tests.ts';
import { Signalling } from '../../relay/signalling.ts';
import { dialInNode } from './dial-for-tests.ts';
import { type NodeNet, nodeRuntime } from './runtime.ts';

let net: NodeNet;
const server = createServer((req, res) => {
  if (!signalling.handle(req, res)) res.writeHead(404).end();
});
const signalling = new Signalling(server);
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  net = { url: `http://127.0.0.1:${port}/`, isOwn: true, bindAddress: '127.0.0.1' };
});
afterAll(() => {
  signalling.close();
  server.closeAllConnections();
  server.close();
});

let codes = 0;

/** A host in this process, and a way to reach it. */
async function host(banned: string[] = []) {
  const code = `node-${codes++}`;
  const secret = newSecret();
  const links: ProvenLink[] = [];
  const states: string[] = [];
  const listener = new Listener(
    nodeRuntime(net),
    { relayUrl: net.url, iceServers: [] },
    {
      code,
      token: 'token',
      secret,
      allowsTyping: false,
      hostKey: null,
      freesCode: false,
      onLink: (link) => links.push(link),
      onState: ({ kind }) => states.push(kind),
      isBanned: (device) => banned.includes(device) || banned.includes('all'),
    },
  );
  onTestFinished(() => listener.close());
  await expect.poll(() => states.at(-1), { interval: 5 }).toBe('open');
  const dial = (invite = linkInvite(secret, code, Date.now())) => dialInNode(code, invite, net);
  return { dial, links, listener };
}

async function pair(): Promise<readonly [ProvenLink, ProvenLink]> {
  const { dial, links } = await host();
  const dialled = await dial();
  await expect.poll(() => links.length, { interval: 5 }).toBe(1);
  return [dialled, links[0] as ProvenLink];
}

linkContract('Node to Node', pair);

describe('a link between two Node processes', () => {
  test('counts bytes and messages as they were sent', async () => {
    const [a, b] = await pair();
    const sizes = [1, 1000, 65_536, 77];
    const total = sizes.reduce((sum, size) => sum + size, 0);
    let receivedBytes = 0;
    b.onFrame = (frame) => {
      receivedBytes += frame.byteLength;
    };
    for (const size of sizes) a.send(new ArrayBuffer(size));
    await expect.poll(() => receivedBytes, { interval: 5 }).toBe(total);
    expect(await a.stats()).toMatchObject({ messagesSent: 4, bytesSent: total, messagesReceived: 0, bytesReceived: 0 });
    expect(await b.stats()).toMatchObject({ messagesSent: 0, bytesSent: 0, messagesReceived: 4, bytesReceived: total });
  });

  test('delivers what was sent just before the end', async () => {
    const [a, b] = await pair();
    let frames = 0;
    b.onFrame = () => {
      frames += 1;
    };
    for (let i = 0; i < 40; i++) a.send(new ArrayBuffer(65_536 / 4));
    a.close();
    await expect.poll(() => frames, { interval: 5 }).toBe(40);
  });

  test('ends when its host stops listening', async () => {
    const { dial, listener } = await host();
    const dialled = await dial();
    const ended = new Promise<string>((resolve) => {
      dialled.onClose = resolve;
    });
    listener.close();
    expect(await ended).toContain('other side');
  });

  test('is not made without an invite to this room, nor for a device that was removed', async () => {
    const { dial, links } = await host(['all']);
    await expect(dial(linkInvite(newSecret(), 'node-0', Date.now()))).rejects.toThrow('not-invited');
    await expect(dial()).rejects.toThrow('removed');
    expect(links).toEqual([]);
  });
});
