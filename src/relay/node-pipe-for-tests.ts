import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { linkInvite, newSecret } from '../net/invite.ts';
import type { Link } from '../net/link.ts';
import { releaseDataChannels } from './node-link.ts';
import { listenInNode } from './node-listen.ts';
import { attachSignalling } from './signalling.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A host in Node that joins each two links that come: what goes into one comes out of the other. */
    nodePipe: { readonly port: number; readonly code: string; readonly invite: string };
  }
}

type Pipe = { readonly port: number; readonly code: string; readonly invite: string };

/** Gives browser tests links of which the other end is in Node, as `inject('nodePipe')`. Vitest calls it. */
export async function setup(project: { provide(key: 'nodePipe', value: Pipe): void }) {
  const server = createServer((req, res) => {
    if (!signalling.handler(req, res)) res.writeHead(404).end();
  });
  const signalling = attachSignalling(server);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  const [code, secret] = ['pipe', newSecret()];
  let first: Link | null = null;
  const net = { url: `http://localhost:${port}/`, isOwn: true, bindAddress: null };
  const listener = listenInNode({ code, token: 'token', secret, allowsTyping: false }, net, {
    isBanned: () => false,
    onState: () => {},
    onLink(link) {
      if (first === null) first = link;
      else {
        join(first, link);
        first = null;
      }
    },
  });
  project.provide('nodePipe', { port, code, invite: linkInvite(secret, code, Date.now()) });
  return async () => {
    listener.close();
    await releaseDataChannels();
    signalling.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

function join(a: Link, b: Link): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.onFrame = (frame) => to.send(frame);
    from.onClose = () => to.close();
  }
}
