import './worker-dot.css';
import { workerLook } from '../../observe/look.ts';

/** A worker's colour; hollow where colours come again. */
export function WorkerDot({ worker }: { worker: number }) {
  const { colour, isDashed } = workerLook(worker);
  return <span class={isDashed ? 'dot hollow' : 'dot'} style={{ color: `var(--${colour})` }} aria-hidden="true" />;
}
