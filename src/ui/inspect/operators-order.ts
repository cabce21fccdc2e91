import type { OperatorTime, StepProfile } from '../../observe/step-trace.ts';

/** As they ran, or the slowest first. */
export type OperatorOrder = 'ran' | 'time';

/** An operator with its place in the step and its part of the time of all operators. */
export interface RankedOperator extends OperatorTime {
  readonly place: number;
  readonly share: number;
}

/** What all operators took together. */
export const operatorsMs = ({ operators }: StepProfile): number => operators.reduce((sum, { ms }) => sum + ms, 0);

/** The operators of a step in an order. */
export function ranked(profile: StepProfile, order: OperatorOrder): readonly RankedOperator[] {
  const total = operatorsMs(profile);
  const rows = profile.operators.map((operator, index) => ({
    ...operator,
    place: index + 1,
    share: total === 0 ? 0 : operator.ms / total,
  }));
  return order === 'ran' ? rows : rows.sort((a, b) => b.ms - a.ms);
}
