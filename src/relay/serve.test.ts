import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningServer, type ServerOptions, startServer } from './serve.ts';
import { greeting } from './serve-command.ts';

const dist = mkdtempSync(join(tmpdir(), 'dist-'));
mkdirSync(join(dist, 'assets'));
writeFileSync(join(dist, 'index.html'), '<title>app</title>');
writeFileSync(join(dist, '.built-from'), 'secret');
writeFileSync(join(dist, 'assets/app-1a2b.js'), 'export {}');
afterAll(() => rmSync(dist, { recursive: true }));

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const closable of open.splice(0)) await closable.close();
});

async function serve(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const server = await startServer({ port: 0, host: '127.0.0.1', dist, ...options });
  open.push(server);
  return server;
}

/** A port that another program has. */
async function takenPort(): Promise<number> {
  const other = createServer();
  open.push(other);
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('the page is asked for again each time, named assets are kept', async () => {
  const { url } = await serve();
  const page = await fetch(url);
  expect(await page.text()).toBe('<title>app</title>');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const asset = await fetch(`${url}assets/app-1a2b.js`);
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('content-type')).toContain('javascript');
});

test('every answer carries a policy without foreign origins', async () => {
  const { url } = await serve();
  for (const path of ['', 'assets/app-1a2b.js', 'nothing-here']) {
    const policy = (await fetch(url + path)).headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(policy).not.toMatch(/https?:|\*/);
  }
});

test('what is not part of the app is not served', async () => {
  const { url } = await serve();
  for (const path of ['nothing-here', '.built-from', '%2e%2e/package.json', 'assets/..%2f..%2fetc/passwd']) {
    expect((await fetch(url + path)).status, path).toBe(404);
  }
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
});

test('signalling answers on the same port', async () => {
  const { port } = await serve();
  const query = 'key=manyhands&id=some-host&token=t1';
  const socket = new WebSocket(`ws://127.0.0.1:${port}/signal/peerjs?${query}`);
  const first = await new Promise<string>((resolve, reject) => {
    socket.on('message', (data) => resolve(String(data)));
    socket.on('error', reject);
  });
  socket.terminate();
  expect(JSON.parse(first)).toEqual({ type: 'OPEN' });
});

test('a taken port that was asked for is an error with the port in it', async () => {
  const port = await takenPort();
  await expect(serve({ port })).rejects.toThrow(`port ${port} is in use`);
});

test('a taken port that was only preferred gives way to a later one', async () => {
  const port = await takenPort();
  const server = await serve({ port, tries: 20 });
  expect(server.port).toBeGreaterThan(port);
  expect((await fetch(server.url)).status).toBe(200);
});

test('an address of another machine is an error that says so', async () => {
  await expect(serve({ host: '192.0.2.1' })).rejects.toThrow('not an address of this machine');
});

test('closing frees the port though a client keeps its connection', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', dist });
  await fetch(server.url, { headers: { Connection: 'keep-alive' } });
  await server.close();
  await expect(fetch(server.url)).rejects.toThrow();
  await (await serve({ port: server.port })).close();
});

test('the greeting is honest about what other machines can do', () => {
  const close = async () => {};
  const alone = greeting({ port: 1, url: 'http://127.0.0.1:1/', addresses: [], close });
  expect(alone).toContain('only this machine');
  const open = greeting({ port: 1, url: 'http://localhost:1/', addresses: ['http://192.0.2.7:1/'], close });
  expect(open).toContain('http://192.0.2.7:1/');
  expect(open).toContain('no WebGPU');
});
