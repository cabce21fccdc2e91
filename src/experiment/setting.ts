import * as z from 'zod/mini';

/** The settings that decide whether others matter. */
export interface Context {
  readonly data: string;
  readonly strategy: string;
  readonly aggregate: string;
  readonly up: string;
  readonly optimizer: string;
}

/** What every setting says about itself, whatever kind of value it has. */
interface Described<Value> {
  readonly default: Value;
  /** What forms and tables call it. */
  readonly label: string;
  readonly unit?: string;
  /** One sentence on what it does, without a full stop. */
  readonly help: string;
  /** Where it stands in a form. */
  readonly section: string;
  /** The strategies that use it; left out: all do. */
  readonly strategies?: readonly string[];
  /** Whether it is used, among those; left out: it is. */
  isUsed?(context: Context): boolean;
  /** Why it cannot have this value here, and what to do; null: it can. What is not used and not refused is ignored. */
  refusal?(value: Value, context: Context): string | null;
  /** How it is said in the name of a run; by default `label value`. */
  words?(value: NonNullable<Value>): string;
  /** False: it is not typed on a command line. */
  readonly hasFlag?: boolean;
  /** Where it is part of the simulator's scenario: what it is there unless chosen otherwise. */
  readonly simulated?: Value;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
  /** Must be more than `min`, not equal to it. */
  readonly isAbove?: boolean;
}

export interface NumberSetting extends Described<number>, Bounds {
  readonly kind: 'number';
}

/** A number that can be switched off: then it is null. */
export interface OptionalSetting extends Described<number | null>, Bounds {
  readonly kind: 'optional';
  /** What a form offers when it is switched on. */
  readonly suggested: number;
}

export interface ChoiceSetting<Name extends string = string> extends Described<Name> {
  readonly kind: 'choice';
  /** What each choice is called in a form. */
  readonly choices: Readonly<Record<Name, string>>;
}

export interface SwitchSetting extends Described<boolean> {
  readonly kind: 'switch';
}

/** The name of something that is looked up elsewhere, from a list that another program's version may not share. */
export interface NameSetting extends Described<string> {
  readonly kind: 'name';
}

export interface TextSetting extends Described<string> {
  readonly kind: 'text';
  readonly maxLength: number;
  /** What is wrong with a text, as it follows its name; null: nothing. */
  check(text: string): string | null;
}

export type Setting = NumberSetting | OptionalSetting | ChoiceSetting | SwitchSetting | NameSetting | TextSetting;
export type Settings = Readonly<Record<string, Setting>>;

type ValueOf<S> = S extends { kind: 'choice'; choices: infer Choices }
  ? keyof Choices
  : S extends { kind: 'number' }
    ? number
    : S extends { kind: 'optional' }
      ? number | null
      : S extends { kind: 'switch' }
        ? boolean
        : string;
/** A value for each setting of a table. */
export type Values<Table extends Settings> = { readonly [Key in keyof Table]: ValueOf<Table[Key]> };

type Of<Kind extends Setting> = Omit<Kind, 'kind' | 'isWhole'>;

export const whole = <const S extends Of<NumberSetting>>(setting: S) =>
  ({ kind: 'number', isWhole: true, ...setting }) as const;
export const real = <const S extends Of<NumberSetting>>(setting: S) =>
  ({ kind: 'number', isWhole: false, ...setting }) as const;
export const optionalWhole = <const S extends Of<OptionalSetting>>(setting: S) =>
  ({ kind: 'optional', isWhole: true, ...setting }) as const;
export const optionalReal = <const S extends Of<OptionalSetting>>(setting: S) =>
  ({ kind: 'optional', isWhole: false, ...setting }) as const;
export const choice = <const Choices extends Readonly<Record<string, string>>>(
  setting: Omit<ChoiceSetting<keyof Choices & string>, 'kind' | 'choices'> & { readonly choices: Choices },
) => ({ kind: 'choice', ...setting }) as const;
export const toggle = (setting: Omit<SwitchSetting, 'kind'>) => ({ kind: 'switch', ...setting }) as const;
export const named = (setting: Omit<NameSetting, 'kind'>) => ({ kind: 'name', ...setting }) as const;
export const text = (setting: Omit<TextSetting, 'kind'>) => ({ kind: 'text', ...setting }) as const;

/** Holds values to the setting's kind and bounds. */
export function schemaOf(setting: Setting): z.ZodMiniType {
  switch (setting.kind) {
    case 'number':
      return numberSchema(setting);
    case 'optional':
      return z.nullable(numberSchema(setting));
    case 'choice':
      return z.enum(Object.keys(setting.choices));
    case 'switch':
      return z.boolean();
    case 'name':
      return z.string().check(z.regex(/^[a-z][a-z0-9-]{0,31}$/));
    case 'text':
      return z.string().check(
        z.maxLength(setting.maxLength),
        z.refine((value) => setting.check(value) === null),
      );
    default:
      return setting satisfies never;
  }
}

const numberSchema = ({ min, max, isWhole, isAbove = false }: Bounds) =>
  (isWhole ? z.int() : z.number()).check(isAbove ? z.gt(min) : z.gte(min), z.lte(max));

/** What is wrong with a value, as it follows the setting's name: "must be a whole number from 1 to 100"; null: nothing. */
export function problemWith(setting: Setting, value: unknown): string | null {
  if (schemaOf(setting).safeParse(value).success) return null;
  const isRead = setting.kind === 'text' && typeof value === 'string' && value.length <= setting.maxLength;
  return isRead ? setting.check(value) : `must be ${expected(setting)}`;
}

function expected(setting: Setting): string {
  switch (setting.kind) {
    case 'number':
      return numberWords(setting);
    case 'optional':
      return `${numberWords(setting)}, or off`;
    case 'choice':
      return `one of ${Object.keys(setting.choices).join(', ')}`;
    case 'switch':
      return 'true or false';
    case 'name':
      return 'a short name of small letters, digits and dashes';
    case 'text':
      return `at most ${setting.maxLength} characters`;
    default:
      return setting satisfies never;
  }
}

const counted = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 20 });
const numberWords = ({ min, max, isWhole, isAbove = false }: Bounds): string =>
  `a ${isWhole ? 'whole ' : ''}number ${isAbove ? 'above' : 'from'} ${counted(min)}${isAbove ? ', up' : ''} to ${counted(max)}`;

/** Reads a value as `writeValue` writes it, and as people type it; what cannot be read fails the check afterwards. */
export function readValue(setting: Setting, typed: string): unknown {
  const trimmed = typed.trim();
  switch (setting.kind) {
    case 'number':
    case 'optional':
      if (setting.kind === 'optional' && trimmed === 'off') return null;
      return trimmed === '' ? Number.NaN : Number(trimmed);
    case 'switch':
      return trimmed === 'true' ? true : trimmed === 'false' ? false : trimmed;
    default:
      return trimmed;
  }
}

/** A value as text, for an address, a command line or a form. */
export const writeValue = (value: unknown): string => (value === null ? 'off' : String(value));

/** A setting with its value in a few words, for the name of a run: 40,000 examples, lr 0.2. */
export function valueWords(setting: Setting, value: unknown): string {
  // The table pairs each setting with values of its own kind.
  if (setting.words && value !== null) return (setting.words as (of: unknown) => string)(value);
  return `${setting.label.toLowerCase()} ${plainValue(setting, value)}`;
}

/** A value as tables show it. */
export function plainValue(setting: Setting, value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 9 });
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return setting.kind === 'text' && value === '' ? 'none' : writeValue(value);
}

/** The label with its unit: "Round limit, s". */
export const labelOf = ({ label, unit }: Setting): string => (unit === undefined ? label : `${label}, ${unit}`);

/** What the setting's option is called on a command line, without the dashes. */
export const flagOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
