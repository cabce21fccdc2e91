import * as z from 'zod/mini';
import { type Experiment, type ExperimentKey, experimentKeys, settingOf } from '../experiment/experiment.ts';
import { type Problem, ProblemsError } from '../experiment/problems.ts';
import { problemWith } from '../experiment/setting.ts';
import { settings } from '../experiment/settings.ts';

export const measures = [
  'seconds',
  'steps',
  'accuracy',
  'epochSeconds',
  'stepSeconds',
  'megabytesPerSecond',
  'cpu',
] as const;

/** A figure from somewhere else to set beside ours: the runs it belongs to, what was measured, and by whom. */
export interface Reference {
  /** The runs whose experiment has all of these values. */
  readonly where: Partial<Experiment>;
  readonly measure: (typeof measures)[number];
  readonly value: string;
  readonly source: string;
}

/** What a sweep varies. */
export interface SweepAxes {
  /** What all runs share; the rest is as usual. */
  readonly base: Partial<Experiment>;
  /** Each is a set of settings that go together; empty: one, with none. */
  readonly cases: readonly Partial<Experiment>[];
  /** Every combination of these values, for each case. */
  readonly vary: { readonly [Key in keyof Experiment]?: readonly Experiment[Key][] };
  /** How often each is run; the seed goes up by one each time. */
  readonly repeats: number;
  readonly references: readonly Reference[];
}

/** Experiments to run one after another, as a file describes them. */
export interface Sweep extends SweepAxes {
  readonly name: string;
  readonly title: string;
  /** What question it answers, in a sentence or two. */
  readonly about: string;
  /** The host computes too, as one of the workers. */
  readonly hostTrains: boolean;
  /** What is other at a size that takes minutes: `base` adds to that of the sweep, the rest stands in its place. */
  readonly quick?: Partial<SweepAxes>;
}

/** One run of a sweep. */
export interface SweepRun {
  /** Names its folder; the same whenever the same sweep is laid out: `07-sync-3-batch-100-r2`. */
  readonly key: string;
  /** What sets it apart from the others, in words: `sync × 3, batch 100`. Repeats share it. */
  readonly label: string;
  /** Counts from 1. */
  readonly repeat: number;
  readonly experiment: Experiment;
}

/** The sweep at its quick size; throws if it has none. */
export function quickened({ quick, ...sweep }: Sweep): Sweep {
  if (quick === undefined) {
    throw new ProblemsError([{ key: sweep.name, text: 'has no quick size: run it whole, or give it "quick"' }]);
  }
  return { ...sweep, ...quick, base: { ...sweep.base, ...quick.base } };
}

const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));
const someSettings = z.record(z.string(), z.unknown());
const list = <Item extends z.core.$ZodType>(item: Item) => z.array(item).check(z.maxLength(500));
const axes = {
  base: someSettings,
  cases: list(someSettings),
  vary: z.record(z.string(), list(z.unknown()).check(z.minLength(1))),
  repeats: z.int().check(z.minimum(1), z.maximum(100)),
  references: list(
    z.strictObject({ where: someSettings, measure: z.enum(measures), value: text(100), source: text(200) }),
  ),
};
const sweepSchema = z.strictObject({
  name: z.string().check(z.regex(/^[a-z][a-z0-9-]{0,39}$/)),
  title: z.optional(text(200)),
  about: z.optional(z.string().check(z.maxLength(2000))),
  hostTrains: z.optional(z.boolean()),
  ...optional(axes),
  quick: z.optional(z.strictObject(optional(axes))),
});

function optional<Shape extends Record<string, z.core.$ZodType>>(shape: Shape) {
  const entries = Object.entries(shape).map(([key, type]) => [key, z.optional(type)]);
  return Object.fromEntries(entries) as { [Key in keyof Shape]: z.ZodMiniOptional<Shape[Key]> };
}

/** Checks a sweep from anywhere; throws a ProblemsError whose keys are places: `vary.batch[2]`. */
export function parseSweep(input: unknown): Sweep {
  const read = sweepSchema.safeParse(input);
  if (!read.success) throw new ProblemsError(read.error.issues.map(problemOf));
  const { data } = read;
  const wrong = [...wrongSettings(data, ''), ...wrongSettings(data.quick ?? {}, 'quick.')];
  if (wrong.length > 0) throw new ProblemsError(wrong);
  const usual = { base: {}, cases: [], vary: {}, repeats: 1, references: [], hostTrains: false };
  return { title: data.name, about: '', ...usual, ...data } as Sweep;
}

type Axes = Omit<z.infer<typeof sweepSchema>, 'name' | 'quick'>;

/** Every setting that no experiment has, or not with this value, with its place. */
function wrongSettings({ base = {}, cases = [], vary = {}, references = [] }: Axes, place: string): Problem[] {
  const inAll = (all: Readonly<Record<string, unknown>>, where: string) =>
    Object.entries(all).flatMap(([key, value]) => wrongSetting(key, value, `${where}.${key}`));
  return [
    ...inAll(base, `${place}base`),
    ...cases.flatMap((one, index) => inAll(one, `${place}cases[${index}]`)),
    ...Object.entries(vary).flatMap(([key, values]) =>
      values.flatMap((value, index) => wrongSetting(key, value, `${place}vary.${key}[${index}]`)),
    ),
    ...references.flatMap(({ where }, index) => inAll(where, `${place}references[${index}].where`)),
  ];
}

function wrongSetting(key: string, value: unknown, place: string): Problem[] {
  const isKnown = Object.hasOwn(settings, key);
  const text = isKnown
    ? problemWith(settingOf(key as ExperimentKey), value)
    : `is no setting; there is: ${experimentKeys.join(', ')}`;
  return text === null ? [] : [{ key: place, text }];
}

function problemOf(issue: z.core.$ZodIssue): Problem {
  const place = issue.path.reduce<string>(
    (path, part) => path + (typeof part === 'number' ? `[${part}]` : `${path === '' ? '' : '.'}${String(part)}`),
    '',
  );
  return { key: place === '' ? 'the sweep' : place, text: issueWords(issue) };
}

function issueWords(issue: z.core.$ZodIssue): string {
  const ofWhat = 'origin' in issue ? (units[issue.origin] ?? '') : '';
  switch (issue.code) {
    case 'too_small':
      return `must be at least ${issue.minimum}${ofWhat}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${ofWhat}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      return issue.expected === 'int'
        ? 'must be a whole number'
        : `must be ${typeWords[issue.expected] ?? issue.expected}`;
    case 'invalid_format':
      return 'must be a short name of small letters, digits and dashes';
    case 'unrecognized_keys':
      return `has ${issue.keys.map((key) => `"${key}"`).join(', ')}, which is not known here`;
    default:
      return 'is not understood';
  }
}

const units: Readonly<Record<string, string>> = { array: ' entries', string: ' letters' };

const typeWords: Readonly<Record<string, string>> = {
  object: 'an object, in braces',
  record: 'an object, in braces',
  array: 'a list, in brackets',
  string: 'text, in quotes',
  number: 'a number',
  boolean: 'true or false',
};
