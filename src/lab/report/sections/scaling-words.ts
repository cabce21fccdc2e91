import { few } from '../../../observe/format.ts';
import { workersOf } from '../../summary.ts';
import { ratios, withUnit } from '../number-words.ts';
import { isFaster, type Ranked } from './quantities.ts';

/** Several workers beside one of the same strategy and batch size. */
interface Scaled {
  readonly name: string;
  readonly lone: Ranked;
  /** Of those with more workers, the one with the most. */
  readonly many: Ranked;
}

/** More than this a sentence cannot bear. */
const MAX_NAMED = 4;

/**
 * What more workers did beside one worker of the same strategy, in two sentences at most: those that differ, and those that
 * cannot be told apart. The pair that is told already is left out; null if nothing is left.
 */
export function scalingWords(rows: readonly Ranked[], isTold: (lone: Ranked, many: Ranked) => boolean): string | null {
  const all = scaledOf(rows).filter(({ lone, many }) => !isTold(lone, many));
  const isClear = ({ lone, many }: Scaled) => isFaster(lone.value, many.value) || isFaster(many.value, lone.value);
  const clear = all.filter(isClear).map(({ name, lone, many }, index) => {
    const ratio = withUnit(many.value.mean / lone.value.mean, ratios);
    return `${name}: ${workersOf(many.setting.experiment)} workers took ${ratio}${index === 0 ? ' the time of one' : ''}`;
  });
  const level = all.filter((pair) => !isClear(pair)).map(({ name }) => name);
  const rest = clear.length > MAX_NAMED ? [`${clear.length - MAX_NAMED} more`] : [];
  const parts = [
    clear.length > 0 && `${[...clear.slice(0, MAX_NAMED), ...rest].join('; ')}.`,
    level.length > 0 && `With ${few(level, MAX_NAMED + 1)}, more workers cannot be told from one.`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : parts.join(' ');
}

function scaledOf(rows: readonly Ranked[]): Scaled[] {
  const kindOf = ({ setting: { experiment } }: Ranked) => `${experiment.strategy} ${experiment.batch}`;
  const together = rows.filter(({ setting: { experiment } }) => experiment.strategy !== 'single');
  const batches = new Set(together.map(({ setting }) => setting.experiment.batch));
  return [...new Set(together.map(kindOf))].sort().flatMap((kind): Scaled[] => {
    const own = together
      .filter((row) => kindOf(row) === kind)
      .sort((a, b) => workersOf(a.setting.experiment) - workersOf(b.setting.experiment));
    const counts = own.map(({ setting }) => workersOf(setting.experiment));
    const [lone, many] = [own[0], own.at(-1)];
    // Where two have the same number of workers, something else tells them apart, and the comparison would be about that.
    if (lone === undefined || many === undefined || counts[0] !== 1 || counts.length === 1) return [];
    if (new Set(counts).size < counts.length) return [];
    const { strategy, batch } = lone.setting.experiment;
    return [{ name: batches.size === 1 ? strategy : `${strategy}, batch ${batch}`, lone, many }];
  });
}
