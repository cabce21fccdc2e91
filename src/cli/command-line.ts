import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../node/usage-error.ts';

/** One option of a command. `value` names what follows it; an option without one is a switch. */
export interface Option {
  readonly value?: string;
  readonly describe: string;
}
export type Options = Readonly<Record<string, Option>>;

export interface Command {
  readonly name: string;
  readonly describe: string;
  readonly options: Options;
  /** The one word beside the options; it must be there, but where an option of the name `unless` is. */
  readonly argument?: { readonly name: string; readonly describe: string; readonly unless?: string };
  /** Reads what follows its name by itself, even --help: there are no options to check here. */
  readonly takesAnything?: boolean;
  /** Gives the exit code. */
  run(given: OptionValues, argv: readonly string[]): Promise<number>;
}

/** What was typed, by option name: text for an option with a value, true for a switch. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** Reads arguments strictly: an unknown option, a missing value or a stray word is a UsageError of one line. */
export function readArguments(command: Command, argv: readonly string[]): OptionValues {
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } };
  for (const [name, option] of Object.entries(command.options)) {
    options[name] = { type: option.value === undefined ? 'boolean' : 'string' };
  }
  try {
    const allowPositionals = command.argument !== undefined;
    const read = parseArgs({ args: [...argv], options, strict: true, allowPositionals, tokens: true });
    const names = read.tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new UsageError(`--${twice} is there twice: give it once`);
    const empty = names.find(
      (name) => typeof read.values[name] === 'string' && String(read.values[name]).trim() === '',
    );
    if (empty !== undefined) throw new UsageError(`--${empty} is empty: leave it out; ${needWords(command, empty)}`);
    return withArgument(command, read.values as OptionValues, read.positionals);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(mistakeWords(command, (error as Error).message));
  }
}

/** What Node says of a mistake, and what to do about it. */
function mistakeWords(command: Command, message: string): string {
  const [line = ''] = message.split(/\n|\. /);
  const [, name = ''] = /'--([^\s'=]+)/.exec(line) ?? [];
  if (command.options[name]?.value !== undefined) {
    const dash = line.includes('ambiguous') ? `; one that begins with a dash is written --${name}=-…` : '';
    return `--${name} has no value: ${needWords(command, name)}${dash}`;
  }
  const near = Object.keys(command.options).find((known) => isNear(known, name));
  if (line.startsWith('Unknown') && near !== undefined) return `${line}; is it --${near}? --help lists the options`;
  return `${line}; --help lists the options`;
}

const needWords = (command: Command, name: string): string => {
  const { value = 'value', describe = '' } = command.options[name] ?? {};
  return `it takes a <${value}>, ${describe}`;
};

/** Whether one letter more, less or other, or two swapped, makes the one of the other. */
function isNear(known: string, typed: string): boolean {
  let [start, end] = [0, 0];
  while (start < known.length && known[start] === typed[start]) start++;
  const [a, b] = [known.slice(start), typed.slice(start)];
  while (end < Math.min(a.length, b.length) && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(0, a.length - end), b.slice(0, b.length - end)];
  const isSwapped = left.length === 2 && right === `${left[1]}${left[0]}`;
  return typed !== '' && (isSwapped || Math.max(left.length, right.length) <= 1);
}

function withArgument({ argument }: Command, values: OptionValues, words: readonly string[]): OptionValues {
  if (argument === undefined || values.help === true) return values;
  const [word] = words;
  if (word === undefined && argument.unless !== undefined && values[argument.unless] === true) return values;
  if (word !== undefined && words.length === 1) return { ...values, [argument.name]: word };
  throw new UsageError(`one <${argument.name}> is needed, ${words.length} came: ${argument.describe}`);
}

/** The text after --help. */
export function helpText(command: Command): string {
  const { argument } = command;
  const word = argument === undefined ? [] : [[`<${argument.name}>`, argument.describe]];
  const options = Object.entries({ ...command.options, help: { describe: 'this text' } } satisfies Options).map(
    ([name, option]: [string, Option]) => [`--${name}${option.value ? ` <${option.value}>` : ''}`, option.describe],
  );
  const rows = [...word, ...options];
  const width = Math.max(...rows.map(([left = '']) => left.length));
  const room = Math.max(40, (process.stdout.columns ?? 120) - width - 4);
  const lines = rows.map(([left = '', right = '']) => {
    const wrapped = right.replace(new RegExp(`(.{1,${room}})(?: |$)`, 'g'), '$1\n').trimEnd();
    return `  ${left.padEnd(width)}  ${wrapped.replaceAll('\n', `\n${' '.repeat(width + 4)}`)}`;
  });
  return `${command.name}: ${command.describe}\n\n${lines.join('\n')}\n`;
}

/** The number an option was given, or undefined; anything that is not a number within bounds is a UsageError. */
export function numberOf(given: OptionValues, name: string, { min, max, isWhole }: NumberBounds): number | undefined {
  const text = given[name];
  if (typeof text !== 'string') return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? 'a whole number' : 'a number';
  throw new UsageError(`--${name} takes ${kind} from ${min} to ${max}, not "${text}"`);
}

export interface NumberBounds {
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
}

/** One of a closed list of words, or undefined when the option was not given. */
export function wordOf<Word extends string>(
  given: OptionValues,
  name: string,
  known: readonly Word[],
): Word | undefined {
  const text = given[name];
  if (text === undefined) return undefined;
  const word = known.find((candidate) => candidate === text);
  if (word !== undefined) return word;
  throw new UsageError(`--${name} "${text}" is not known; there is: ${known.join(', ')}`);
}
