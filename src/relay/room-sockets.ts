import type { WebSocket } from 'ws';
import { isSame } from '../net/join/invite.ts';
import { hostId, termsSchema, toRelaySchema } from '../net/join/messages.ts';
import type { IceServer } from '../net/link/signal.ts';
import { Limiter } from './limits.ts';
import { parseJson } from './requests.ts';
import type { Room, Rooms } from './rooms.ts';

/** Messages wait in the relay only for a socket that is being written; beyond this, its new ones are dropped. */
const MAX_BUFFERED_BYTES = 1 << 20;

/** Who is at the other end of a host's socket. */
interface HostPeer {
  readonly code: string;
  readonly token: string;
  readonly address: string;
  /** With fresh credentials each time. */
  iceServers(): readonly IceServer[];
}

/** Carries messages between a host and its own workers and nowhere else, at once or not at all. */
export class RoomSockets {
  readonly #rooms: Rooms;
  readonly #hostKey: string | null;
  readonly #now: () => number;
  // A worker says about thirty things to connect; a host answers as many to each of a class that comes at once.
  readonly #workerMessages = new Limiter({ burst: 4000, perSecond: 400 });
  readonly #hostMessages = new Limiter({ burst: 10_000, perSecond: 1000 });

  /** Only hosts that know `hostKey` may open a room; null: anybody may. */
  constructor(rooms: Rooms, hostKey: string | null, now: () => number) {
    this.#rooms = rooms;
    this.#hostKey = hostKey;
    this.#now = now;
  }

  /** A host's socket: it is greeted, unless the code is another's. */
  addHost(client: WebSocket, { code, token, address, iceServers }: HostPeer): void {
    const old = this.#rooms.get(code)?.host ?? null;
    const room = this.#rooms.claim(code, token, client, this.#now());
    if (room === null) {
      tell(client, { type: 'ID-TAKEN' });
      return client.close();
    }
    // Half-open, or of the page before its reload: its workers' messages go to the new one.
    old?.terminate();
    client.on('close', () => {
      if (room.host === client) this.#rooms.leave(room, this.#now());
    });
    client.on('message', (data: Buffer, isBinary) => {
      const message = this.#read(client, data, isBinary, this.#hostMessages, address);
      if (message === null || room.host !== client) return;
      switch (message.type) {
        case 'ROOM':
          return this.#setTerms(client, room, message.payload, iceServers);
        case 'LEAVE':
          this.#rooms.leave(room, this.#now());
          return this.#rooms.drop(room);
        case 'ANSWER':
        case 'CANDIDATE': {
          const worker = room.workers.get(String(message.dst));
          if (worker !== undefined) tell(worker, { ...message, src: hostId(code) });
        }
      }
    });
    tell(client, { type: 'OPEN' });
  }

  /** The socket of a worker that may enter the room. */
  addWorker(client: WebSocket, room: Room, id: string, address: string): void {
    const old = room.workers.get(id);
    room.workers.set(id, client);
    old?.terminate();
    client.on('close', () => {
      if (room.workers.get(id) === client) room.workers.delete(id);
    });
    client.on('message', (data: Buffer, isBinary) => {
      const message = this.#read(client, data, isBinary, this.#workerMessages, address);
      if (message === null || (message.type !== 'OFFER' && message.type !== 'CANDIDATE')) return;
      const { host, terms, code } = room;
      if (host !== null && terms !== null && message.dst === hostId(code)) tell(host, { ...message, src: id });
      else if (message.type === 'OFFER') tell(client, { type: 'EXPIRE', src: message.dst, dst: id });
    });
    tell(client, { type: 'OPEN' });
  }

  #setTerms(client: WebSocket, room: Room, payload: unknown, iceServers: HostPeer['iceServers']): void {
    const { success, data: terms } = termsSchema.safeParse(payload);
    if (!success) return client.close(1008, 'not the terms of a room');
    if (this.#hostKey !== null && !isSame(terms.hostKey ?? '', this.#hostKey)) {
      tell(client, { type: 'ERROR', payload: { code: 'host-key' } });
      return client.close();
    }
    room.terms = terms;
    tell(client, { type: 'ROOM', payload: { iceServers: iceServers() } });
  }

  /** A message of a known shape, or null; whoever sends anything else, or too much, is cut off. */
  #read(client: WebSocket, data: Buffer, isBinary: boolean, limiter: Limiter, address: string) {
    if (!limiter.take(address, this.#now())) {
      client.close(1008, 'too many messages');
      return null;
    }
    const { success, data: message } = toRelaySchema.safeParse(isBinary ? null : parseJson(data.toString()));
    if (success) return message;
    client.close(1008, 'not a signalling message');
    return null;
  }
}

/** Sends a message, unless the socket is far behind. */
export function tell(client: WebSocket, message: object): void {
  if (client.bufferedAmount < MAX_BUFFERED_BYTES) client.send(JSON.stringify(message));
}
