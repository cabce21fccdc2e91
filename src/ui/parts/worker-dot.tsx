import './worker-dot.css';

const COLOURS = 10;

/** A worker's colour, the same wherever it appears; from the eleventh on the dot is hollow. */
export function WorkerDot({ worker }: { worker: number }) {
  const isHollow = Math.floor(worker / COLOURS) % 2 === 1;
  return (
    <span
      class={isHollow ? 'dot hollow' : 'dot'}
      style={{ color: `var(--worker-${worker % COLOURS})` }}
      aria-hidden="true"
    />
  );
}
