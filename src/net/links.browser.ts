import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type {} from '../relay/signalling-for-tests.ts';
import { lanSettings } from './ice.ts';
import { type Link, MAX_FRAME_BYTES } from './link.ts';
import { linkContract } from './link-contract.ts';
import { memoryPair } from './memory.ts';
import { type DialError, dial, type ListenState, listen, type PeerLink } from './peer.ts';
import { bridge, portLink } from './port.ts';

const port = String(inject('signallingPort'));
const settings = lanSettings({ hostname: 'localhost', port, protocol: 'http:' });
const never = new AbortController().signal;

let codes = 0;
const freshCode = (): string => `test-${Date.now()}-${codes++}`;

/** A host that collects its links and its states, and is closed after the test. */
function host(code: string, token = 'token') {
  const states: ListenState[] = [];
  const links: PeerLink[] = [];
  const listener = listen(code, settings, {
    token,
    onState: (state) => states.push(state),
    onLink: (link) => links.push(link),
  });
  onTestFinished(() => listener.close());
  const hasState = (kind: ListenState['kind']) =>
    expect.poll(() => states.at(-1)?.kind, { timeout: 15_000, interval: 20 }).toBe(kind);
  const nextLink = async (): Promise<PeerLink> => {
    await expect.poll(() => links.length, { interval: 10 }).toBeGreaterThan(0);
    return links.shift() as PeerLink;
  };
  return { listener, states, hasState, nextLink };
}

async function peerPair(): Promise<readonly [PeerLink, PeerLink]> {
  const code = freshCode();
  const { hasState, nextLink } = host(code);
  await hasState('open');
  return [await dial(code, settings, never), await nextLink()];
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
linkContract('WebRTC', peerPair);
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
  const failure = (attempt: Promise<PeerLink>): Promise<DialError> =>
    attempt.then(
      () => expect.unreachable('the dial succeeded'),
      (error) => error,
    );

  test('a code that nobody hosts fails with no-host', async () => {
    expect((await failure(dial(freshCode(), settings, never))).code).toBe('no-host');
  });

  test('a server that is not there fails with no-signalling', async () => {
    const nowhere = lanSettings({ hostname: 'localhost', port: '1', protocol: 'http:' });
    expect((await failure(dial(freshCode(), nowhere, never))).code).toBe('no-signalling');
  });

  test('a host with which no way is found fails with ice-failed', async () => {
    const code = freshCode();
    await host(code).hasState('open');
    // Only relayed candidates, and no relay: there are none.
    const original = RTCPeerConnection;
    globalThis.RTCPeerConnection = class extends original {
      constructor() {
        super({ iceTransportPolicy: 'relay' });
      }
    };
    onTestFinished(() => {
      globalThis.RTCPeerConnection = original;
    });
    expect((await failure(dial(code, settings, never))).code).toBe('ice-failed');
  });

  test('can be given up', async () => {
    const controller = new AbortController();
    const attempt = failure(dial(freshCode(), settings, controller.signal));
    controller.abort(new Error('enough'));
    expect((await attempt).message).toBe('enough');
  });
});

describe('listening', () => {
  /** Says anything to a host through signalling. */
  async function stranger(code: string, payloads: unknown[]): Promise<void> {
    const socket = new WebSocket(
      `ws://localhost:${port}/signal/peerjs?key=manyhands&id=stranger-${code}&token=t&version=1`,
    );
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    for (const payload of payloads) {
      socket.send(JSON.stringify({ type: 'OFFER', dst: `manyhands-host-${code}`, payload }));
    }
    onTestFinished(() => socket.close());
  }

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
    const { hasState, nextLink } = host(code);
    await hasState('open');
    const like = { type: 'data', connectionId: 'c', reliable: true, serialization: 'raw' };
    await stranger(code, [
      null,
      'text',
      { ...like, serialization: 'none such', sdp: { type: 'offer', sdp: '' } },
      { ...like, sdp: { type: 'no type', sdp: 7 } },
      { ...like, sdp: { type: 'offer', sdp: 'garbage' } },
      { ...like, type: 'media', sdp: { type: 'offer', sdp: '' } },
    ]);
    const link = await dial(code, settings, never);
    const received = receiveBytes(await nextLink(), 1);
    link.send(new ArrayBuffer(8));
    expect(await received).toBe(8);
    expect(errors).toEqual([]);
  });

  test('waits with words for a code that another has, and gets it when that one goes', async () => {
    const code = freshCode();
    const first = host(code, 'one');
    await first.hasState('open');
    const second = host(code, 'two');
    await second.hasState('lost');
    expect(second.states.at(-1)?.problem).toContain('in use');
    first.listener.close();
    await second.hasState('open');
  });

  test('keeps its links when it loses signalling, and comes back to it', async () => {
    const code = freshCode();
    const { states, hasState, nextLink } = host(code);
    await hasState('open');
    const link = await dial(code, settings, never);
    const hosted = await nextLink();
    // The server lets a page with the same token take over, as after a reload, and ends the old connection.
    const reloaded = host(code);
    await reloaded.hasState('open');
    await hasState('lost');
    expect(states.at(-1)?.problem).toContain('signalling');
    const received = receiveBytes(hosted, 1);
    link.send(new ArrayBuffer(5));
    expect(await received).toBe(5);
    reloaded.listener.close();
    await hasState('open');
    await dial(code, settings, never);
    await nextLink();
  });
});
