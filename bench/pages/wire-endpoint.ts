import { checksum } from '../../src/core/wire/checksum.ts';
import type { Link } from '../../src/net/link/link.ts';
import { Messenger } from '../../src/net/link/messenger.ts';

/** Messages that came whole, with the checksum of the last one. */
export interface Arrival {
  readonly bytes: number;
  readonly checksum: number;
}

/** One end of a way to send messages of many bytes. */
export interface Endpoint {
  /** Sends the same bytes a number of times; resolves once the sending is under way. */
  send(messages: number, bytes: number): void | Promise<void>;
  /** Resolves when that many messages have come. */
  receive(messages: number): Promise<Arrival>;
}

/** An end that also tells how long a small message and its answer take. */
export interface MessengerEndpoint extends Endpoint {
  ping(): Promise<number>;
}

/** Bytes that are alike nowhere, the same for the same length. */
export function someBytes(length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = 1;
  for (let i = 0; i < words.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    words[i] = state;
  }
  return new Uint8Array(words.buffer, 0, length);
}

/** The path of parameters and gradients, checksums and all. */
export function messengerEndpoint(link: Link): MessengerEndpoint {
  let body = new Uint8Array();
  let expected = 0;
  let bytes = 0;
  let resolve: (arrival: Arrival) => void = () => {};
  let onPong = () => {};
  const messenger = new Messenger(link, {
    onMessage(message) {
      const { type } = message.head as { type: string };
      if (type === 'ping') return messenger.send('control', 0, { type: 'pong' });
      if (type === 'pong') return onPong();
      bytes += message.body.length;
      expected -= 1;
      if (expected === 0) resolve({ bytes, checksum: checksum(message.body) });
    },
    onGarbled(reason) {
      throw new Error(reason);
    },
    onClose() {},
  });
  messenger.expectBodyBytes(1 << 29);
  return {
    send(messages, length) {
      if (body.length !== length) body = someBytes(length);
      for (let i = 0; i < messages; i++) messenger.send('gradients', 1, { type: 'push' }, body);
    },
    receive(messages) {
      expected = messages;
      bytes = 0;
      return new Promise((done) => {
        resolve = done;
      });
    },
    ping() {
      const startMs = performance.now();
      messenger.send('control', 0, { type: 'ping' });
      return new Promise((done) => {
        onPong = () => done(performance.now() - startMs);
      });
    },
  };
}
