import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import * as z from 'zod/mini';
import { isSame } from '../net/join/invite.ts';
import { type JoinAnswer, SIGNALLING_KEY } from '../net/join/messages.ts';
import { type IceOptions, iceServers, noIce, serverNames } from './ice-servers.ts';
import { addressName, Holdings, Limiter } from './limits.ts';
import { RelayedLinks } from './relayed-links.ts';
import { requestUrl } from './request-target.ts';
import { type Room, Rooms } from './rooms.ts';

const HOST_PREFIX = 'manyhands-host-';

/** Offers and candidates are a few KiB. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Messages wait in the relay only for a socket that is being written; beyond this, its new ones are dropped. */
const MAX_BUFFERED_BYTES = 1 << 20;
const MAX_HOSTS_PER_ADDRESS = 50;
/** A class behind one router, several tabs each; a worker leaves signalling once it is connected. */
const MAX_WORKERS_PER_ADDRESS = 256;
/** A browser answers a ping even while its page sleeps. */
const PING_MS = 30_000;

export interface SignallingOptions {
  readonly ice?: IceOptions;
  /** The relay's own STUN server, for pages that reach the relay by this Host header; null: none. */
  ownStun?(host: string | undefined): string | null;
  /** Only hosts that know it may open a room; null: anybody may. */
  readonly hostKey?: string | null;
  /** The relay is reached through one proxy, which names the client's address in X-Forwarded-For. */
  readonly isBehindProxy?: boolean;
  readonly now?: () => number;
}

export interface Signalling {
  /** Answers a request that belongs to signalling and returns true, or leaves it alone and returns false. */
  handler(req: IncomingMessage, res: ServerResponse): boolean;
  /** Ends every signalling connection and timer. The server it is attached to goes on. */
  close(): void;
}

/**
 * Adds signalling, as PeerJS speaks it, to an HTTP server that may have other requests and other WebSockets. A socket is
 * a host's, for the room of its code, or that of a worker with a valid invite to such a room; messages go between a host
 * and its own workers and nowhere else, at once or not at all.
 */
export function attachSignalling(server: EventEmitter, options: SignallingOptions = {}): Signalling {
  const { ice = noIce, ownStun, hostKey = null, isBehindProxy = false, now = Date.now } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const relayed = new RelayedLinks();
  const rooms = new Rooms();
  const hostsOf = new Holdings(MAX_HOSTS_PER_ADDRESS);
  const workersOf = new Holdings(MAX_WORKERS_PER_ADDRESS);
  const newHosts = new Limiter({ burst: 60, perSecond: 1 });
  // A worker says about thirty things to connect; a host answers as many to each of a class that comes at once.
  const workerMessages = new Limiter({ burst: 4000, perSecond: 400 });
  const hostMessages = new Limiter({ burst: 10_000, perSecond: 1000 });

  const addressOf = (req: IncomingMessage): string => {
    const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
    return addressName((isBehindProxy && forwarded.at(-1)?.trim()) || (req.socket.remoteAddress ?? ''));
  };

  const iceFor = (req: IncomingMessage): IceOptions => {
    const own = ownStun?.(req.headers.host) ?? null;
    return own === null ? ice : { ...ice, stun: [own, ...ice.stun] };
  };

  function onUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const url = requestUrl(req);
    if (url === null) return refuse(socket, 400);
    const { pathname, searchParams: query } = url;
    if (pathname !== '/signal/peerjs' && pathname !== '/relay') {
      if (server.listenerCount('upgrade') === 1) socket.destroy();
      return;
    }
    if (!isSameHost(req)) return refuse(socket, 403);
    const address = addressOf(req);
    if (pathname === '/relay') upgradeRelayed(req, socket, head, query, address);
    else upgradePeer(req, socket, head, query, address);
  }

  function upgradePeer(req: IncomingMessage, socket: Duplex, head: Buffer, query: URLSearchParams, address: string) {
    const { success, data } = peerQuery.safeParse(Object.fromEntries(query));
    if (!success) return refuse(socket, 403);
    const { id, token } = data;
    if (id.startsWith(HOST_PREFIX)) {
      const code = id.slice(HOST_PREFIX.length);
      const known = rooms.get(code);
      const isOwner = known !== undefined && isSame(known.token, token);
      if (!isOwner && !newHosts.take(address, now())) return refuse(socket, 429);
      const giveBack = hostsOf.take(address);
      if (giveBack === null) return refuse(socket, 429);
      socket.once('close', giveBack);
      return sockets.handleUpgrade(req, socket, head, (client) =>
        welcomeHost(client, code, token, address, iceFor(req)),
      );
    }
    const entered = enter(token);
    if (entered === null) return refuse(socket, 403);
    const giveBack = workersOf.take(address);
    if (giveBack === null) return refuse(socket, 429);
    socket.once('close', giveBack);
    sockets.handleUpgrade(req, socket, head, (client) => welcomeWorker(client, entered.room, id, address));
  }

  /** A worker's token is the room's code and its ticket. */
  function enter(token: string): { room: Room; ticket: string } | null {
    const [, code = '', ticket = ''] = /^([a-z0-9-]+)\.(.+)$/.exec(token) ?? [];
    const room = rooms.enter(code, ticket, now());
    return typeof room === 'string' ? null : { room, ticket };
  }

  function welcomeHost(client: WebSocket, code: string, token: string, address: string, given: IceOptions): void {
    const old = rooms.get(code)?.host ?? null;
    const room = rooms.claim(code, token, client, now());
    if (room === null) {
      tell(client, { type: 'ID-TAKEN', payload: { msg: 'ID is taken' } });
      return client.close();
    }
    // Half-open, or of the page before its reload: its workers' messages go to the new one.
    old?.terminate();
    watch(client);
    client.on('close', () => {
      if (room.host === client) rooms.leave(room, now());
    });
    client.on('message', (data: Buffer, isBinary) => {
      const message = hear(client, data, isBinary, hostMessages, address);
      if (message === null || room.host !== client) return;
      switch (message.type) {
        case 'ROOM': {
          const { success, data: asked } = roomPayload.safeParse(message.payload);
          if (!success) return client.close(1008, 'not the terms of a room');
          if (hostKey !== null && !isSame(asked.hostKey ?? '', hostKey)) {
            tell(client, { type: 'ERROR', payload: { code: 'host-key' } });
            return client.close();
          }
          room.terms = { verifier: asked.verifier, allowsTyping: asked.allowsTyping };
          return tell(client, { type: 'ROOM', payload: { iceServers: iceServers(given, 'host', now()) } });
        }
        case 'LEAVE':
          rooms.leave(room, now());
          return rooms.drop(room);
        case 'ANSWER':
        case 'CANDIDATE': {
          const worker = room.workers.get(String(message.dst));
          if (worker !== undefined) tell(worker, { ...message, src: HOST_PREFIX + code });
        }
      }
    });
    tell(client, { type: 'OPEN' });
  }

  function welcomeWorker(client: WebSocket, room: Room, id: string, address: string): void {
    const old = room.workers.get(id);
    room.workers.set(id, client);
    old?.terminate();
    watch(client);
    client.on('close', () => {
      if (room.workers.get(id) === client) room.workers.delete(id);
    });
    client.on('message', (data: Buffer, isBinary) => {
      const message = hear(client, data, isBinary, workerMessages, address);
      if (message === null || (message.type !== 'OFFER' && message.type !== 'CANDIDATE')) return;
      const isForHost = message.dst === HOST_PREFIX + room.code && room.host !== null && room.terms !== null;
      if (isForHost && room.host !== null) tell(room.host, { ...message, src: id });
      else if (message.type === 'OFFER') tell(client, { type: 'EXPIRE', src: message.dst, dst: id });
    });
    tell(client, { type: 'OPEN' });
  }

  function upgradeRelayed(req: IncomingMessage, socket: Duplex, head: Buffer, query: URLSearchParams, address: string) {
    const link = query.get('link');
    if (link !== null) {
      if (!relayed.isWaiting(link)) return refuse(socket, 403);
      return relayed.sockets.handleUpgrade(req, socket, head, (client) => {
        watch(client);
        relayed.meet(link, client);
      });
    }
    const entered = enter(query.get('token') ?? '');
    if (entered === null) return refuse(socket, 403);
    const giveBack = relayed.reserve(address);
    if (giveBack === null) return refuse(socket, 429);
    socket.once('close', giveBack);
    const { room, ticket } = entered;
    relayed.sockets.handleUpgrade(req, socket, head, (client) => {
      watch(client);
      if (room.host !== null) tell(room.host, { type: 'RELAY', payload: { link: relayed.wait(client), ticket } });
    });
  }

  async function join(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!isSameHost(req)) return answer(res, 403, { error: 'not from a page of this relay' });
    // A page on another port of the same host, such as a development server's, may read the answer too.
    if (req.headers.origin !== undefined) res.setHeader('Access-Control-Allow-Origin', req.headers.origin);
    const asked = joinRequest.safeParse(await readJson(req));
    if (!asked.success) return answer(res, 400, { error: 'not a request to join' });
    const { code, ticket } = asked.data;
    const said = rooms.ask(code, ticket, addressOf(req), now());
    const servers = iceServers(iceFor(req), 'worker', now());
    answer(res, 200, (said.kind === 'welcome' ? { ...said, iceServers: servers } : said) satisfies JoinAnswer);
  }

  const silent = new WeakSet<WebSocket>();
  const pings = setInterval(() => {
    for (const client of [...sockets.clients, ...relayed.sockets.clients]) {
      // The answer of one that is not read just now would not be heard.
      if (client.isPaused) continue;
      if (silent.has(client)) client.terminate();
      else {
        silent.add(client);
        client.ping();
      }
    }
  }, PING_MS).unref();

  function watch(client: WebSocket): void {
    client.on('error', () => {});
    client.on('pong', () => silent.delete(client));
  }

  server.on('upgrade', onUpgrade);
  return {
    handler(req, res) {
      const pathname = requestUrl(req)?.pathname ?? '';
      if (pathname === '/ice.json') answer(res, 200, { iceServers: serverNames(iceFor(req)) });
      else if (pathname === '/signal/join' && req.method === 'POST') {
        join(req, res).catch(() => res.destroy());
      } else if (pathname === '/signal' || pathname.startsWith('/signal/')) res.writeHead(404).end('not found\n');
      else return false;
      return true;
    },
    close() {
      server.off('upgrade', onUpgrade);
      clearInterval(pings);
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      relayed.close();
    },
  };

  /** A message of a known shape, or null; whoever sends anything else, or too much, is cut off. */
  function hear(client: WebSocket, data: Buffer, isBinary: boolean, limiter: Limiter, address: string) {
    if (!limiter.take(address, now())) {
      client.close(1008, 'too many messages');
      return null;
    }
    const { success, data: message } = signal.safeParse(isBinary ? null : parsed(data.toString()));
    if (success) return message;
    client.close(1008, 'not a signalling message');
    return null;
  }
}

const code = z.string().check(z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), z.maxLength(40));
const peerQuery = z.object({
  key: z.literal(SIGNALLING_KEY),
  id: z.string().check(z.regex(/^manyhands-(host|worker)-[a-z0-9]+(-[a-z0-9]+)*$/), z.maxLength(64)),
  token: z.string().check(z.regex(/^[A-Za-z0-9._-]{1,128}$/)),
});
const signal = z.object({
  type: z.enum(['OFFER', 'ANSWER', 'CANDIDATE', 'LEAVE', 'HEARTBEAT', 'ROOM']),
  dst: z.optional(z.string().check(z.maxLength(64))),
  payload: z.optional(z.unknown()),
});
const roomPayload = z.object({
  verifier: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)),
  allowsTyping: z.boolean(),
  hostKey: z.optional(z.string().check(z.maxLength(128))),
});
const joinRequest = z.object({ code, ticket: z.nullable(z.string().check(z.maxLength(64))) });

/** A browser says which page opened the connection: any other site the user visits must not reach a host tab here. */
function isSameHost(req: IncomingMessage): boolean {
  const { origin, host } = req.headers;
  if (origin === undefined) return true;
  const page = URL.canParse(origin) ? new URL(origin).hostname : null;
  return host !== undefined && URL.canParse(`http://${host}`) && page === new URL(`http://${host}`).hostname;
}

function tell(client: WebSocket, message: object): void {
  if (client.bufferedAmount < MAX_BUFFERED_BYTES) client.send(JSON.stringify(message));
}

const refusals = { 400: 'Bad Request', 403: 'Forbidden', 429: 'Too Many Requests' };

function refuse(socket: Duplex, status: keyof typeof refusals): void {
  const words = refusals[status];
  socket.end(`HTTP/1.1 ${status} ${words}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

function answer(res: ServerResponse, status: number, value: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  res.end(JSON.stringify(value));
}

const MAX_BODY_BYTES = 1024;

async function readJson(req: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of req) {
    text += String(chunk);
    if (text.length > MAX_BODY_BYTES) throw new RangeError('the request is too long');
  }
  return parsed(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
