import './run-swatch.css';
/** Dashes tell runs apart where colours do not. In CSS pixels; the run of this page is 0 and solid. */
export const runDashes: readonly number[][] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 3], [4, 2], [7, 2, 2, 2, 2, 2]];

/** Which of the colours in CSS, and of the dashes, a run's slot has. */
export const runColour = (slot: number): number => (slot === 0 ? 0 : ((slot - 1) % (runDashes.length - 1)) + 1);

/** How a run is drawn, for keys and tables. */
export function RunSwatch({ slot }: { slot: number }) {
  const colour = runColour(slot);
  return (
    <svg class="swatch" width="20" height="8" aria-hidden="true">
      <line
        x1="0"
        x2="20"
        y1="4"
        y2="4"
        stroke={`var(--run-${colour})`}
        stroke-dasharray={runDashes[colour]?.join(' ')}
      />
    </svg>
  );
}
