import { CLOSED_HERE, CLOSED_THERE, CreditLink } from './base-link.ts';
import { HIGH_WATER_BYTES, type Link } from './link.ts';

/** Each receipt wakes a thread, so small messages share one. Well below LOW_WATER_BYTES, which a sender waits for. */
const RECEIPT_BYTES = 1 << 17;

/**
 * A data channel cannot be told to wait, so what comes while a thread does not read is kept in its port. Peers that
 * follow the protocol have at most the 4 MiB of a send window under way, and small messages; others end here.
 */
const MAX_UNREAD_BYTES = 1 << 25;

/** What travels through a port: a frame, how many bytes of frames were taken, or the end. */
type PortMessage = ArrayBuffer | number | { readonly end: string };

/** A link through a MessagePort, whose other end is a `portLink` or a `bridge`. Frames are transferred. */
export const portLink = (port: MessagePort): Link => new PortLink(port);

/**
 * Carries a link across to the thread that has the port's other end, as a `portLink` there: that thread sees the
 * link's frames, its end, and its backpressure (bytes count as buffered until the link has room for them). What waits
 * for the thread is bounded: a peer that sends much more than the thread reads loses the link.
 */
export function bridge(link: Link, port: MessagePort): void {
  const inner = new PortLink(port);
  inner.hasRoom = () => link.bufferedBytes < HIGH_WATER_BYTES;
  inner.onFrame = (frame) => link.send(frame);
  inner.onClose = () => link.close();
  link.onLow = () => inner.settle();
  link.onFrame = (frame) => {
    inner.send(frame);
    if (inner.bufferedBytes <= MAX_UNREAD_BYTES) return;
    link.close();
    inner.close(`${MAX_UNREAD_BYTES} bytes came faster than they could be read`);
  };
  link.onClose = (reason) => inner.close(reason);
}

class PortLink extends CreditLink {
  hasRoom: () => boolean = () => true;
  readonly #port: MessagePort;
  #owedBytes = 0;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.addEventListener('message', ({ data }: MessageEvent<PortMessage>) => {
      if (typeof data === 'number') this.credit(data);
      else if (data instanceof ArrayBuffer) this.deliver(data);
      else this.#finish(data.end, false);
    });
    // Node closes the ports of a thread that is gone. Browsers do not tell: who terminates a thread closes its links.
    port.addEventListener('close', () => this.#finish('the thread behind the link is gone', false));
    port.start();
  }

  send(frame: ArrayBuffer): void {
    if (this.isEnded) return;
    this.charge(frame.byteLength);
    this.#post(frame, [frame]);
  }

  close(reason = CLOSED_THERE): void {
    if (this.isEnded) return;
    this.#post({ end: reason });
    this.#finish(reason === CLOSED_THERE ? CLOSED_HERE : reason, true);
  }

  /** Acknowledges what was taken, once there is room for more. */
  settle(): void {
    if (this.isEnded || this.#owedBytes === 0 || !this.hasRoom()) return;
    this.#post(this.#owedBytes);
    this.#owedBytes = 0;
  }

  protected taken(bytes: number): void {
    this.#owedBytes += bytes;
    if (this.#owedBytes >= RECEIPT_BYTES) this.settle();
  }

  #post(message: PortMessage, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #finish(reason: string, isLocal: boolean): void {
    if (this.end(reason, isLocal)) this.#port.close();
  }
}
