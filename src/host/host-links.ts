import type { ProvenLink } from '../net/join/handshake.ts';
import { carriedBytes, type TransportStats } from '../net/link/link.ts';
import { bridge } from '../net/link/port.ts';
import type { LinkBytes } from '../observe/resource-sampler.ts';

interface Entry {
  readonly link: ProvenLink;
  stats: TransportStats | null;
  /** As it was when the run began: the browser counts from the beginning of a link. */
  before: TransportStats | null;
}

/** A host's links to workers elsewhere, by number, and what their transports counted. */
export class HostLinks {
  readonly #entries = new Map<number, Entry>();

  /** Carries the link across to the thread that has the port's other end, for as long as it lives. */
  add(number: number, link: ProvenLink, port: MessagePort): void {
    this.#entries.set(number, { link, stats: null, before: null });
    bridge(link, port);
    const close = link.onClose;
    link.onClose = (reason) => {
      this.#entries.delete(number);
      close(reason);
    };
  }

  /** The link, and what was counted in this run; null where nothing is known. */
  get(number: number | null): { readonly link: ProvenLink; readonly stats: TransportStats | null } | null {
    const entry = number === null ? undefined : this.#entries.get(number);
    if (!entry) return null;
    const { link, stats, before } = entry;
    return { link, stats: stats && before ? sinceStart(stats, before) : stats };
  }

  /** Asks every transport what it counted so far. */
  async count(): Promise<void> {
    const all = Array.from(this.#entries.values(), async (entry) => {
      entry.stats = await entry.link.stats().catch(() => entry.stats);
    });
    await Promise.all(all);
  }

  /** A run begins: what was counted before is not its own. */
  startRun(): void {
    for (const entry of this.#entries.values()) entry.before = entry.stats;
  }

  /** What each link carried in its life. */
  carried(): LinkBytes[] {
    return Array.from(this.#entries).flatMap(([number, { stats }]) =>
      stats ? [{ key: String(number), ...carriedBytes(stats) }] : [],
    );
  }
}

function sinceStart(stats: TransportStats, before: TransportStats): TransportStats {
  const less = (all: number | null, some: number | null) => (all === null || some === null ? null : all - some);
  return {
    messagesSent: stats.messagesSent - before.messagesSent,
    messagesReceived: stats.messagesReceived - before.messagesReceived,
    bytesSent: stats.bytesSent - before.bytesSent,
    bytesReceived: stats.bytesReceived - before.bytesReceived,
    wireBytesSent: less(stats.wireBytesSent, before.wireBytesSent),
    wireBytesReceived: less(stats.wireBytesReceived, before.wireBytesReceived),
    roundTripMs: stats.roundTripMs,
  };
}
