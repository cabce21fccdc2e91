import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { linkInvite, newSecret } from '../../net/join/invite.ts';
import { Listener } from '../../net/join/listen.ts';
import type { Link } from '../../net/link/link.ts';
import { Signalling } from '../../relay/signalling.ts';
import { nodeRuntime } from './runtime.ts';

/* A host in Node that joins each two links that come, until it is killed. Its first line of output says how to reach it. */

const server = createServer((req, res) => {
  if (!signalling.handle(req, res)) res.writeHead(404).end();
});
const signalling = new Signalling(server);
await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
const { port } = server.address() as AddressInfo;
const [code, secret] = ['pipe', newSecret()];
let first: Link | null = null;
const net = { url: `http://localhost:${port}/`, isOwn: true, bindAddress: null };
new Listener(
  nodeRuntime(net),
  { relayUrl: net.url, iceServers: [] },
  {
    code,
    token: 'token',
    secret,
    allowsTyping: false,
    hostKey: null,
    freesCode: false,
    isBanned: () => false,
    onState: () => {},
    onLink(link) {
      if (first === null) first = link;
      else {
        join(first, link);
        first = null;
      }
    },
  },
);
console.log(JSON.stringify({ port, code, invite: linkInvite(secret, code, Date.now()) }));

function join(a: Link, b: Link): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.onFrame = (frame) => to.send(frame);
    from.onClose = () => to.close();
  }
}
