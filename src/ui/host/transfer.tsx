import { useRef } from 'preact/hooks';
import { roughly } from '../../observe/format.ts';
import type { WorkerView } from '../../worker/state.ts';

type Transfer = NonNullable<WorkerView['transfer']>;

/** Less than this says little about the pace. */
const ENOUGH_MS = 500;

const mega = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 9.95e6 ? 1 : 0);

/** How far a long message is: "Receiving the parameters: 81 of 244 MB, 12 s left". */
export function transferWords({ direction, done, total }: Transfer, bytesPerMs: number | null): string {
  const what = direction === 'down' ? 'Receiving the parameters' : 'Sending the gradient';
  const left = bytesPerMs === null || bytesPerMs <= 0 ? '' : `, ${roughly((total - done) / bytesPerMs)} left`;
  return `${what}: ${mega(done)} of ${mega(total)}\u00a0MB${left}`;
}

/** Measures the pace of a message from what is seen of it. */
export class Pace {
  #seen: { readonly transfer: Transfer; readonly sinceMs: number; readonly from: number } | null = null;

  /** Bytes per millisecond; null while that is a guess. */
  of(transfer: Transfer, nowMs: number): number | null {
    const seen = this.#seen;
    const isSame =
      seen?.transfer.direction === transfer.direction &&
      seen.transfer.total === transfer.total &&
      seen.transfer.done <= transfer.done;
    if (!isSame) {
      this.#seen = { transfer, sinceMs: nowMs, from: transfer.done };
      return null;
    }
    this.#seen = { ...seen, transfer };
    const tookMs = nowMs - seen.sinceMs;
    return tookMs < ENOUGH_MS ? null : (transfer.done - seen.from) / tookMs;
  }
}

/** A long message under way, as words and a bar. */
export function TransferBar({ transfer }: { transfer: Transfer }) {
  const pace = useRef(new Pace());
  const words = transferWords(transfer, pace.current.of(transfer, performance.now()));
  return (
    <div class="transfer-bar">
      <p class="aside">{words}</p>
      <progress class="bar" max={transfer.total} value={transfer.done} aria-label={words} />
    </div>
  );
}
