import type { Experiment } from '../../../experiment/experiment.ts';
import { setNumber } from '../../../observe/format.ts';
import type { OperatorTime, StepProfile } from '../../../observe/step-trace.ts';
import { aside, type Block, type Section } from '../block.ts';
import { megabytes, milliseconds, percents, withUnit } from '../number-words.ts';
import { number, tableOf, words } from './columns.ts';
import type { Subject } from './subject.ts';

/** Beyond these an operator takes next to nothing. */
const SHOWN = 25;

/** Steps alike in these are one kind, whoever takes them. */
const kindOf = ({ model, data, batch, features }: Experiment): string => JSON.stringify([model, data, batch, features]);

/** One step operator by operator, for each kind of step that was taken apart; null if none was. */
export function profileSection({ settings }: Subject): Section | null {
  // Numbered by what is to be run, not by what was: a table keeps its name while a sweep goes on.
  const kinds = [...new Set(settings.map(({ experiment }) => kindOf(experiment)))];
  const blocks = kinds.flatMap((kind, index) => {
    const own = settings.filter(({ experiment }) => kindOf(experiment) === kind);
    const [found] = own.flatMap(({ experiment: { model }, reports }) =>
      reports.flatMap(({ profile }) => (profile ? [{ model, profile }] : [])),
    );
    return found ? profileBlocks(found.model, found.profile, kinds.length === 1 ? '' : `-${index + 1}`) : [];
  });
  return blocks.length === 0 ? null : { id: 'operators', title: 'One step, operator by operator', blocks };
}

function profileBlocks(model: string, { backend, batch, operators, stepMs }: StepProfile, suffix: string): Block[] {
  const slowest = [...operators].sort((a, b) => b.ms - a.ms);
  const total = totalMs(operators);
  const caption = `Operators of one step of ${model}, batch ${setNumber(batch)}, on ${backend}, the slowest first`;
  const table = tableOf<OperatorTime>(`operators${suffix}`, caption, slowest.slice(0, SHOWN), [
    words('Operator', (operator) => operator.name),
    words('Output', ({ outputShape }) => (outputShape.length === 0 ? 'scalar' : outputShape.join(' × '))),
    number('Output size', { ...megabytes, decimals: () => 3 }, ({ outputBytes }) => outputBytes),
    number('Time', milliseconds, ({ ms }) => ms),
    number('Share', percents, ({ ms }) => (total > 0 ? ms / total : null)),
  ]);
  const time = (ms: number) => withUnit(ms, milliseconds);
  const rest = slowest.slice(SHOWN);
  const more = rest.length === 0 ? '' : ` ${rest.length} more take ${time(totalMs(rest))} together.`;
  const note = `All operators take ${time(total)}; the step without the watching takes ${time(stepMs)}.${more}`;
  return [table, aside(note)];
}

const totalMs = (operators: readonly OperatorTime[]): number => operators.reduce((sum, { ms }) => sum + ms, 0);
