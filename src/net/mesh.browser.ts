import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CountedLink } from './link/link.ts';
import { linkContract } from './link/link-contract-for-tests.ts';
import { MAX_CALLS_PER_MINUTE, MAX_CONNECTIONS, Mesh } from './mesh.ts';

interface Node {
  readonly mesh: Mesh;
  /** All links so far, the newest last. */
  readonly links: { peer: number; link: CountedLink; end: string | null }[];
  readonly failures: { peer: number; why: string }[];
}

type Relay = (from: number, to: number, text: string) => void;

/** Meshes 0 … count − 1 that expect each other; `relay` stands between them, by default it passes everything on. */
function network(count: number, relay?: Relay): Node[] {
  const pass: Relay = (from, to, text) => queueMicrotask(() => nodes[to]?.mesh.signal(from, text));
  const nodes = Array.from({ length: count }, (_, self): Node => {
    const links: Node['links'] = [];
    const failures: Node['failures'] = [];
    const mesh = new Mesh({
      iceServers: [],
      send: (to, text) => (relay ?? pass)(self, to, text),
      onLink(peer, link) {
        const entry = { peer, link, end: null as string | null };
        link.onClose = (reason) => {
          entry.end = reason;
        };
        links.push(entry);
      },
      onFailed: (peer, why) => failures.push({ peer, why }),
    });
    mesh.expect(Array.from({ length: count }, (_, peer) => peer));
    return { mesh, links, failures };
  });
  onTestFinished(() => {
    for (const { mesh } of nodes) mesh.close();
  });
  return nodes;
}

/** Counts the connections that are made until the test ends. */
function countConnections(): () => number {
  const Original = RTCPeerConnection;
  let count = 0;
  globalThis.RTCPeerConnection = class extends Original {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      count += 1;
    }
  };
  onTestFinished(() => {
    globalThis.RTCPeerConnection = Original;
  });
  return () => count;
}

const soon = { timeout: 5000, interval: 5 };
const peersOf = (node: Node | undefined): number[] => (node?.links ?? []).map(({ peer }) => peer).sort();
const newest = (node: Node | undefined): CountedLink =>
  node?.links.at(-1)?.link ?? expect.unreachable('there is no link');
const passTime = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Two nodes with one link between them. */
async function pair(): Promise<readonly [Node, Node]> {
  const [a, b] = network(2) as [Node, Node];
  a.mesh.connect(1);
  await expect.poll(() => [peersOf(a), peersOf(b)], soon).toEqual([[1], [0]]);
  return [a, b];
}

async function echo(from: CountedLink, to: CountedLink, value: number): Promise<number> {
  const received = new Promise<number>((resolve) => {
    to.onFrame = (frame) => resolve(new Uint8Array(frame)[0] ?? -1);
  });
  from.send(Uint8Array.of(value).buffer);
  return received;
}

/** An offer that a mesh made to `to`, and that reached nobody. */
async function strayOffer(to: number): Promise<string> {
  const offers: string[] = [];
  const [caller] = network(1, (_, __, text) => offers.push(text));
  caller?.mesh.connect(to);
  await expect.poll(() => offers.length, soon).toBe(1);
  return offers[0] as string;
}

linkContract('mesh', async () => {
  const [a, b] = await pair();
  return [newest(a), newest(b)];
});

describe('a mesh', () => {
  test('connects all pairs of three, and frames flow both ways', async () => {
    const connections = countConnections();
    const nodes = network(3);
    nodes[0]?.mesh.connect(1);
    nodes[1]?.mesh.connect(2);
    nodes[2]?.mesh.connect(0);
    await expect
      .poll(() => nodes.map(peersOf), soon)
      .toEqual([
        [1, 2],
        [0, 2],
        [0, 1],
      ]);
    const linkOf = (self: number, peer: number): CountedLink =>
      nodes[self]?.links.find((entry) => entry.peer === peer)?.link ?? expect.unreachable('there is no link');
    for (const [a, b] of [
      [0, 1],
      [1, 2],
      [2, 0],
    ] as const) {
      expect(await echo(linkOf(a, b), linkOf(b, a), 10 * a + b)).toBe(10 * a + b);
      expect(await echo(linkOf(b, a), linkOf(a, b), 10 * b + a)).toBe(10 * b + a);
    }
    expect(connections()).toBe(6);
    expect(nodes.flatMap(({ failures }) => failures)).toEqual([]);
  });

  test('needs one text each way on one machine, within a second', async () => {
    const kinds: string[] = [];
    const started = performance.now();
    const nodes: Node[] = network(2, (from, to, text) => {
      kinds.push(JSON.parse(text).kind);
      queueMicrotask(() => nodes[to]?.mesh.signal(from, text));
    });
    nodes[0]?.mesh.connect(1);
    await expect.poll(() => nodes.map(peersOf), soon).toEqual([[1], [0]]);
    const tookMs = performance.now() - started;
    await passTime(200);
    expect(kinds).toEqual(['offer', 'answer']);
    expect(tookMs).toBeLessThan(1000);
  });

  test('makes one link when both call at once', async () => {
    for (let i = 0; i < 8; i++) {
      const crossing: (() => void)[] = [];
      const nodes: Node[] = network(2, (from, to, text) => {
        const deliver = (): void => nodes[to]?.mesh.signal(from, text);
        if (crossing.length >= 2) return queueMicrotask(deliver);
        // Neither has heard the other's offer when it makes its own.
        if (crossing.push(deliver) === 2) for (const each of crossing) queueMicrotask(each);
      });
      nodes[0]?.mesh.connect(1);
      nodes[1]?.mesh.connect(0);
      await expect.poll(() => nodes.map(peersOf), soon).toEqual([[1], [0]]);
      expect(await echo(newest(nodes[0]), newest(nodes[1]), i)).toBe(i);
      expect(nodes.map(({ failures }) => failures)).toEqual([[], []]);
    }
  });

  test('makes one connection when either side calls again, before it is open or after', async () => {
    const connections = countConnections();
    const nodes: Node[] = network(2, (from, to, text) => {
      nodes[to]?.mesh.signal(from, text);
      nodes[to]?.mesh.connect(from);
    });
    nodes[0]?.mesh.connect(1);
    nodes[0]?.mesh.connect(1);
    await expect.poll(() => nodes.map(peersOf), soon).toEqual([[1], [0]]);
    for (const [self, node] of nodes.entries()) node.mesh.connect(1 - self);
    expect(connections()).toBe(2);
  });

  test('takes candidates that come before the answer', async () => {
    const withoutCandidates = (sdp: string): string => sdp.replace(/a=candidate:.*\r\n/g, '');
    const nodes: Node[] = network(2, (from, to, text) => {
      const { kind, call, sdp } = JSON.parse(text);
      const tell = (signal: object): void => nodes[to]?.mesh.signal(from, JSON.stringify(signal));
      // The called side learns no address, so that it can be reached at its own or not at all.
      if (kind === 'answer') {
        for (const candidate of String(sdp).match(/candidate:.*/g) ?? []) tell({ kind: 'candidate', call, candidate });
      }
      setTimeout(() => tell({ kind, call, sdp: withoutCandidates(sdp) }), 50);
    });
    nodes[0]?.mesh.connect(1);
    await expect.poll(() => nodes.map(peersOf), soon).toEqual([[1], [0]]);
  });

  test('builds nothing for uninvited, malformed or late signals', async () => {
    const offer = await strayOffer(0);
    const { call, sdp } = JSON.parse(offer);
    const connections = countConnections();
    const [node] = network(1) as [Node];
    node.mesh.expect([2, 3]);
    node.mesh.signal(1, offer);
    node.mesh.signal(2, JSON.stringify({ kind: 'answer', call, sdp }));
    node.mesh.signal(2, JSON.stringify({ kind: 'candidate', call, candidate: 'candidate:1' }));
    node.mesh.signal(2, offer.slice(0, -1));
    node.mesh.signal(2, JSON.stringify({ kind: 'offer', call, sdp: sdp.replace('m=application', 'm=audio') }));
    node.mesh.close();
    node.mesh.signal(2, offer);
    node.mesh.connect(2);
    await passTime(50);
    expect(connections()).toBe(0);
    expect(node.failures).toEqual([]);
  });

  test('stops listening to a peer that calls again and again', async () => {
    const offer = await strayOffer(0);
    const connections = countConnections();
    const [node] = network(1, () => {}) as [Node];
    node.mesh.expect([1]);
    for (let i = 0; i < 3 * MAX_CALLS_PER_MINUTE; i++) node.mesh.signal(1, offer);
    expect(connections()).toBe(MAX_CALLS_PER_MINUTE);
  });

  test('has at most so many connections, and says so', async () => {
    const connections = countConnections();
    const [node] = network(1, () => {}) as [Node];
    for (let peer = 1; peer <= MAX_CONNECTIONS + 1; peer++) node.mesh.connect(peer);
    await expect.poll(() => node.failures, soon).toHaveLength(1);
    expect(node.failures[0]).toMatchObject({ peer: MAX_CONNECTIONS + 1, why: expect.stringContaining('64 links') });
    expect(connections()).toBe(MAX_CONNECTIONS);
  });

  test('says why a description cannot be used', async () => {
    const [node] = network(1) as [Node];
    node.mesh.expect([1]);
    node.mesh.signal(1, JSON.stringify({ kind: 'offer', call: 1, sdp: 'v=0\r\nm=application' }));
    await expect.poll(() => node.failures, soon).toHaveLength(1);
    expect(node.failures[0]).toMatchObject({ peer: 1, why: expect.stringContaining('could not be set up') });
  });

  test('gives up after ten seconds without an answer', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const [node] = network(1, () => {}) as [Node];
    node.mesh.connect(1);
    vi.advanceTimersByTime(9_999);
    expect(node.failures).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(node.failures).toEqual([{ peer: 1, why: 'the other tab did not answer in time' }]);
  });
});

describe('the end of a link', () => {
  const told = { timeout: 2000, interval: 5 };

  test('a dropped peer is told within two seconds', async () => {
    const [a, b] = await pair();
    b.mesh.drop(0);
    await expect.poll(() => a.links[0]?.end, told).toBe('closed by the other side');
    expect(b.links[0]?.end).toBe('closed on this side');
    expect([a.failures, b.failures]).toEqual([[], []]);
  });

  test('a mesh that closes tells its peers within two seconds', async () => {
    const [a, b] = await pair();
    a.mesh.close();
    await expect.poll(() => b.links[0]?.end, told).toBe('closed by the other side');
    expect(a.links[0]?.end).toBe('closed on this side');
  });

  test('a page that goes away closes all its links', async () => {
    const [a, b] = await pair();
    dispatchEvent(new Event('pagehide'));
    await expect.poll(() => [a.links[0]?.end, b.links[0]?.end], told).not.toContain(null);
  });

  test('a call that is dropped says nothing more, and the next one opens', async () => {
    const [a, b] = network(2) as [Node, Node];
    a.mesh.connect(1);
    a.mesh.drop(1);
    a.mesh.connect(1);
    await expect.poll(() => [peersOf(a), peersOf(b)], soon).toEqual([[1], [0]]);
    expect([a.failures, b.failures]).toEqual([[], []]);
  });

  test('a link that ended is made anew at once, by whoever calls', async () => {
    const [a, b] = await pair();
    for (const [caller, peer] of [
      [a, 1],
      [b, 0],
      [a, 1],
    ] as const) {
      const count = a.links.length;
      newest(caller).close();
      caller.mesh.connect(peer);
      await expect.poll(() => [a.links.length, b.links.length], soon).toEqual([count + 1, count + 1]);
      expect([a.links[count - 1]?.end, b.links[count - 1]?.end]).not.toContain(null);
      expect(await echo(newest(a), newest(b), count)).toBe(count);
      expect(await echo(newest(b), newest(a), count)).toBe(count);
    }
    expect([a.failures, b.failures]).toEqual([[], []]);
    await passTime(1200);
    expect([a.links.at(-1)?.end, b.links.at(-1)?.end]).toEqual([null, null]);
  });

  test('a new call from the same peer replaces its link, the old one ending first', async () => {
    // The third mesh is peer 0 after a reload of which nobody heard.
    let isReloaded = false;
    const nodes: Node[] = network(3, (from, to, text) => {
      const node = nodes[to === 0 && isReloaded ? 2 : to];
      queueMicrotask(() => node?.mesh.signal(from === 2 ? 0 : from, text));
    });
    const [before, other, after] = nodes as [Node, Node, Node];
    before.mesh.connect(1);
    await expect.poll(() => [peersOf(before), peersOf(other)], soon).toEqual([[1], [0]]);
    isReloaded = true;
    after.mesh.connect(1);
    await expect.poll(() => [peersOf(after), peersOf(other)], soon).toEqual([[1], [0, 0]]);
    expect(other.links.map(({ end }) => end)).toEqual(['replaced by a new connection', null]);
    expect(await echo(newest(after), newest(other), 9)).toBe(9);
    await expect.poll(() => before.links[0]?.end, told).toBe('closed by the other side');
    expect(nodes.flatMap(({ failures }) => failures)).toEqual([]);
  });
});
