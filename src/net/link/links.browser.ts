import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type {} from '../../relay/signalling-for-tests.ts';
import { browserRuntime } from '../join/browser-runtime.ts';
import { type DialTarget, dialer } from '../join/dial.ts';
import type { DialError } from '../join/dial-error.ts';
import { deviceFor, type ProvenLink } from '../join/handshake.ts';
import { lanSettings } from '../join/ice.ts';
import { linkInvite, newSecret, readInvite } from '../join/invite.ts';
import { Listener, type ListenOptions, type ListenState } from '../join/listen.ts';
import { type Link, MAX_FRAME_BYTES } from './link.ts';
import { linkContract } from './link-contract-for-tests.ts';
import { memoryPair } from './memory-for-tests.ts';
import { bridge, portLink } from './port.ts';

const port = String(inject('signallingPort'));
const settings = lanSettings({ hostname: 'localhost', port, protocol: 'http:' });
const never = new AbortController().signal;

let codes = 0;
const freshCode = (): string => `test-${Date.now()}-${codes++}`;
const device = deviceFor(new Uint8Array(16), 'tests');

const dial = (
  code: string,
  invite: string | null,
  {
    to = settings,
    signal = never,
    ...target
  }: Partial<DialTarget> & { to?: typeof settings; signal?: AbortSignal } = {},
): Promise<ProvenLink> =>
  dialer(browserRuntime, { code, invite, device, transport: 'auto', onServers: () => {}, ...target }, to)(signal);

/** A host that collects its links and its states, and is closed after the test. */
function host(code: string, changed: Partial<ListenOptions> = {}) {
  const secret = changed.secret ?? newSecret();
  const states: ListenState[] = [];
  const links: ProvenLink[] = [];
  const banned = new Set<string>();
  const listener = new Listener(browserRuntime, settings, {
    code,
    token: 'token',
    freesCode: true,
    secret,
    allowsTyping: true,
    hostKey: null,
    isBanned: (name) => banned.has(name),
    onState: (state) => states.push(state),
    onLink: (link) => links.push(link),
    ...changed,
  });
  onTestFinished(() => listener.close());
  const hasState = (kind: ListenState['kind']) =>
    expect.poll(() => states.at(-1)?.kind, { timeout: 15_000, interval: 20 }).toBe(kind);
  const nextLink = async (): Promise<ProvenLink> => {
    await expect.poll(() => links.length, { interval: 10 }).toBeGreaterThan(0);
    return links.shift() as ProvenLink;
  };
  return {
    listener,
    states,
    links,
    secret,
    banned,
    hasState,
    nextLink,
    invite: () => linkInvite(secret, code, Date.now()),
  };
}

async function peerPair(target: Partial<DialTarget> = {}): Promise<readonly [ProvenLink, ProvenLink]> {
  const code = freshCode();
  const { hasState, nextLink, invite } = host(code);
  await hasState('open');
  return [await dial(code, invite(), target), await nextLink()];
}

function bridged(link: Link): Link {
  const { port1, port2 } = new MessageChannel();
  bridge(link, port1);
  return portLink(port2);
}

linkContract('memory', async () => memoryPair());
linkContract('port', async () => {
  const { port1, port2 } = new MessageChannel();
  return [portLink(port1), portLink(port2)];
});
linkContract('WebRTC', () => peerPair());
linkContract('relayed', () => peerPair({ transport: 'relay' }));
linkContract('bridged WebRTC', async () => {
  const [a, b] = await peerPair();
  return [bridged(a), bridged(b)];
});

/** The next `count` frames' lengths, added up. */
const receiveBytes = (link: Link, count: number): Promise<number> =>
  new Promise((resolve) => {
    let bytes = 0;
    let frames = 0;
    link.onFrame = (frame) => {
      bytes += frame.byteLength;
      frames += 1;
      if (frames === count) resolve(bytes);
    };
  });

describe('WebRTC', () => {
  test('the browser counts the bytes and messages that were sent', async () => {
    const [a, b] = await peerPair();
    const sizes = [1, 1000, MAX_FRAME_BYTES, 77, MAX_FRAME_BYTES];
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const received = receiveBytes(b, sizes.length);
    for (const size of sizes) a.send(new ArrayBuffer(size));
    expect(await received).toBe(total);
    expect(await a.stats()).toMatchObject({ messagesSent: 5, bytesSent: total, messagesReceived: 0, bytesReceived: 0 });
    expect(await b.stats()).toMatchObject({ messagesSent: 0, bytesSent: 0, messagesReceived: 5, bytesReceived: total });
    expect((await a.stats()).roundTripMs).toBeGreaterThanOrEqual(0);
  });

  test('a burst over the 16 MiB at which Chromium refuses arrives whole', async () => {
    const [a, b] = await peerPair();
    const received = receiveBytes(b, 300);
    for (let i = 0; i < 300; i++) a.send(new ArrayBuffer(MAX_FRAME_BYTES));
    expect(a.bufferedBytes).toBeGreaterThan(16 << 20);
    expect(await received).toBe(300 * MAX_FRAME_BYTES);
  });

  test('what was sent just before the end still arrives', async () => {
    const [a, b] = await peerPair();
    const received = receiveBytes(b, 4);
    for (let i = 0; i < 4; i++) a.send(new ArrayBuffer(MAX_FRAME_BYTES));
    a.close();
    expect(await received).toBe(4 * MAX_FRAME_BYTES);
  });
});

describe('dialling', () => {
  const failure = (attempt: Promise<ProvenLink>): Promise<DialError> =>
    attempt.then(
      () => expect.unreachable('the dial succeeded'),
      (error) => error,
    );
  const codeOf = async (attempt: Promise<ProvenLink>) => (await failure(attempt)).code;

  test('a code that nobody hosts fails with no-host', async () => {
    expect(await codeOf(dial(freshCode(), null))).toBe('no-host');
  });

  test('a server that is not there fails with no-signalling', async () => {
    const nowhere = lanSettings({ hostname: 'localhost', port: '1', protocol: 'http:' });
    expect(await codeOf(dial(freshCode(), null, { to: nowhere }))).toBe('no-signalling');
  });

  test('a typed code is enough where the host allows it, and says so where not', async () => {
    const code = freshCode();
    const { hasState, nextLink, listener, secret } = host(code);
    await hasState('open');
    await dial(code, null);
    expect((await nextLink()).route).toBe('direct');
    listener.setTerms({ secret, allowsTyping: false });
    await expect.poll(() => codeOf(dial(code, null))).toBe('code-off');
  });

  test('a link stops working when the host makes a new one; links that are open stay', async () => {
    const code = freshCode();
    const { hasState, nextLink, listener, invite } = host(code);
    await hasState('open');
    const old = invite();
    const link = await dial(code, old);
    const hosted = await nextLink();
    const secret = newSecret();
    listener.setTerms({ secret, allowsTyping: true });
    await expect.poll(() => codeOf(dial(code, old))).toBe('not-invited');
    await dial(code, linkInvite(secret, code, Date.now()));
    const received = receiveBytes(hosted, 1);
    link.send(new ArrayBuffer(5));
    expect(await received).toBe(5);
  });

  test('a damaged, a foreign and an old link are told apart from a host that is away', async () => {
    const code = freshCode();
    const { hasState, secret } = host(code);
    await hasState('open');
    expect(await codeOf(dial(code, 'L7.x'))).toBe('not-invited');
    expect(await codeOf(dial(code, linkInvite(newSecret(), code, Date.now())))).toBe('not-invited');
    expect(await codeOf(dial(code, linkInvite(secret, code, Date.now() - 3 * 86_400_000)))).toBe('expired');
  });

  test.each(['auto', 'relay'] as const)('a removed device is told so (%s)', async (transport) => {
    const code = freshCode();
    const { hasState, nextLink, invite, banned } = host(code);
    await hasState('open');
    await dial(code, invite(), { transport });
    banned.add((await nextLink()).device);
    expect(await codeOf(dial(code, invite(), { transport }))).toBe('removed');
    await dial(code, invite(), { transport, device: 'f'.repeat(32) });
  });

  test.each(['auto', 'relay'] as const)('whoever passes for the host is found out (%s)', async (transport) => {
    const code = freshCode();
    const { hasState, invite, links } = host(code);
    await hasState('open');
    // A right ticket, as the relay could show, and a proof that it could not know.
    const [head, ticket] = invite().split('.');
    const [, , proof] = linkInvite(newSecret(), code, Date.now()).split('.');
    const mixed = [head, ticket, proof].join('.');
    expect(await codeOf(dial(code, mixed, { transport }))).toBe('not-the-host');
    expect(links).toEqual([]);
  });

  describe('without a direct way', () => {
    /** Only relayed candidates, and no TURN server: there are none. */
    const blockIce = (): void => {
      const original = RTCPeerConnection;
      globalThis.RTCPeerConnection = class extends original {
        constructor() {
          super({ iceTransportPolicy: 'relay' });
        }
      };
      onTestFinished(() => {
        globalThis.RTCPeerConnection = original;
      });
    };

    test('the relay carries the link, and the next one goes there at once', async () => {
      const code = freshCode();
      const { hasState, nextLink, invite } = host(code);
      await hasState('open');
      blockIce();
      const target = { code, invite: invite(), device, transport: 'auto', onServers: () => {} } as const;
      const again = dialer(browserRuntime, target, settings);
      const link = await again(never);
      const hosted = await nextLink();
      expect([link.route, hosted.route]).toEqual(['relayed', 'relayed']);
      const received = receiveBytes(hosted, 1);
      link.send(new ArrayBuffer(77));
      expect(await received).toBe(77);
      const startedAtMs = performance.now();
      await again(never);
      expect(performance.now() - startedAtMs).toBeLessThan(2000);
    });
  });

  test('can be given up', async () => {
    const controller = new AbortController();
    const attempt = failure(dial(freshCode(), null, { signal: controller.signal }));
    controller.abort(new Error('enough'));
    expect((await attempt).message).toBe('enough');
  });
});

describe('listening', () => {
  /** One data channel, as far as the guard can see. */
  const sdp = 'v=0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n';

  /** Says anything to a host through signalling, with a ticket. */
  async function guest(code: string, invite: string, payloads: unknown[]): Promise<void> {
    const token = `${code}.${readInvite(invite)?.ticket}`;
    const socket = new WebSocket(`ws://localhost:${port}/signal/socket?id=manyhands-worker-guest&token=${token}`);
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    for (const payload of payloads) {
      socket.send(JSON.stringify({ type: 'OFFER', dst: `manyhands-host-${code}`, payload }));
    }
    onTestFinished(() => socket.close());
  }

  test('makes no connection for an offer without an invite, though its socket has one', async () => {
    const made: unknown[] = [];
    const original = RTCPeerConnection;
    globalThis.RTCPeerConnection = class extends original {
      constructor(config?: RTCConfiguration) {
        super(config);
        made.push(config);
      }
    };
    onTestFinished(() => {
      globalThis.RTCPeerConnection = original;
    });
    const code = freshCode();
    const { hasState, invite } = host(code);
    await hasState('open');
    const signal = { kind: 'offer', call: 7, sdp };
    const bogus = `Lzzzzzz.${'A'.repeat(22)}`;
    await guest(code, invite(), [{ signal }, { signal, ticket: {} }, { signal, ticket: bogus }]);
    await dial(code, invite());
    // The dialler's own, and the host's for it.
    expect(made).toHaveLength(2);
  });

  test('goes on after malformed offers', async () => {
    const errors: unknown[] = [];
    const onError = (event: Event): void => {
      errors.push(event.type);
      event.preventDefault();
    };
    for (const type of ['error', 'unhandledrejection']) window.addEventListener(type, onError);
    onTestFinished(() => {
      for (const type of ['error', 'unhandledrejection']) window.removeEventListener(type, onError);
    });
    const code = freshCode();
    const { hasState, nextLink, invite } = host(code);
    await hasState('open');
    const ticket = readInvite(invite())?.ticket;
    const signal = { kind: 'offer', call: 7, sdp };
    await guest(code, invite(), [
      null,
      'text',
      { ticket, signal: { ...signal, kind: 'none such' } },
      { ticket, signal: { ...signal, sdp: 7 } },
      { ticket, signal: { ...signal, sdp: 'garbage' } },
      { ticket, signal: { ...signal, sdp: sdp.replace('application', 'audio') } },
      { ticket, signal },
    ]);
    const link = await dial(code, invite());
    const received = receiveBytes(await nextLink(), 1);
    link.send(new ArrayBuffer(8));
    expect(await received).toBe(8);
    expect(errors).toEqual([]);
  });

  test('waits with words for a code that another has, and gets it when that one goes', async () => {
    const code = freshCode();
    const first = host(code, { token: 'one' });
    await first.hasState('open');
    const second = host(code, { token: 'two' });
    await second.hasState('lost');
    expect(second.states.at(-1)?.problem).toContain('in use');
    first.listener.close();
    await second.hasState('open');
  });

  test('keeps its links when it loses signalling, and comes back to it', async () => {
    const code = freshCode();
    const { states, hasState, nextLink, invite, secret } = host(code);
    await hasState('open');
    const link = await dial(code, invite());
    const hosted = await nextLink();
    // The server lets a page with the same token take over, as after a reload, and ends the old connection.
    const reloaded = host(code, { secret });
    await reloaded.hasState('open');
    await hasState('lost');
    expect(states.at(-1)?.problem).toContain('signalling');
    const received = receiveBytes(hosted, 1);
    link.send(new ArrayBuffer(5));
    expect(await received).toBe(5);
    reloaded.listener.close();
    await hasState('open');
    await dial(code, invite());
    await nextLink();
  });
});
