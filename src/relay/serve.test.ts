import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get } from 'node:https';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderUnicodeCompact } from 'uqr';
import { afterAll, afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { readArguments } from '../cli/command-line.ts';
import { greeting, readRelay, serveCommand } from '../cli/serve-command.ts';
import { UsageError } from '../node/usage-error.ts';
import { ownCertificate } from './certificate.ts';
import { type RunningServer, type ServerOptions, startServer } from './serve.ts';

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

test('a file that a new build has removed is not found, and one that it added is', async () => {
  const { url } = await serve();
  const asset = join(dist, 'assets/old-3c4d.js');
  writeFileSync(asset, 'export {}');
  expect((await fetch(`${url}assets/old-3c4d.js`)).status).toBe(200);
  rmSync(asset);
  expect((await fetch(`${url}assets/old-3c4d.js`)).status).toBe(404);
  expect((await fetch(url)).status).toBe(200);
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

/** The status of the answer to a request sent byte for byte; fetch would not send most of these. */
async function statusOf(port: number, head: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head}\r\nHost: any\r\nConnection: close\r\n\r\n`);
  const answer = String(Buffer.concat(await socket.toArray()));
  return Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]);
}

test('a request for no address, or for bytes that no file has, is refused and ends nothing', async () => {
  const { port, url } = await serve();
  const upgrade = '\r\nUpgrade: websocket\r\nConnection: Upgrade';
  for (const target of ['//', '//[', '///', '//any', 'http://[', '*', 'any']) {
    expect(await statusOf(port, `GET ${target} HTTP/1.1`), target).toBe(400);
    expect(await statusOf(port, `POST ${target} HTTP/1.1`), target).toBe(400);
    expect(await statusOf(port, `GET ${target} HTTP/1.1${upgrade}`), target).toBe(400);
  }
  for (const range of ['5-2', '0-18446744073709551615', '9007199254740993-', '18446744073709551615-']) {
    expect(await statusOf(port, `GET / HTTP/1.1\r\nRange: bytes=${range}`), range).toBe(416);
  }
  expect(await statusOf(port, 'GET http://any/index.html HTTP/1.1')).toBe(200);
  expect((await fetch(url)).status).toBe(200);
});

test('one range of a file is sent alone; what is not one range brings the whole file', async () => {
  const { url } = await serve();
  const ranged = async (Range: string) => {
    const answer = await fetch(url, { headers: { Range } });
    return [answer.status, await answer.text()];
  };
  expect(await ranged('bytes=1-5')).toEqual([206, 'title']);
  expect(await ranged('bytes=7-99')).toEqual([206, 'app</title>']);
  expect(await ranged('bytes=99-')).toEqual([416, '']);
  for (const other of ['bytes=-5', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=a-b']) {
    expect(await ranged(other), other).toEqual([200, '<title>app</title>']);
  }
});

test('a file that is found and cannot be read ends its answer alone', async () => {
  const { url } = await serve();
  // Nobody can open a socket as a file.
  const unreadable = createServer();
  open.push(unreadable);
  await new Promise<void>((resolve) => unreadable.listen(join(dist, 'assets/broken.js'), resolve));
  await expect(fetch(`${url}assets/broken.js`).then((answer) => answer.text())).rejects.toThrow();
  expect((await fetch(url)).status).toBe(200);
});

test('signalling answers on the same port', async () => {
  const { port } = await serve();
  const query = 'id=manyhands-host-some&token=t1';
  const socket = new WebSocket(`ws://127.0.0.1:${port}/signal/socket?${query}`);
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

test('a relay that other machines reach is their STUN server too; one behind a proxy or on loopback is not', async () => {
  const askedAs = async (Host: string, options: Partial<ServerOptions>) => {
    const { port } = await serve(options);
    const [res] = await once(getPlain(`http://127.0.0.1:${port}/ice.json`, { headers: { Host } }), 'response');
    const { iceServers } = JSON.parse(String(await res.toArray())) as { iceServers: { urls: string }[] };
    return iceServers.map(({ urls }) => urls.replace(String(port), 'port'));
  };
  const ice = { stun: ['stun:a.example'], turn: [], auth: { kind: 'none' } } as const;
  const host = '0.0.0.0';
  expect(await askedAs('class.test:81', { host, signalling: { ice } })).toEqual([
    'stun:class.test:port',
    'stun:a.example',
  ]);
  expect(await askedAs('localhost:81', { host })).not.toContain('stun:localhost:port');
  expect(await askedAs('class.test', { host, signalling: { isBehindProxy: true } })).toEqual([]);
  expect(await askedAs('class.test', {})).toEqual([]);
});

test('the greeting is honest about what other machines can do', () => {
  const close = async () => {};
  const alone = greeting({ port: 1, url: 'http://127.0.0.1:1/', addresses: [], close }, null);
  expect(alone).toContain('only this machine');
  const open = greeting({ port: 1, url: 'http://localhost:1/', addresses: ['http://192.0.2.7:1/'], close }, null);
  expect(open).toContain('http://192.0.2.7:1/');
  expect(open).toContain('no WebGPU');
});

test('the QR code in the terminal leads to joining, never to a host page of one’s own', () => {
  const server = { port: 1, url: 'http://localhost:1/', addresses: ['http://192.0.2.7:1/'], close: async () => {} };
  const drawn = (link: string) => renderUnicodeCompact(link, { border: 2 }).replace(/^/gm, '  ');
  expect(greeting(server, null)).toContain(drawn('http://192.0.2.7:1/#join'));
  const link = 'http://192.0.2.7:1/#join=abc234';
  expect(greeting(server, null, link)).toContain(drawn(link));
});

test('over https the page, its addresses and signalling all are, and the greeting prepares for the warning', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'https-'));
  const tls = await ownCertificate(folder, ['127.0.0.1'], Date.now());
  rmSync(folder, { recursive: true });
  const server = await serve({ tls });
  expect(server.url).toBe(`https://127.0.0.1:${server.port}/`);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    get(server.url, { ca: tls.cert }, (res) => resolve(res.resume().statusCode)).on('error', reject);
  });
  expect(status).toBe(200);
  const query = 'id=manyhands-host-some&token=t1';
  const socket = new WebSocket(`wss://127.0.0.1:${server.port}/signal/socket?${query}`, { ca: tls.cert });
  const [data] = await once(socket, 'message');
  expect(JSON.parse(String(data))).toEqual({ type: 'OPEN' });
  socket.terminate();
  const words = greeting({ ...server, addresses: ['https://192.0.2.7:1/'] }, tls);
  expect(words).toMatch(/warns once[\s\S]*Proceed[\s\S]*Accept the Risk[\s\S]*visit this website/);
  expect(words).toContain(tls.fingerprint.slice(0, 47));
  expect(words).not.toContain('no WebGPU');
});

const typed = (...argv: string[]) => readRelay(readArguments(serveCommand, argv));

test('STUN, TURN and their credentials are read from the command line', async () => {
  const turn = ['--turn', 'turn:t.example:3478,turns:t.example', '--turn-secret', 's'];
  const { options } = await typed('--stun', 'stun:a.example', ...turn, '--host-key', 'k', '--behind-proxy');
  expect(options.signalling).toEqual({
    ice: {
      stun: ['stun:a.example'],
      turn: ['turn:t.example:3478', 'turns:t.example'],
      auth: { kind: 'secret', secret: 's' },
    },
    hostKey: 'k',
    isBehindProxy: true,
  });
});

test.each([
  [['--cert', 'a.pem'], 'go together'],
  [['--turn', 'turn:a.example'], 'needs --turn-secret'],
  [['--turn-secret', 's'], 'add --turn'],
  [['--stun', 'turn:a.example'], 'not a server'],
])('%j is refused in one line', async (argv, words) => {
  await expect(typed(...argv)).rejects.toThrow(UsageError);
  await expect(typed(...argv)).rejects.toThrow(words);
});
