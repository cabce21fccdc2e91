/** What a worker is made to suffer. */
export interface Conditions {
  /** At least 1: every step takes this many times as long. */
  readonly slow: number;
  /** One way. */
  readonly latencyMs: number;
  /** Megabits per second each way; Infinity: no limit. */
  readonly mbps: number;
  /** The share of frames lost and sent again: on a reliable, ordered channel a loss is a delay. */
  readonly loss: number;
  /** The link breaks this often on average; Infinity: never. */
  readonly cutEverySeconds: number;
  /** What the worker sends is its gradient times this: −10 is a saboteur. */
  readonly poison: number;
}

/** A worker left alone. */
export const unhindered: Conditions = {
  slow: 1,
  latencyMs: 0,
  mbps: Number.POSITIVE_INFINITY,
  loss: 0,
  cutEverySeconds: Number.POSITIVE_INFINITY,
  poison: 1,
};

/** Worker numbers from `first` to `last`. */
interface Range {
  readonly first: number;
  readonly last: number;
}

interface Rule {
  readonly who: readonly Range[];
  readonly conditions: Partial<Conditions>;
}

/** Rules in the order they were written: a later one overrides an earlier one, key by key. */
export type Emulation = readonly Rule[];

const MAX_WORKER = 99_999;
const everyone: readonly Range[] = [{ first: 0, last: MAX_WORKER }];

interface Key {
  readonly field: keyof Conditions;
  readonly min: number;
  readonly max: number;
  words(value: number): string;
  /** For a rule that takes back what an earlier one asked for. */
  readonly none: string;
}

const keys: Readonly<Record<string, Key>> = {
  slow: { field: 'slow', min: 1, max: 1000, words: (times) => `${times} times slower`, none: 'full speed' },
  latency: { field: 'latencyMs', min: 0, max: 10_000, words: (ms) => `${ms} ms latency`, none: 'no latency' },
  mbps: { field: 'mbps', min: 0.01, max: 100_000, words: (mbps) => `${mbps} Mbit/s`, none: 'no bandwidth limit' },
  loss: { field: 'loss', min: 0, max: 0.5, words: (share) => `${percent(share)} % loss`, none: 'no loss' },
  cut: {
    field: 'cutEverySeconds',
    min: 1,
    max: 86_400,
    words: (seconds) => `cut off every ${seconds} s on average`,
    none: 'never cut off',
  },
  poison: {
    field: 'poison',
    min: -1000,
    max: 1000,
    words: (times) => `sending ${times} × its gradient`,
    none: 'sending its true gradient',
  },
};

const percent = (share: number) => Number((share * 100).toPrecision(6));

/**
 * Reads rules like `*:latency=40 4:slow=10,mbps=2`: before the colon `*`, a worker number (0 is the host's own), a
 * range `1-4` or several `2+5`; after it keys with values, or `off`. Empty text is no emulation. Throws a RangeError.
 */
export function parseEmulation(text: string): Emulation {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.map((word) => {
    const [who, settings, ...rest] = word.split(':');
    if (!who || !settings || rest.length > 0) {
      throw new RangeError(`"${word}" is not a rule of emulation: write it like 4:slow=10,mbps=2 or *:latency=40`);
    }
    return { who: parseWho(who), conditions: Object.assign({}, ...settings.split(',').map(parseSetting)) };
  });
}

function parseWho(text: string): readonly Range[] {
  if (text === '*') return everyone;
  return text.split('+').map((part) => {
    const [, low, high = low] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    const range = { first: Number(low), last: Number(high) };
    if (range.first <= range.last && range.last <= MAX_WORKER) return range;
    throw new RangeError(
      `"${text}" names no workers: write * for everyone, or numbers up to ${MAX_WORKER} like 3, 1-4 or 2+5`,
    );
  });
}

function parseSetting(text: string): Partial<Conditions> {
  const [name = '', value = '', ...rest] = text.split('=');
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (key === undefined || rest.length > 0) {
    throw new RangeError(`"${text}" is not a condition: write one of ${Object.keys(keys).join(', ')}, = and its value`);
  }
  const { field, min, max } = key;
  if (value === 'off') return { [field]: unhindered[field] };
  const number = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return { [field]: number };
  throw new RangeError(`"${name}=${value}": ${name} takes a number from ${min} to ${max}, or off`);
}

/** What the rules, taken together, mean for one worker; 0 is the host's own. */
export const conditionsFor = (emulation: Emulation, worker: number): Conditions =>
  Object.assign(
    { ...unhindered },
    ...emulation.filter(({ who }) => who.some((range) => covers(range, { first: worker, last: worker }))).map(given),
  );

const given = ({ conditions }: Rule) => conditions;
const covers = (outer: Range, inner: Range) => outer.first <= inner.first && inner.last <= outer.last;

/** The rules in words for charts and reports, without what later ones override; empty when there is no emulation. */
export function describeEmulation(emulation: Emulation): string {
  const isOverridden = (rule: Rule, field: keyof Conditions) =>
    emulation
      .slice(emulation.indexOf(rule) + 1)
      .some(
        (later) => field in later.conditions && rule.who.every((range) => later.who.some((all) => covers(all, range))),
      );
  const parts = emulation.map((rule) => {
    const words = Object.values(keys).flatMap(({ field, words, none }) => {
      const value = rule.conditions[field];
      if (value === undefined || isOverridden(rule, field)) return [];
      return [value === unhindered[field] ? none : words(value)];
    });
    return words.length === 0 ? [] : [`${describeWho(rule.who)}: ${words.join(', ')}`];
  });
  return parts.flat().join('; ');
}

function describeWho(who: readonly Range[]): string {
  if (who === everyone) return 'everyone';
  const names = who.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  if (names.length === 1 && names[0] === '0') return 'the host’s own worker';
  return `${names.length === 1 && who[0]?.first === who[0]?.last ? 'worker' : 'workers'} ${listed(names)}`;
}

const listed = (names: readonly string[]) =>
  names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
