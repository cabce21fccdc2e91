import { comparable } from '../../simulate/scenario.ts';
import { LossChart } from '../charts/loss-chart.tsx';
import type { SimulateModel } from './model.ts';

/** The strategies' test loss over virtual time, and its values at the pointer. */
export function SimulateChart({ model }: { model: SimulateModel }) {
  const curves = model.shown.value.map(({ strategy, curve }) => ({
    slot: comparable.indexOf(strategy),
    name: strategy,
    line: { x: curve.map(({ elapsedMs }) => elapsedMs / 1000), y: curve.map((point) => point.loss) },
  }));
  return (
    <LossChart
      title="Test loss over virtual time"
      label="Test loss of each strategy over virtual time; the table below has the numbers"
      empty="Choose the world on this page and press Simulate: each strategy draws its curve."
      curves={curves}
      axis="relative"
      cutsOutliers={false}
      hoverX={model.hoverX}
    />
  );
}
