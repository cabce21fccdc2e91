import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A mistake in what the user typed: one line, exit code 2. */
export class UsageError extends Error {}

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
  run(given: Given, argv: readonly string[]): Promise<number>;
}

/** What was typed, by option name: text for an option with a value, true for a switch. */
export type Given = Readonly<Record<string, string | boolean | undefined>>;

/** Reads arguments strictly: an unknown option, a missing value or a stray word is a UsageError of one line. */
export function readArguments(command: Command, argv: readonly string[]): Given {
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } };
  for (const [name, option] of Object.entries(command.options)) {
    options[name] = { type: option.value === undefined ? 'boolean' : 'string' };
  }
  try {
    const allowPositionals = command.argument !== undefined;
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals });
    return withArgument(command, values as Given, positionals);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const [line = ''] = (error as Error).message.split(/\n|\. /);
    throw new UsageError(`${line}; --help lists the options`);
  }
}

function withArgument({ argument }: Command, values: Given, words: readonly string[]): Given {
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
  const lines = rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`);
  return `${command.name}: ${command.describe}\n\n${lines.join('\n')}\n`;
}

/** The number an option was given, or undefined; anything that is not a number within bounds is a UsageError. */
export function numberOf(given: Given, name: string, { min, max, isWhole }: NumberBounds): number | undefined {
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
export function wordOf<Word extends string>(given: Given, name: string, known: readonly Word[]): Word | undefined {
  const text = given[name];
  if (text === undefined) return undefined;
  const word = known.find((candidate) => candidate === text);
  if (word !== undefined) return word;
  throw new UsageError(`--${name} "${text}" is not known; there is: ${known.join(', ')}`);
}
