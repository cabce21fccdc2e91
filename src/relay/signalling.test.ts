import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { attachSignalling } from './signalling.ts';

async function start() {
  const server = createServer((req, res) => {
    if (!signalling.handler(req, res)) res.end('not signalling');
  });
  const signalling = attachSignalling(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    signalling.close();
    server.closeAllConnections();
    server.close();
  });
  return { server, signalling, port };
}

/** A raw client; `said` has the type of each message the server sent it. */
function client(port: number, { id = 'peer-1', token = 't1', key = 'manyhands', path = '/signal', origin = '' } = {}) {
  const url = `ws://127.0.0.1:${port}${path}/peerjs?key=${key}&id=${id}&token=${token}`;
  const socket = new WebSocket(url, origin === '' ? {} : { origin });
  const said: string[] = [];
  socket.on('message', (data) => said.push(JSON.parse(data.toString()).type));
  const result = new Promise<string>((resolve) => {
    socket.on('error', (error) => resolve(error.message));
    socket.on('open', () => resolve('open'));
  });
  onTestFinished(() => socket.terminate());
  return { socket, said, result };
}

test('greets a peer and carries messages between two', async () => {
  const { port } = await start();
  const a = client(port, { id: 'peer-a' });
  const b = client(port, { id: 'peer-b' });
  await expect.poll(() => [...a.said, ...b.said]).toEqual(['OPEN', 'OPEN']);
  a.socket.send(JSON.stringify({ type: 'OFFER', dst: 'peer-b', payload: {} }));
  await expect.poll(() => b.said).toEqual(['OPEN', 'OFFER']);
});

test.each([
  ['an id with other characters', { id: '%3Cb%3E' }],
  ['a short id', { id: 'ab' }],
  ['a long id', { id: 'a'.repeat(65) }],
  ['no token', { token: '' }],
  ['another key', { key: 'peerjs' }],
  ['a page of another host', { origin: 'https://evil.example' }],
  ['a page without a place', { origin: 'null' }],
])('refuses %s', async (_, options) => {
  const { port } = await start();
  expect(await client(port, options).result).toContain('403');
});

test('takes a page of the same host on another port', async () => {
  const { port } = await start();
  expect(await client(port, { origin: 'http://127.0.0.1:5173' }).result).toBe('open');
});

test('refuses another token for an id that is there, and lets the same token take over at once', async () => {
  const { port } = await start();
  const first = client(port);
  await expect.poll(() => first.said).toEqual(['OPEN']);
  const thief = client(port, { token: 't2' });
  await expect.poll(() => thief.said).toEqual(['ID-TAKEN']);
  const closed = once(first.socket, 'close');
  const reloaded = client(port);
  await expect.poll(() => reloaded.said).toEqual(['OPEN']);
  await closed;
});

test('ends a client that sends more than 64 KiB or no JSON, and goes on', async () => {
  const { port } = await start();
  const big = client(port, { id: 'big' });
  await big.result;
  const closed = once(big.socket, 'close');
  big.socket.send('x'.repeat(65 * 1024));
  await closed;
  const odd = client(port, { id: 'odd' });
  await odd.result;
  odd.socket.send('{');
  odd.socket.send('null');
  expect(await client(port, { id: 'fine' }).result).toBe('open');
});

test('leaves other WebSockets of the server to others, and ends those that are nobody’s', async () => {
  const { server, port } = await start();
  expect(await client(port, { path: '/other' }).result).not.toBe('open');
  const others = new WebSocketServer({ noServer: true });
  server.on('upgrade', (req, socket, head) => {
    if (req.url?.startsWith('/other')) others.handleUpgrade(req, socket, head, () => {});
  });
  expect(await client(port, { path: '/other' }).result).toBe('open');
  expect(await client(port).result).toBe('open');
});

test('answers requests under its path only, and lists nobody', async () => {
  const { port } = await start();
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
  expect((await get('/signal/manyhands/peers')).status).toBe(401);
  expect(await (await get('/signal')).text()).toContain('PeerJS');
  expect(await (await get('/signals')).text()).toBe('not signalling');
});

test('close ends connections and leaves the server to its owner', async () => {
  const { server, signalling, port } = await start();
  const before = client(port);
  await before.result;
  const closed = once(before.socket, 'close');
  signalling.close();
  await closed;
  expect(server.listenerCount('upgrade')).toBe(0);
  expect(server.listening).toBe(true);
});

test('close stops the timers, and nobody else gets their setTimeout', () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const usual = globalThis.setTimeout;
  const signalling = attachSignalling(new EventEmitter());
  expect(globalThis.setTimeout).toBe(usual);
  vi.advanceTimersByTime(5000);
  expect(globalThis.setTimeout).toBe(usual);
  expect(vi.getTimerCount()).toBe(2);
  signalling.close();
  vi.advanceTimersByTime(5000);
  expect(vi.getTimerCount()).toBe(0);
});
