import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { codeInvite, linkInvite, newSecret, readInvite, readTicket, verifierOf } from '../net/join/invite.ts';
import { Signalling, type SignallingOptions } from './signalling.ts';

async function start(options: SignallingOptions = {}) {
  const server = createServer((req, res) => {
    if (!signalling.handle(req, res)) res.end('not signalling');
  });
  const signalling = new Signalling(server, options);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    signalling.close();
    server.closeAllConnections();
    server.close();
  });
  return { server, signalling, port };
}

interface Said {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A raw client; `said` has the messages the server sent it. */
function client(port: number, { id = 'manyhands-host-abc234', token = 't1', path = '/signal', origin = '' } = {}) {
  const url = `ws://127.0.0.1:${port}${path}/socket?id=${id}&token=${token}`;
  const socket = new WebSocket(url, origin === '' ? {} : { origin });
  const said: Said[] = [];
  socket.on('message', (data) => said.push(JSON.parse(data.toString())));
  const result = new Promise<string>((resolve) => {
    socket.on('error', (error) => resolve(error.message));
    socket.on('open', () => resolve('open'));
  });
  const types = () => said.map(({ type }) => type);
  const send = (message: object) => socket.send(JSON.stringify(message));
  onTestFinished(() => socket.terminate());
  return { socket, said, types, send, result };
}

const secret = newSecret();
const ticketFor = (code = 'abc234', by = secret, nowMs = Date.now()) =>
  readInvite(linkInvite(by, code, nowMs))?.ticket ?? '';

/** A host whose room is open. */
async function host(port: number, code = 'abc234', { allowsTyping = true, token = 't1', by = secret } = {}) {
  const opened = client(port, { id: `manyhands-host-${code}`, token });
  await expect.poll(opened.types, { interval: 5 }).toEqual(['OPEN']);
  opened.send({ type: 'ROOM', payload: { verifier: verifierOf(by, code), allowsTyping } });
  await expect.poll(opened.types, { interval: 5 }).toEqual(['OPEN', 'ROOM']);
  return opened;
}

let workers = 0;
const worker = (port: number, ticket = ticketFor(), code = 'abc234') =>
  client(port, { id: `manyhands-worker-${workers++}`, token: `${code}.${ticket}` });

async function ask(port: number, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}/signal/join`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers,
  });
  return (await response.json()) as { kind: string; why?: string; invite?: string; iceServers?: unknown };
}

const offerTo = (code: string) => ({ type: 'OFFER', dst: `manyhands-host-${code}`, payload: { a: 1 } });

describe('who gets in', () => {
  test('a worker with a ticket, whose messages reach its host and back', async () => {
    const { port } = await start();
    const keeper = await host(port);
    const guest = worker(port);
    await expect.poll(guest.types).toEqual(['OPEN']);
    guest.send(offerTo('abc234'));
    await expect.poll(() => keeper.said.at(-1)).toMatchObject({ type: 'OFFER', payload: { a: 1 } });
    keeper.send({ type: 'ANSWER', dst: keeper.said.at(-1)?.src, payload: { b: 2 } });
    await expect.poll(() => guest.said.at(-1)).toMatchObject({ type: 'ANSWER', src: 'manyhands-host-abc234' });
  });

  test.each([
    ['no ticket', 'abc234.'],
    ['a random ticket', `abc234.Lzzzzz.${'A'.repeat(22)}`],
    ['a ticket for another room', `abc234.${ticketFor('abc235')}`],
    ['a ticket of another secret', `abc234.${ticketFor('abc234', newSecret())}`],
    ['a ticket of last week', `abc234.${ticketFor('abc234', secret, Date.now() - 7 * 86_400_000)}`],
    ['a room that is not there', `zzzzzz.${ticketFor('zzzzzz')}`],
  ])('not: %s', async (_, token) => {
    const { port } = await start();
    await host(port);
    expect(await client(port, { id: 'manyhands-worker-1', token }).result).toContain('403');
  });

  test.each([
    ['an id with other characters', { id: 'manyhands-host-%3Cb%3E' }],
    ['an id of no kind', { id: 'somebody' }],
    ['a long id', { id: `manyhands-host-${'a'.repeat(65)}` }],
    ['no token', { token: '' }],
    ['a page of another host', { origin: 'https://evil.example' }],
    ['a page without a place', { origin: 'null' }],
  ])('not: %s', async (_, options) => {
    const { port } = await start();
    expect(await client(port, options).result).toContain('403');
  });

  test('a page of the same host on another port', async () => {
    const { port } = await start();
    expect(await client(port, { origin: 'http://127.0.0.1:5173' }).result).toBe('open');
  });

  test('nobody with an old link after the host has made a new one; connected sockets stay', async () => {
    const { port } = await start();
    const keeper = await host(port);
    const old = ticketFor();
    const early = worker(port, old);
    await early.result;
    keeper.send({ type: 'ROOM', payload: { verifier: verifierOf(newSecret(), 'abc234'), allowsTyping: true } });
    await expect.poll(() => keeper.types().length).toBe(3);
    expect(await worker(port, old).result).toContain('403');
    expect(early.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('only hosts with the key, where the relay has one', async () => {
    const { port } = await start({ hostKey: 'k1' });
    const payload = { verifier: verifierOf(secret, 'abc234'), allowsTyping: true };
    const stranger = client(port);
    await stranger.result;
    stranger.send({ type: 'ROOM', payload });
    await expect.poll(stranger.types).toEqual(['OPEN', 'ERROR']);
    const known = client(port);
    await known.result;
    known.send({ type: 'ROOM', payload: { ...payload, hostKey: 'k1' } });
    await expect.poll(known.types).toEqual(['OPEN', 'ROOM']);
  });
});

describe('rooms are apart', () => {
  test('a stranger who hosts a room reaches no other host, and no other’s worker', async () => {
    const { port } = await start();
    const keeper = await host(port);
    const guest = worker(port);
    await guest.result;
    const stranger = await host(port, 'other-room', { token: 't2', by: newSecret() });
    for (const type of ['OFFER', 'ANSWER', 'CANDIDATE', 'LEAVE']) {
      stranger.send({ type, dst: 'manyhands-host-abc234', payload: {} });
      stranger.send({ type, dst: `manyhands-worker-${workers - 1}`, payload: {} });
    }
    const invited = worker(port, ticketFor('other-room', newSecret()), 'other-room');
    expect(await invited.result).toContain('403');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(keeper.types()).toEqual(['OPEN', 'ROOM']);
    expect(guest.types()).toEqual(['OPEN']);
  });

  test('a worker’s offer to anybody but its host expires at once; nothing waits for a peer that is not there', async () => {
    const { port } = await start();
    const keeper = await host(port);
    const guest = worker(port);
    await guest.result;
    guest.send(offerTo('abc235'));
    await expect.poll(guest.types).toEqual(['OPEN', 'EXPIRE']);
    keeper.socket.terminate();
    await once(keeper.socket, 'close');
    await expect
      .poll(() => {
        guest.send(offerTo('abc234'));
        return guest.types().length;
      })
      .toBeGreaterThan(2);
    const again = await host(port);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(again.types()).toEqual(['OPEN', 'ROOM']);
  });

  test('a code is kept for its host’s token while it is away, until it says that it leaves', async () => {
    const { port } = await start();
    const keeper = await host(port);
    keeper.socket.terminate();
    await once(keeper.socket, 'close');
    const thief = client(port, { token: 't2' });
    await expect.poll(thief.types).toEqual(['ID-TAKEN']);
    const back = await host(port);
    back.send({ type: 'LEAVE' });
    await expect.poll(async () => (await ask(port, { code: 'abc234', ticket: null })).why).toBe('no-host');
    const heir = client(port, { token: 't2' });
    await expect.poll(heir.types).toEqual(['OPEN']);
  });

  test('a host with a name as long as names may be answers its workers like any other', async () => {
    const { port } = await start();
    const code = 'a'.repeat(64 - 'manyhands-host-'.length);
    const keeper = await host(port, code);
    const guest = worker(port, ticketFor(code), code);
    await guest.result;
    guest.send(offerTo(code));
    await expect.poll(() => keeper.types().at(-1)).toBe('OFFER');
    keeper.send({ type: 'ANSWER', dst: keeper.said.at(-1)?.src, payload: {} });
    await expect.poll(() => guest.said.at(-1)).toMatchObject({ type: 'ANSWER', src: `manyhands-host-${code}` });
  });

  test('the same token takes over a half-open socket, and is greeted', async () => {
    const { port } = await start();
    const first = await host(port);
    const closed = once(first.socket, 'close');
    const reloaded = await host(port);
    await closed;
    const guest = worker(port);
    await guest.result;
    guest.send(offerTo('abc234'));
    await expect.poll(() => reloaded.types().at(-1)).toBe('OFFER');
  });
});

describe('asking to join', () => {
  test('a ticket is confirmed with the ICE servers; a typed code gets an invite that works', async () => {
    const turn = { stun: [], turn: ['turn:t.example'], auth: { kind: 'secret', secret: 's' } } as const;
    const { port } = await start({ ice: turn });
    await host(port);
    const confirmed = await ask(port, { code: 'abc234', ticket: ticketFor() });
    expect(confirmed).toMatchObject({ kind: 'welcome', invite: null, iceServers: [{ urls: 'turn:t.example' }] });
    const typed = await ask(port, { code: 'abc234', ticket: null });
    const invite = readInvite(typed.invite ?? '');
    expect(readTicket(invite?.ticket ?? '')?.via).toBe('code');
    expect(await worker(port, invite?.ticket).result).toBe('open');
    const open = (await (await fetch(`http://127.0.0.1:${port}/ice.json`)).json()) as unknown;
    expect(open).toEqual({ iceServers: [{ urls: 'turn:t.example' }] });
  });

  test('where typing is off the code alone brings nothing, nor an invite from before', async () => {
    const { port } = await start();
    const before = readInvite(codeInvite(verifierOf(secret, 'abc234'), 'abc234', Date.now()))?.ticket ?? '';
    await host(port, 'abc234', { allowsTyping: false });
    expect(await ask(port, { code: 'abc234', ticket: null })).toMatchObject({ kind: 'refused', why: 'code-off' });
    expect(await worker(port, before).result).toContain('403');
    expect(await worker(port).result).toBe('open');
  });

  test('each address has ten guesses, then one every six seconds; a valid ticket is never refused', async () => {
    let nowMs = Date.now();
    const { port } = await start({ now: () => nowMs });
    await host(port);
    const guess = (code: string, ticket: string | null = null) => ask(port, { code, ticket });
    const guesses = [];
    for (let i = 0; i < 12; i++) guesses.push((await guess(`zzzz${10 + i}`, i % 2 === 0 ? null : 'bogus')).why);
    expect(guesses.filter((why) => why === 'no-host')).toHaveLength(10);
    expect(guesses.slice(10)).toEqual(['too-many-tries', 'too-many-tries']);
    expect((await guess('abc234')).why).toBe('too-many-tries');
    expect((await guess('abc234', ticketFor())).kind).toBe('welcome');
    nowMs += 6100;
    expect((await guess('abc234')).kind).toBe('welcome');
    expect((await guess('abc234', 'bogus')).why).toBe('not-invited');
    expect((await guess('abc234')).why).toBe('too-many-tries');
  });

  test('waiting for the host of one code is one guess, and a class that waits after a restart is let in at once', async () => {
    let nowMs = Date.now();
    const { port } = await start({ now: () => nowMs });
    const wait = (ticket: string | null) => ask(port, { code: 'abc234', ticket });
    for (let i = 0; i < 40; i++) expect((await wait(i % 2 === 0 ? null : ticketFor())).why).toBe('no-host');
    const guesses = [];
    for (let i = 0; i < 10; i++) guesses.push((await ask(port, { code: `zzzzz${i}`, ticket: null })).why);
    expect(guesses).toEqual([...Array.from({ length: 9 }, () => 'no-host'), 'too-many-tries']);
    // Whoever waits hears no other answer for what others at this address guessed.
    expect((await wait(ticketFor())).why).toBe('no-host');
    await host(port);
    expect((await wait(ticketFor())).kind).toBe('welcome');
    nowMs += 6100;
    expect((await wait(null)).kind).toBe('welcome');
  });

  test('behind a proxy addresses are those it names', async () => {
    const { port } = await start({ isBehindProxy: true });
    const from = (address: string, code = 'zzzzzz') =>
      ask(port, { code, ticket: null }, { 'X-Forwarded-For': `1.1.1.1, ${address}` });
    for (let i = 0; i < 10; i++) await from('192.0.2.1', `zzzzz${i}`);
    expect((await from('192.0.2.1')).why).toBe('too-many-tries');
    expect((await from('192.0.2.2')).why).toBe('no-host');
  });

  test('pages of other hosts, long requests and other shapes are refused', async () => {
    const { port } = await start();
    const post = (body: string, headers = {}) =>
      fetch(`http://127.0.0.1:${port}/signal/join`, { method: 'POST', body, headers });
    expect((await post('{}')).status).toBe(400);
    expect((await post('{"code":"abc234","ticket":null}', { Origin: 'https://evil.example' })).status).toBe(403);
    await expect(post(`{"code":"${'a'.repeat(5000)}"}`)).rejects.toThrow();
  });
});

describe('limits', () => {
  test('ends a client that sends more than 64 KiB, no JSON, or too much, and goes on', async () => {
    const { port } = await start();
    const keeper = await host(port);
    const big = worker(port);
    const odd = worker(port);
    const busy = worker(port);
    await Promise.all([big.result, odd.result, busy.result]);
    const ends = [big, odd, busy].map(({ socket }) => once(socket, 'close'));
    big.socket.send('x'.repeat(65 * 1024));
    odd.socket.send('{');
    for (let i = 0; i < 4100; i++) busy.send({ type: 'HEARTBEAT' });
    const codes = (await Promise.all(ends)).map(([code]) => code as number);
    expect(codes).toEqual([1009, 1008, 1008]);
    expect(keeper.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('one address opens fifty rooms at a time, and its workers still come in', async () => {
    const { port } = await start();
    await host(port);
    const many = Array.from({ length: 60 }, (_, i) => client(port, { id: `manyhands-host-room-${i}`, token: 't' }));
    const results = await Promise.all(many.map(({ result }) => result));
    expect(results.filter((result) => result === 'open')).toHaveLength(49);
    expect(await worker(port).result).toBe('open');
  });
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
  expect((await get('/signal/manyhands/peers')).status).toBe(404);
  expect((await get('/signal/join')).status).toBe(404);
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
