import { type DataConnection, Peer } from 'peerjs';
import { ChannelLink } from '../../src/net/link/channel-link.ts';
import type { Link } from '../../src/net/link/link.ts';
import { bridge } from '../../src/net/link/port.ts';
import { type Arrival, type Endpoint, type MessengerEndpoint, messengerEndpoint, someBytes } from './wire-endpoint.ts';
import type { ToThread } from './wire-thread.ts';

/** Ways over one WebRTC connection each, between the same two tabs. */
export type Way = (typeof ways)[number];
const ways = ['bare', 'main', 'threads', 'peerjs'] as const;

/** What a tab can be asked to do; of two tabs one listens and one dials. */
export interface WirePage {
  /** Both need the port of a PeerJS signalling server on this machine. */
  listen(port: number): Promise<void>;
  dial(port: number): Promise<void>;
  send(way: Way, messages: number, bytes: number): Promise<void>;
  receive(way: Way, messages: number): Promise<Arrival>;
  ping(way: 'main' | 'threads'): Promise<number>;
}

const ends = new Map<Way, Endpoint>();
const pings = new Map<Way, MessengerEndpoint>();

/** A data channel loop as tutorials have it: 64 KiB messages, on again when the channel says that it has room. */
function bareEndpoint(channel: RTCDataChannel): Endpoint {
  channel.binaryType = 'arraybuffer';
  channel.bufferedAmountLowThreshold = 1 << 18;
  const piece = someBytes(1 << 16);
  return {
    async send(messages, bytes) {
      for (let left = messages * bytes; left > 0; left -= piece.length) {
        if (channel.bufferedAmount >= 1 << 20) {
          await new Promise((resolve) => {
            channel.onbufferedamountlow = resolve;
          });
        }
        channel.send(left >= piece.length ? piece : piece.subarray(0, left));
      }
      // The receiver cannot know the length beforehand: an empty message is the end.
      channel.send(new ArrayBuffer(0));
    },
    receive() {
      let bytes = 0;
      return new Promise((resolve) => {
        channel.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
          bytes += data.byteLength;
          if (data.byteLength === 0) resolve({ bytes, checksum: 0 });
        };
      });
    },
  };
}

function peerjsEndpoint(connection: DataConnection): Endpoint {
  return {
    send(messages, bytes) {
      const body = someBytes(bytes);
      for (let i = 0; i < messages; i++) void connection.send(body);
    },
    receive(messages) {
      let bytes = 0;
      let left = messages;
      return new Promise((resolve) => {
        connection.off('data');
        connection.on('data', (data) => {
          bytes += (data as ArrayBuffer).byteLength;
          left -= 1;
          if (left === 0) resolve({ bytes, checksum: 0 });
        });
      });
    },
  };
}

function threadEndpoint(link: Link): MessengerEndpoint {
  const thread = new Worker(new URL('./wire-thread.ts', import.meta.url), { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  bridge(link, port1);
  const tell = (message: ToThread, transfer: Transferable[] = []) => thread.postMessage(message, transfer);
  tell({ type: 'attach', port: port2 }, [port2]);
  const waiting: { readonly arrivals: ((arrival: Arrival) => void)[]; readonly pongs: ((ms: number) => void)[] } = {
    arrivals: [],
    pongs: [],
  };
  thread.onmessage = ({ data }: MessageEvent<Arrival | number>) => {
    if (typeof data === 'number') waiting.pongs.shift()?.(data);
    else waiting.arrivals.shift()?.(data);
  };
  return {
    send: (messages, bytes) => tell({ type: 'send', messages, bytes }),
    receive(messages) {
      tell({ type: 'receive', messages });
      return new Promise((resolve) => waiting.arrivals.push(resolve));
    },
    ping() {
      tell({ type: 'ping' });
      return new Promise((resolve) => waiting.pongs.push(resolve));
    },
  };
}

function openPeer(id: string, port: number): Promise<Peer> {
  const peer = new Peer(id, { host: '127.0.0.1', port, config: { iceServers: [] }, debug: 1 });
  return new Promise((resolve) => {
    peer.once('open', () => resolve(peer));
  });
}

const opened = (connection: DataConnection): Promise<DataConnection> =>
  new Promise((resolve) => {
    connection.once('open', () => resolve(connection));
  });

const linkOver = ({ peerConnection, dataChannel }: DataConnection): Link =>
  new ChannelLink(peerConnection, dataChannel, () => {});

function add(way: Way, connection: DataConnection): void {
  if (way === 'bare') ends.set(way, bareEndpoint(connection.dataChannel));
  else if (way === 'peerjs') ends.set(way, peerjsEndpoint(connection));
  else {
    const endpoint = (way === 'main' ? messengerEndpoint : threadEndpoint)(linkOver(connection));
    ends.set(way, endpoint);
    pings.set(way, endpoint);
  }
}

const need = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('not connected: call listen in one tab and dial in the other first');
  return value;
};

const page: WirePage = {
  async listen(port) {
    const host = await openPeer('wire-host', port);
    host.on('connection', async (connection) => add(connection.label as Way, await opened(connection)));
  },
  async dial(port) {
    const guest = await openPeer('wire-guest', port);
    for (const way of ways) {
      const serialization = way === 'peerjs' ? 'binary' : 'raw';
      add(way, await opened(guest.connect('wire-host', { label: way, serialization, reliable: true })));
    }
  },
  async send(way, messages, bytes) {
    await need(ends.get(way)).send(messages, bytes);
  },
  receive: (way, messages) => need(ends.get(way)).receive(messages),
  ping: (way) => need(pings.get(way)).ping(),
};
Object.assign(globalThis, { page });
