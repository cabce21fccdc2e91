import type { OperatorTime, StepProfile } from '../../core/step-trace.ts';
import type { Block, Section } from './block.ts';
import { aside } from './block.ts';
import { number, tableOf, words } from './columns.ts';
import { megabytes, milliseconds, percents, withUnit } from './number-words.ts';
import type { Subject } from './subject.ts';

/** Beyond these an operator takes next to nothing. */
const SHOWN = 25;

/** One step operator by operator, for each kind of step that was taken apart; null if none was. */
export function profileSection({ settings }: Subject): Section | null {
  const found = settings.flatMap(({ name, experiment: { model, batch }, reports }) => {
    const profile = reports.map((report) => report.profile).find((each) => each !== null);
    return profile ? [{ name, profile, kind: `${model} ${batch} ${profile.backend} ${profile.batch}` }] : [];
  });
  const different = found.filter(({ kind }, index) => found.findIndex((other) => other.kind === kind) === index);
  if (different.length === 0) return null;
  const blocks = different.flatMap(({ name, profile }, index) =>
    profileBlocks(name, profile, different.length === 1 ? '' : `-${index + 1}`),
  );
  return { id: 'operators', title: 'One step, operator by operator', blocks };
}

function profileBlocks(name: string, { backend, batch, operators, stepMs }: StepProfile, suffix: string): Block[] {
  const slowest = [...operators].sort((a, b) => b.ms - a.ms);
  const total = operators.reduce((sum, { ms }) => sum + ms, 0);
  const caption = `Operators of one step: ${name}, ${backend}, batch ${batch}, the slowest first`;
  const table = tableOf<OperatorTime>(`operators${suffix}`, caption, slowest.slice(0, SHOWN), [
    words('Operator', (operator) => operator.name),
    words('Output', ({ outputShape }) => (outputShape.length === 0 ? 'scalar' : outputShape.join(' × '))),
    number('Output size', { ...megabytes, decimals: () => 3 }, ({ outputBytes }) => outputBytes),
    number('Time', milliseconds, ({ ms }) => ms),
    number('Share', percents, ({ ms }) => (total > 0 ? ms / total : null)),
  ]);
  const rest = slowest.slice(SHOWN);
  const more =
    rest.length === 0
      ? ''
      : ` ${rest.length} more take ${withUnit(
          rest.reduce((sum, { ms }) => sum + ms, 0),
          milliseconds,
        )} together.`;
  return [
    table,
    aside(
      `All operators take ${withUnit(total, milliseconds)}; the step without the watching takes ${withUnit(stepMs, milliseconds)}.${more}`,
    ),
  ];
}
