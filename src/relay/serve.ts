import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import sirv from 'sirv';
import { securityHeaders } from './security-headers.ts';
import { attachSignalling } from './signalling.ts';

export interface ServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** The address to listen on; 0.0.0.0 is every network of this machine. */
  readonly host: string;
  /** The folder of the built app. */
  readonly dist: string;
  /** How many ports to try, counting up from `port`, when one is in use. */
  readonly tries?: number;
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

/** Serves the built app and signalling for it on one port. Rejects with words for the user when the port is taken. */
export async function startServer({ port, host, dist, tries = 1 }: ServerOptions): Promise<RunningServer> {
  const files = sirv(dist, {
    etag: true,
    setHeaders: (res, pathname) => res.setHeader('Cache-Control', cacheControl(pathname)),
  });
  const server = createServer((req, res) => {
    for (const [name, value] of Object.entries(securityHeaders)) res.setHeader(name, value);
    if (signalling.handler(req, res)) return;
    if (req.url === '/addresses.json') {
      res.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
      res.end(JSON.stringify(addresses));
      return;
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    files(req, res, () => {
      res.writeHead(404).end('not found\n');
    });
  });
  const signalling = attachSignalling(server);
  let addresses: readonly string[] = [];
  const close = () =>
    new Promise<void>((resolve) => {
      signalling.close();
      server.close(() => resolve());
      server.closeAllConnections();
    });

  try {
    const bound = await listen(server, port, host, tries);
    const isEverywhere = host === '0.0.0.0' || host === '::';
    if (isEverywhere) addresses = lanAddresses().map((address) => urlOf(address, bound));
    return { port: bound, url: urlOf(isEverywhere ? 'localhost' : host, bound), addresses, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Names under assets/ change with their content; everything else is asked for again, cheaply, by its ETag. */
export function cacheControl(pathname: string): string {
  return pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

async function listen(server: Server, port: number, host: string, tries: number): Promise<number> {
  for (let candidate = port; ; candidate += 1) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(candidate, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && candidate + 1 < port + tries) continue;
      throw new Error(wordsFor(code, candidate, host), { cause: error });
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
      return `"${host}" is not an address of this machine: choose another with --host`;
    default:
      return `cannot listen on ${host}:${port} (${code ?? 'unknown error'})`;
  }
}

function lanAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.filter((address) => address.family === 'IPv4' && !address.internal).map((address) => address.address);
}

const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
