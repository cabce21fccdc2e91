import './time-shares.css';
import type { Phases } from '../../core/wire/protocol.ts';
import { duration, NOTHING, percent } from '../../observe/format.ts';

/** Where a worker's time went, as a bar and as numbers. */
export function TimeShares({ phases, steps }: { phases: Phases; steps: number }) {
  const compute = phases.computeMs + phases.readMs;
  const transfer = phases.transferMs + phases.decodeMs + phases.encodeMs + phases.sendMs;
  const total = compute + transfer + phases.waitMs;
  if (total === 0 || steps === 0) return <span>{NOTHING}</span>;
  const shares = { compute: compute / total, wait: phases.waitMs / total, transfer: transfer / total };
  const perStep = Object.entries(phases).map(([name, ms]) => `${name.replace('Ms', '')} ${duration(ms / steps)}`);
  const words = Object.entries(shares).map(([name, share]) => `${name} ${percent(share, 0)}`);
  return (
    <span class="shares" title={`Per step: ${perStep.join(', ')}`}>
      <span class="stack" role="img" aria-label={words.join(', ')}>
        {Object.entries(shares).map(([name, share]) => (
          <i key={name} class={name} style={{ width: `${share * 100}%` }} />
        ))}
      </span>
      <span class="figures" aria-hidden="true">
        {Object.entries(shares).map(([name, share]) => (
          <span key={name}>{Math.round(share * 100)}</span>
        ))}
      </span>
    </span>
  );
}
