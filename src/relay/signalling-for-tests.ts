import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Signalling } from './signalling.ts';

declare module 'vitest' {
  interface ProvidedContext {
    signallingPort: number;
  }
}

/** Gives browser tests a signalling server on a free port, as `inject('signallingPort')`. Vitest calls it. */
export async function setup(project: { provide(key: 'signallingPort', value: number): void }) {
  const server = createServer((req, res) => {
    if (!signalling.handle(req, res)) res.writeHead(404).end();
  });
  const signalling = new Signalling(server);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  project.provide('signallingPort', (server.address() as AddressInfo).port);
  return async () => {
    signalling.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}
