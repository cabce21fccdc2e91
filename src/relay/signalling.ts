import type { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ExpressPeerServer, type IClient } from 'peer';
import { type WebSocket, WebSocketServer } from 'ws';

export const SIGNALLING_KEY = 'manyhands';

/** Offers and candidates are a few KiB. */
const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_CLIENTS = 1000;
/** How long a message waits for a peer that is not there; then its sender is told. */
const EXPIRE_MS = 3000;

export interface Signalling {
  /** Answers a request under the signalling path and returns true, or leaves it alone and returns false. */
  handler(req: IncomingMessage, res: ServerResponse): boolean;
  /** Ends every signalling connection and timer. The server it is attached to goes on. */
  close(): void;
}

/**
 * Adds PeerJS signalling under `path` to an HTTP server that may have other requests and other WebSockets:
 * only upgrades of exactly `path`/peerjs are taken, from pages of the same host, with our key and well-formed ids.
 */
export function attachSignalling(server: EventEmitter, path = '/signal'): Signalling {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  const timers = new StoppableTimers();
  // `peer` starts when its app is mounted on another express app: an unmounted one of its own serves as that.
  const app = ExpressPeerServer(createServer());
  const peerApp = ExpressPeerServer(createServer(), {
    key: SIGNALLING_KEY,
    path: '/',
    allow_discovery: false,
    proxied: false,
    concurrent_limit: MAX_CLIENTS,
    expire_timeout: EXPIRE_MS,
    cleanup_out_msgs: 500,
    corsOptions: { origin: false },
    createWebSocketServer: () => sockets,
  });
  // A malformed message of one client is no reason to stop; unheard, the event would throw.
  peerApp.on('error', () => {});
  welcomeBack(peerApp);
  timers.during(() => app.use(path, peerApp));

  const onUpgrade = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const url = new URL(req.url ?? '', 'http://any');
    if (url.pathname !== `${path}/peerjs`) {
      if (server.listenerCount('upgrade') === 1) socket.destroy();
    } else if (isAcceptable(url.searchParams) && isSameHost(req)) {
      sockets.handleUpgrade(req, socket, head, (client) => sockets.emit('connection', client, req));
    } else {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    }
  };
  server.on('upgrade', onUpgrade);

  return {
    handler(req, res) {
      const { pathname } = new URL(req.url ?? '', 'http://any');
      if (pathname !== path && !pathname.startsWith(`${path}/`)) return false;
      app(req, res);
      return true;
    },
    close() {
      server.off('upgrade', onUpgrade);
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      timers.stop();
    },
  };
}

function isAcceptable(query: URLSearchParams): boolean {
  return (
    query.get('key') === SIGNALLING_KEY &&
    /^[a-z0-9-]{3,64}$/.test(query.get('id') ?? '') &&
    /^[A-Za-z0-9-]{1,128}$/.test(query.get('token') ?? '')
  );
}

/** A browser says which page opened the connection: any other site the user visits must not reach a host tab here. */
function isSameHost(req: IncomingMessage): boolean {
  const { origin, host } = req.headers;
  if (origin === undefined) return true;
  const page = URL.canParse(origin) ? new URL(origin).hostname : null;
  return host !== undefined && URL.canParse(`http://${host}`) && page === new URL(`http://${host}`).hostname;
}

/**
 * A peer that comes back with its token while its old socket is half-open gets no OPEN from `peer` and would wait
 * for ever: it is sent here, and the old socket ended.
 */
function welcomeBack(peerApp: ReturnType<typeof ExpressPeerServer>): void {
  const current = new WeakMap<IClient, WebSocket | null>();
  peerApp.on('connection', (client: IClient) => {
    const old = current.get(client);
    current.set(client, client.getSocket());
    if (old === undefined) return;
    client.send({ type: 'OPEN' });
    old?.terminate();
  });
}

/**
 * Stops timers of code that offers no way to stop them: `peer` re-arms two for ever. setTimeout is replaced only
 * while their code runs, synchronously, so nothing else sees the replacement.
 */
class StoppableTimers {
  #isStopped = false;

  during(work: () => void): void {
    const original = globalThis.setTimeout;
    const replacement = (callback: () => void, delayMs?: number) =>
      original(() => {
        if (!this.#isStopped) this.during(callback);
      }, delayMs).unref();
    Reflect.set(globalThis, 'setTimeout', replacement);
    try {
      work();
    } finally {
      Reflect.set(globalThis, 'setTimeout', original);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}
