import { expect, onTestFinished, test } from 'vitest';
import type { RtcEvents } from '../link/connection.ts';
import { codeInvite, linkInvite, newSecret, readInvite, verifierOf } from './invite.ts';
import { Listener, type ListenOptions, MAX_PENDING } from './listen.ts';

const code = 'abc234';
const secret = newSecret();
const good = readInvite(linkInvite(secret, code, Date.now()))?.ticket ?? '';
const typed = readInvite(codeInvite(verifierOf(secret, code), code, Date.now()))?.ticket ?? '';
const sdp = 'v=0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n';

/** A host whose relay and WebRTC are this test. */
async function host(changed: Partial<ListenOptions> = {}) {
  const opened: string[] = [];
  const sent: { type: string }[] = [];
  const connections: { readonly events: RtcEvents; readonly candidates: string[]; isClosed: boolean }[] = [];
  const states: string[] = [];
  let hear = (_data: unknown): void => {};
  let lose = (_reason: string): void => {};
  const listener = new Listener(
    {
      openSocket(url, { onMessage, onClose }) {
        const { pathname, search } = new URL(url);
        opened.push(`${pathname.split('/').at(-1)}${pathname.startsWith('/relay') ? search : ''}`);
        if (pathname.startsWith('/signal')) {
          hear = onMessage;
          lose = onClose;
        }
        return { send: (data) => sent.push(JSON.parse(String(data))), close() {} };
      },
      openRtc(_, events) {
        const connection = { events, candidates: [] as string[], isClosed: false };
        connections.push(connection);
        return {
          describe: async () => sdp,
          accept: async () => {},
          addCandidate: (candidate) => connection.candidates.push(candidate),
          fingerprints: () => null,
          link: () => expect.unreachable('no channel opens here'),
          close() {
            connection.isClosed = true;
          },
        };
      },
    },
    { relayUrl: 'http://relay.test/', iceServers: [] },
    {
      code,
      token: 'token',
      secret,
      allowsTyping: true,
      hostKey: null,
      freesCode: true,
      isBanned: () => false,
      onLink: () => expect.unreachable('nobody has proven anything'),
      onState: ({ kind, problem }) => states.push(problem ?? kind),
      ...changed,
    },
  );
  onTestFinished(() => listener.close());
  const say = (message: unknown): void => hear(JSON.stringify(message));
  say({ type: 'OPEN' });
  say({ type: 'ROOM', payload: { iceServers: [] } });
  return { listener, opened, sent, connections, states, say, lose: () => lose('') };
}

const offer = (call = 7, ticket: unknown = good, src = 'manyhands-worker-1') => ({
  type: 'OFFER',
  src,
  payload: { ticket, signal: { kind: 'offer', call, sdp } },
});
const candidate = (call = 7) => ({
  type: 'CANDIDATE',
  src: 'manyhands-worker-1',
  payload: { signal: { kind: 'candidate', call, candidate: 'candidate:1' } },
});
const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

test('says who it is and on what terms, and gives the code back at the end', async () => {
  const { listener, opened, sent, states } = await host();
  expect(opened).toEqual(['socket']);
  expect(states).toEqual(['connecting', 'open']);
  listener.close();
  const verifier = verifierOf(secret, code);
  expect(sent).toEqual([{ type: 'ROOM', payload: { verifier, allowsTyping: true } }, { type: 'LEAVE' }]);
});

test('answers a new worker, up to a number of unfinished ones', async () => {
  const { say, connections, sent } = await host();
  for (let call = 0; call < MAX_PENDING + 10; call++) say(offer(call));
  expect(connections).toHaveLength(MAX_PENDING);
  await settled();
  expect(sent.filter(({ type }) => type === 'ANSWER')).toHaveLength(MAX_PENDING);
  for (const { events } of connections.slice(0, 5)) events.onFailed();
  for (let call = 100; call < 110; call++) say(offer(call));
  expect(connections).toHaveLength(MAX_PENDING + 5);
});

test.each([
  ['another room’s ticket', readInvite(linkInvite(secret, 'other', Date.now()))?.ticket],
  ['another secret’s ticket', readInvite(linkInvite(newSecret(), code, Date.now()))?.ticket],
  ['an old ticket', readInvite(linkInvite(secret, code, Date.now() - 3 * 86_400_000))?.ticket],
  ['no ticket', undefined],
  ['a ticket that is no text', [good]],
  ['an empty ticket', ''],
])('makes no connection for an offer with %s', async (_, ticket) => {
  const { say, connections } = await host();
  say(offer(7, ticket ?? null));
  expect(connections).toEqual([]);
});

test('a ticket for a typed code counts only while typing is allowed', async () => {
  const { say, connections, listener } = await host();
  say(offer(1, typed));
  expect(connections).toHaveLength(1);
  listener.setTerms({ secret, allowsTyping: false });
  say(offer(2, typed));
  expect(connections).toHaveLength(1);
});

test('lets nobody replace a connection that exists', async () => {
  const { say, connections } = await host();
  for (let i = 0; i < 3; i++) say(offer());
  expect(connections).toHaveLength(1);
  say(offer(7, good, 'manyhands-worker-2'));
  expect(connections).toHaveLength(2);
});

test('opens the relay’s socket for a worker that waits there, and for nobody else', async () => {
  const { say, opened, connections } = await host();
  const link = '0123456789abcdef'.repeat(2);
  say({ type: 'RELAY', payload: { link, ticket: 'other' } });
  say({ type: 'RELAY', payload: { link: '../x', ticket: good } });
  say({ type: 'OFFER', payload: { link, ticket: good } });
  expect(opened).toEqual(['socket']);
  for (let i = 0; i < 3; i++) say({ type: 'RELAY', payload: { link, ticket: good } });
  expect(opened).toEqual(['socket', `relay?link=${link}`]);
  expect(connections).toEqual([]);
});

test('half-made links through the relay count among the unfinished', async () => {
  const { say, opened, connections } = await host();
  for (let i = 0; i < MAX_PENDING + 10; i++) {
    say({ type: 'RELAY', payload: { link: i.toString(16).padStart(32, '0'), ticket: good } });
  }
  expect(opened).toHaveLength(1 + MAX_PENDING);
  say(offer());
  expect(connections).toEqual([]);
});

const withSignal = (signal: object) => ({ ...offer(), payload: { ticket: good, signal } });

test.each([
  ['an offer of another kind', withSignal({ kind: 'answer', call: 7, sdp })],
  ['media', withSignal({ kind: 'offer', call: 7, sdp: sdp.replace('application', 'audio') })],
  ['no payload', { type: 'OFFER', src: 'w' }],
  ['an endless description', withSignal({ kind: 'offer', call: 7, sdp: sdp + 'x'.repeat(1e5) })],
  ['a call that is no number', withSignal({ kind: 'offer', call: 'c', sdp })],
  ['an answer to no offer', { type: 'ANSWER', src: 'w', payload: { signal: { kind: 'answer', call: 7, sdp } } }],
  ['a farewell that would close a link', { type: 'LEAVE', src: 'w' }],
  ['an endless name', { ...offer(), src: 'w'.repeat(65) }],
  ['no object', 'OFFER'],
])('drops %s', async (_, message) => {
  const { say, connections, states } = await host();
  say(message);
  expect(connections).toEqual([]);
  expect(states.at(-1)).toBe('open');
});

test('keeps candidates only for connections that exist, and few of them', async () => {
  const { say, connections } = await host();
  say(candidate());
  say(offer());
  await settled();
  for (let i = 0; i < 100; i++) say(candidate());
  say(candidate(8));
  expect(connections[0]?.candidates).toHaveLength(32);
});

test.each([
  [{ type: 'ID-TAKEN' }, 'in use'],
  [{ type: 'ERROR', payload: { code: 'host-key' } }, 'hostKey='],
])('says in words why the relay does not take it: %o', async (message, words) => {
  const { say, states } = await host();
  say(message);
  expect(states.at(-1)).toContain(words);
});

test('comes back to a relay that was lost; what is being connected goes on', async () => {
  const { say, lose, opened, connections, states } = await host();
  say(offer());
  lose();
  expect(states.at(-1)).toContain('signalling');
  await expect.poll(() => opened).toHaveLength(2);
  say({ type: 'OPEN' });
  say({ type: 'ROOM', payload: { iceServers: [] } });
  expect(states.at(-1)).toBe('open');
  expect(connections[0]?.isClosed).toBe(false);
});
