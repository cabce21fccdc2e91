import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import sirv from 'sirv';
import { UsageError } from '../node/usage-error.ts';
import { answerJson, hostnameOf, readRange, requestUrl } from './requests.ts';
import { securityHeaders } from './security-headers.ts';
import { Signalling, type SignallingOptions } from './signalling.ts';
import { startStun } from './stun.ts';

export interface ServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** The address to listen on; 0.0.0.0 is every network of this machine. */
  readonly host: string;
  /** The folder of the built app. */
  readonly dist: string;
  /** How many ports to try, counting up from `port`, when one is in use. */
  readonly tries?: number;
  /** With a certificate, as PEM, everything is https; without, http. */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
  readonly signalling?: SignallingOptions;
}

export interface RunningServer {
  readonly port: number;
  /** Where this machine finds the page. */
  readonly url: string;
  /** Where other machines find it; empty when listening on one address only. */
  readonly addresses: readonly string[];
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * Serves the built app and signalling for it on one port, and on the same UDP port, where other machines may reach it
 * and no proxy is in front, tells pages their addresses. Rejects with words for the user when the port is taken.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { port, host, dist, tries = 1, tls = null } = options;
  const files = sirv(dist, {
    // Looks at the disk for each request: a file listed at the start may be gone by then, which would end the process.
    dev: true,
    etag: true,
    setHeaders: (res, pathname) => res.setHeader('Cache-Control', cacheControl(pathname)),
  });
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    for (const [name, value] of Object.entries(securityHeaders)) res.setHeader(name, value);
    const end = (status: number, text: string, headers = {}) => void res.writeHead(status, headers).end(text);
    const url = requestUrl(req);
    if (url === null) return end(400, 'not an address of this server\n', { Connection: 'close' });
    // sirv takes the request's text for a path, and every Range for one that a file can satisfy.
    req.url = url.pathname + url.search;
    if (signalling.handle(req, res)) return;
    if (url.pathname === '/addresses.json') return answerJson(res, 200, addresses);
    if (req.method !== 'GET' && req.method !== 'HEAD') return end(405, '', { Allow: 'GET, HEAD' });
    const notFound = () => end(404, 'not found\n');
    if (isHidden(url.pathname)) return notFound();
    const range = readRange(req.headers.range ?? '');
    if (range === 'unsatisfiable') return end(416, 'no file has these bytes\n');
    if (range === 'whole') delete req.headers.range;
    // A file that goes away, or may not be read, between its look-up and its stream ends this answer alone.
    res.once('pipe', (file) => file.once('error', () => res.destroy()));
    files(req, res, notFound);
  };
  const server = tls === null ? createServer(answer) : createTlsServer(tls, answer);
  const ownStun = (asked: string | undefined): string | null => {
    const name = hostnameOf(asked) ?? '';
    // A page that asks over loopback would learn nothing that helps others.
    const reachable = isLoopback(name) ? addresses.map((address) => new URL(address).hostname)[0] : name;
    return stun === null || !reachable ? null : `stun:${reachable}:${(server.address() as AddressInfo).port}`;
  };
  const signalling = new Signalling(server, { ...options.signalling, ownStun });
  const urlOf = (name: string, bound: number): string =>
    `${tls === null ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${bound}/`;
  let addresses: readonly string[] = [];
  let stun: Awaited<ReturnType<typeof startStun>> = null;
  const close = () =>
    new Promise<void>((resolve) => {
      signalling.close();
      stun?.close();
      server.close(() => resolve());
      server.closeAllConnections();
    });

  try {
    const bound = await listen(server, port, host, tries);
    const isEverywhere = host === '0.0.0.0' || host === '::';
    if (isEverywhere) addresses = lanAddresses().map((address) => urlOf(address, bound));
    if (!isLoopback(host) && !options.signalling?.isBehindProxy) stun = await startStun(bound, host);
    return { port: bound, url: urlOf(isEverywhere ? 'localhost' : host, bound), addresses, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether the path leads to a file whose name begins with a dot, or cannot be read at all. */
function isHidden(pathname: string): boolean {
  try {
    return /[/\\]\./.test(decodeURIComponent(pathname));
  } catch {
    return true;
  }
}

const isLoopback = (name: string): boolean => /^(localhost|127\..*|\[?::1\]?)$/.test(name);

/** Names under assets/ change with their content; everything else is asked for again, cheaply, by its ETag. */
function cacheControl(pathname: string): string {
  return pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

async function listen(
  server: ReturnType<typeof createServer | typeof createTlsServer>,
  port: number,
  host: string,
  tries: number,
): Promise<number> {
  for (let candidate = port; ; candidate += 1) {
    try {
      server.listen(candidate, host);
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && candidate + 1 < port + tries) continue;
      throw new UsageError(wordsFor(code, candidate, host), { cause: error });
    }
  }
}

function wordsFor(code: string | undefined, port: number, host: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use by another program: choose another with --port`;
    case 'EACCES':
      return `port ${port} may not be used by this user: choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `"${host}" is not an address of this machine: choose another with --address`;
    default:
      return `cannot listen on ${host}:${port} (${code ?? 'unknown error'})`;
  }
}

/** What a certificate for this machine must name: what browsers on it and around it have in their address bars. */
export function ownNames(address: string): string[] {
  const names = ['localhost', hostname(), `${hostname()}.local`].filter((name) => /^[a-z0-9.-]+$/i.test(name));
  const own = address === '0.0.0.0' || address === '::' ? lanAddresses() : [address];
  return [...new Set([...names, '127.0.0.1', '::1', ...own])];
}

function lanAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.filter((address) => address.family === 'IPv4' && !address.internal).map((address) => address.address);
}
