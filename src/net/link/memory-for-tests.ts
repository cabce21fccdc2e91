import { CLOSED_HERE, CLOSED_THERE, CreditLink } from './base-link.ts';
import type { Link } from './link.ts';

/** Two ends of a link within one thread. Frames are detached from their sender, as every other link may do. */
export function memoryPair(): [Link, Link] {
  const a = new MemoryLink();
  const b = new MemoryLink();
  a.other = b;
  b.other = a;
  return [a, b];
}

class MemoryLink extends CreditLink {
  other: MemoryLink = this;

  send(frame: ArrayBuffer): void {
    if (this.isEnded) return;
    this.charge(frame.byteLength);
    const moved = structuredClone(frame, { transfer: [frame] });
    queueMicrotask(() => this.other.deliver(moved));
  }

  close(reason = CLOSED_THERE): void {
    if (this.end(reason === CLOSED_THERE ? CLOSED_HERE : reason, true)) {
      queueMicrotask(() => this.other.end(reason, false));
    }
  }

  protected taken(bytes: number): void {
    this.other.credit(bytes);
  }
}
