import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { linkInvite, newSecret, readInvite, verifierOf } from '../net/join/invite.ts';
import { linkContract } from '../net/link/link-contract-for-tests.ts';
import { RelayLink } from '../net/link/relay-link.ts';
import { Signalling } from './signalling.ts';

const server = createServer();
const signalling = new Signalling(server);
const secret = newSecret();
const code = 'abc234';
const ticket = readInvite(linkInvite(secret, code, Date.now()))?.ticket ?? '';
let base = '';
let keeper: WebSocket;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  keeper = new WebSocket(`${base}/signal/socket?id=manyhands-host-${code}&token=t`);
  await once(keeper, 'message');
  keeper.send(JSON.stringify({ type: 'ROOM', payload: { verifier: verifierOf(secret, code), allowsTyping: false } }));
  await once(keeper, 'message');
});
afterAll(() => {
  signalling.close();
  server.close();
});

function relayLink(socket: WebSocket): RelayLink {
  socket.binaryType = 'arraybuffer';
  const link = new RelayLink({
    send: (data) => socket.send(data),
    close: (reason) => socket.close(1000, reason),
  });
  socket.on('message', (data, isBinary) => link.hear(isBinary ? data : String(data)));
  socket.on('close', (_, reason) => link.lost(String(reason)));
  return link;
}

/** A worker that waits at the relay, and the name under which its host hears of it. */
async function waiting() {
  const said = once(keeper, 'message');
  const socket = new WebSocket(`${base}/relay?token=${code}.${ticket}`);
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  const { type, payload } = JSON.parse(String((await said)[0]));
  expect([type, payload.ticket]).toEqual(['RELAY', ticket]);
  return { socket, name: payload.link as string };
}

async function sockets(): Promise<[WebSocket, WebSocket]> {
  const { socket, name } = await waiting();
  const host = new WebSocket(`${base}/relay?link=${name}`);
  onTestFinished(() => host.terminate());
  await once(host, 'open');
  return [socket, host];
}

linkContract('relayed', async () => {
  return (await sockets()).map(relayLink) as [RelayLink, RelayLink];
});

test('counts what it carries, and measures the way there and back', async () => {
  const [a, b] = (await sockets()).map(relayLink) as [RelayLink, RelayLink];
  b.onFrame = () => {};
  a.send(new ArrayBuffer(1000));
  a.send(new ArrayBuffer(24));
  await expect.poll(async () => (await a.stats()).roundTripMs).not.toBeNull();
  await expect.poll(() => a.bufferedBytes).toBe(0);
  expect(await a.stats()).toMatchObject({ messagesSent: 2, bytesSent: 1024, bytesReceived: 0, wireBytesSent: null });
  expect(await b.stats()).toMatchObject({ messagesReceived: 2, bytesReceived: 1024, bytesSent: 0 });
});

test('a receiver that says it took more than it got ends the link', async () => {
  const [worker, host] = await sockets();
  const link = relayLink(worker);
  link.send(new ArrayBuffer(10));
  const ended = new Promise<string>((resolve) => {
    link.onClose = resolve;
  });
  host.send('11');
  expect(await ended).toContain('took more');
});

test('a sender that ignores credit fills its own buffers, not the relay’s', async () => {
  const [worker, host] = await sockets();
  host.pause();
  const frame = new ArrayBuffer(65_536);
  let written = 0;
  for (let i = 0; i < 512; i++) worker.send(frame, () => (written += 1));
  await new Promise((resolve) => setTimeout(resolve, 300));
  // TCP's own buffers, twice, and 256 KiB in the relay: of the 32 MiB most have not left the sender.
  expect(written).toBeLessThan(400);
  let received = 0;
  host.on('message', () => {
    received += 1;
  });
  host.resume();
  await expect.poll(() => received, { timeout: 5000 }).toBe(512);
});

test('only an invited worker waits, and only once', async () => {
  const refused = (path: string) =>
    new Promise<string>((resolve) => {
      new WebSocket(`${base}${path}`).on('error', (error) => resolve(error.message));
    });
  expect(await refused('/relay')).toContain('403');
  expect(await refused(`/relay?token=${code}.L7.${'A'.repeat(22)}`)).toContain('403');
  expect(await refused(`/relay?link=${'0'.repeat(32)}`)).toContain('403');
  const { name } = await waiting();
  const host = new WebSocket(`${base}/relay?link=${name}`);
  await once(host, 'open');
  expect(await refused(`/relay?link=${name}`)).toContain('403');
  host.terminate();
});

test('long text ends the link: only credit is text', async () => {
  const [worker, host] = await sockets();
  const closed = once(host, 'close');
  worker.send('x'.repeat(100));
  await closed;
});
