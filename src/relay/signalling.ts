import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { isSame } from '../net/join/invite.ts';
import { codeOf, type JoinAnswer, joinRequestSchema, peerSchema } from '../net/join/messages.ts';
import { MAX_FRAME_BYTES } from '../net/link/link.ts';
import { type IceOptions, iceServers, noIce, serverNames } from './ice-servers.ts';
import { addressName, Holdings, Limiter } from './limits.ts';
import { RelayedLinks } from './relayed-links.ts';
import { answerJson, isSameHost, readJson, refuseUpgrade, requestUrl } from './requests.ts';
import { RoomSockets, tell } from './room-sockets.ts';
import { type Room, Rooms } from './rooms.ts';

const MAX_HOSTS_PER_ADDRESS = 50;
/** A class behind one router, several tabs each; a worker leaves signalling once it is connected. */
const MAX_WORKERS_PER_ADDRESS = 256;
/** Where data channels are blocked, frames go worker → relay → host; this many links at a time. */
const MAX_RELAYED = 200;
const MAX_RELAYED_PER_ADDRESS = 64;
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

/** A request to become a WebSocket. */
interface Upgrade {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly query: URLSearchParams;
  readonly address: string;
}

/**
 * Adds signalling to an HTTP server that may have other requests and other WebSockets. A socket is a host's, for the room
 * of its code, or that of a worker with a valid invite to such a room; src/net/join/messages.ts says what they say.
 */
export class Signalling {
  readonly #server: EventEmitter;
  readonly #options: SignallingOptions;
  readonly #now: () => number;
  /** Signalling messages are a few KiB, relayed frames have the frames' own limit. */
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  readonly #rooms = new Rooms();
  readonly #roomSockets: RoomSockets;
  readonly #relayed = new RelayedLinks();
  readonly #hosts = new Holdings(MAX_HOSTS_PER_ADDRESS);
  readonly #workers = new Holdings(MAX_WORKERS_PER_ADDRESS);
  readonly #relayedWorkers = new Holdings(MAX_RELAYED_PER_ADDRESS, MAX_RELAYED);
  readonly #newHosts = new Limiter({ burst: 60, perSecond: 1 });
  /** Those that have not answered the last ping. */
  readonly #silent = new WeakSet<WebSocket>();
  readonly #pings = setInterval(() => this.#ping(), PING_MS).unref();
  readonly #onUpgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => this.#route(req, socket, head);

  constructor(server: EventEmitter, options: SignallingOptions = {}) {
    this.#server = server;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#roomSockets = new RoomSockets(this.#rooms, options.hostKey ?? null, this.#now);
    server.on('upgrade', this.#onUpgrade);
  }

  /** Answers a request that belongs to signalling and returns true, or leaves it alone and returns false. */
  handle(req: IncomingMessage, res: ServerResponse): boolean {
    const pathname = requestUrl(req)?.pathname ?? '';
    if (pathname === '/ice.json') answerJson(res, 200, { iceServers: serverNames(this.#iceFor(req)) });
    else if (pathname === '/signal/join' && req.method === 'POST') this.#join(req, res).catch(() => res.destroy());
    else if (pathname === '/signal' || pathname.startsWith('/signal/')) res.writeHead(404).end('not found\n');
    else return false;
    return true;
  }

  /** Ends every signalling connection and timer. The server it is attached to goes on. */
  close(): void {
    this.#server.off('upgrade', this.#onUpgrade);
    clearInterval(this.#pings);
    for (const client of this.#sockets.clients) client.terminate();
    this.#sockets.close();
    this.#relayed.close();
  }

  #route(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const url = requestUrl(req);
    if (url === null) return refuseUpgrade(socket, 400);
    const { pathname, searchParams: query } = url;
    if (pathname !== '/signal/socket' && pathname !== '/relay') {
      if (this.#server.listenerCount('upgrade') === 1) socket.destroy();
      return;
    }
    if (!isSameHost(req)) return refuseUpgrade(socket, 403);
    const upgrade = { req, socket, head, query, address: this.#addressOf(req) };
    if (pathname === '/relay') this.#openRelayed(upgrade);
    else this.#openPeer(upgrade);
  }

  #openPeer(upgrade: Upgrade): void {
    const { req, socket, query, address } = upgrade;
    const { success, data } = peerSchema.safeParse(Object.fromEntries(query));
    if (!success) return refuseUpgrade(socket, 403);
    const { id, token } = data;
    const code = codeOf(id);
    if (code === null) {
      const { room } = this.#enter(token) ?? {};
      if (room === undefined) return refuseUpgrade(socket, 403);
      return this.#open(upgrade, this.#workers.take(address), (client) =>
        this.#roomSockets.addWorker(client, room, id, address),
      );
    }
    const known = this.#rooms.get(code);
    const isOwner = known !== undefined && isSame(known.token, token);
    if (!isOwner && !this.#newHosts.take(address, this.#now())) return refuseUpgrade(socket, 429);
    const ice = this.#iceFor(req);
    this.#open(upgrade, this.#hosts.take(address), (client) => {
      const freshServers = () => iceServers(ice, 'host', this.#now());
      this.#roomSockets.addHost(client, { code, token, address, iceServers: freshServers });
    });
  }

  #openRelayed(upgrade: Upgrade): void {
    const { socket, query, address } = upgrade;
    const link = query.get('link');
    if (link !== null) {
      if (!this.#relayed.isWaiting(link)) return refuseUpgrade(socket, 403);
      return this.#open(
        upgrade,
        () => {},
        (client) => this.#relayed.meet(link, client),
      );
    }
    const entered = this.#enter(query.get('token') ?? '');
    if (entered === null) return refuseUpgrade(socket, 403);
    const { room, ticket } = entered;
    this.#open(upgrade, this.#relayedWorkers.take(address), (client) => {
      if (room.host !== null) tell(room.host, { type: 'RELAY', payload: { link: this.#relayed.wait(client), ticket } });
    });
  }

  /** Makes it a WebSocket that is pinged, if it has a place; that is given back when the connection is gone. */
  #open({ req, socket, head }: Upgrade, giveBack: (() => void) | null, then: (client: WebSocket) => void): void {
    if (giveBack === null) return refuseUpgrade(socket, 429);
    socket.once('close', giveBack);
    this.#sockets.handleUpgrade(req, socket, head, (client) => {
      client.on('error', () => {});
      client.on('pong', () => this.#silent.delete(client));
      then(client);
    });
  }

  /** A worker's token is the room's code and its ticket. */
  #enter(token: string): { room: Room; ticket: string } | null {
    const [, code = '', ticket = ''] = /^([a-z0-9-]+)\.(.+)$/.exec(token) ?? [];
    const room = this.#rooms.enter(code, ticket, this.#now());
    return typeof room === 'string' ? null : { room, ticket };
  }

  async #join(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!isSameHost(req)) return answerJson(res, 403, { error: 'not from a page of this relay' });
    // A page on another port of the same host, such as a development server's, may read the answer too.
    if (req.headers.origin !== undefined) res.setHeader('Access-Control-Allow-Origin', req.headers.origin);
    const asked = joinRequestSchema.safeParse(await readJson(req));
    if (!asked.success) return answerJson(res, 400, { error: 'not a request to join' });
    const { code, ticket } = asked.data;
    const said = this.#rooms.ask(code, ticket, this.#addressOf(req), this.#now());
    const servers = iceServers(this.#iceFor(req), 'worker', this.#now());
    answerJson(res, 200, (said.kind === 'welcome' ? { ...said, iceServers: servers } : said) satisfies JoinAnswer);
  }

  #addressOf(req: IncomingMessage): string {
    const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
    const isForwarded = this.#options.isBehindProxy === true && forwarded.at(-1)?.trim();
    return addressName(isForwarded || (req.socket.remoteAddress ?? ''));
  }

  #iceFor(req: IncomingMessage): IceOptions {
    const { ice = noIce, ownStun } = this.#options;
    const own = ownStun?.(req.headers.host) ?? null;
    return own === null ? ice : { ...ice, stun: [own, ...ice.stun] };
  }

  #ping(): void {
    for (const client of this.#sockets.clients) {
      // The answer of one that is not read just now would not be heard.
      if (client.isPaused) continue;
      if (this.#silent.has(client)) client.terminate();
      else {
        this.#silent.add(client);
        client.ping();
      }
    }
  }
}
