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

/** What the host is made to suffer. */
export interface HostConditions {
  /** Every push keeps the server busy for this much longer. */
  readonly applyMs: number;
}

type Everything = Conditions & HostConditions;

/** Nobody is made to suffer. */
const untouched: Everything = { ...unhindered, applyMs: 0 };

/** Worker numbers from `first` to `last`. */
interface Range {
  readonly first: number;
  readonly last: number;
}

interface Rule {
  readonly who: readonly Range[];
  readonly conditions: Partial<Everything>;
}

/** Rules in the order they were written: a later one overrides an earlier one, key by key. */
export type Emulation = readonly Rule[];

const MAX_WORKER = 99_999;
const everyone: readonly Range[] = [{ first: 0, last: MAX_WORKER }];
/** In place of a worker's number. */
const HOST = -1;
const host: readonly Range[] = [{ first: HOST, last: HOST }];

interface Key {
  readonly field: keyof Everything;
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
  apply: {
    field: 'applyMs',
    min: 0,
    max: 10_000,
    words: (ms) => `${ms} ms longer for every push`,
    none: 'no longer for a push',
  },
};
const isOfHost = ({ field }: Key) => field === 'applyMs';

const percent = (share: number) => Number((share * 100).toPrecision(6));

/**
 * Reads rules like `*:latency=40 4:slow=10,mbps=2 host:apply=20`: before the colon `*`, a worker number (0 is the host's
 * own), a range `1-4`, several `2+5`, or `host` for the server itself; after it keys with values, or `off`. Empty text is
 * no emulation. Throws a RangeError.
 */
export function parseEmulation(text: string): Emulation {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.map((word) => {
    const [who, settings, ...rest] = word.split(':');
    if (!who || !settings || rest.length > 0) {
      throw new RangeError(`"${word}" is not a rule of emulation: write it like 4:slow=10,mbps=2 or *:latency=40`);
    }
    const ranges = parseWho(who);
    const parse = (setting: string) => parseSetting(setting, ranges === host);
    return { who: ranges, conditions: Object.assign({}, ...settings.split(',').map(parse)) };
  });
}

function parseWho(text: string): readonly Range[] {
  if (text === '*') return everyone;
  if (text === 'host') return host;
  return text.split('+').map((part) => {
    const [, low, high = low] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    const range = { first: Number(low), last: Number(high) };
    if (range.first <= range.last && range.last <= MAX_WORKER) return range;
    throw new RangeError(
      `"${text}" names no workers: write * for everyone, host for the server, or numbers up to ${MAX_WORKER} like 3, 1-4 or 2+5`,
    );
  });
}

function parseSetting(text: string, isForHost: boolean): Partial<Everything> {
  const [name = '', value = '', ...rest] = text.split('=');
  const known = Object.keys(keys).filter((key) => isOfHost(keys[key] as Key) === isForHost);
  const key = known.includes(name) ? keys[name] : undefined;
  if (key === undefined || rest.length > 0) {
    const whose = isForHost ? 'of the host' : 'of a worker';
    const write = `${known.length > 1 ? 'one of ' : ''}${known.join(', ')}, = and its value`;
    throw new RangeError(`"${text}" is not a condition ${whose}: write ${write}`);
  }
  const { field, min, max } = key;
  if (value === 'off') return { [field]: untouched[field] };
  const number = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return { [field]: number };
  throw new RangeError(`"${name}=${value}": ${name} takes a number from ${min} to ${max}, or off`);
}

/** What the rules, taken together, mean for one worker; 0 is the host's own. */
export const conditionsFor = (emulation: Emulation, worker: number): Conditions =>
  together(emulation, worker, unhindered);

/** What the rules mean for the host itself. */
export const hostConditions = (emulation: Emulation): HostConditions => together(emulation, HOST, { applyMs: 0 });

const together = <Usual extends object>(emulation: Emulation, number: number, usual: Usual): Usual => {
  const all = { ...usual };
  const one = { first: number, last: number };
  for (const { who, conditions } of emulation)
    if (who.some((range) => covers(range, one))) Object.assign(all, conditions);
  return all;
};

const covers = (outer: Range, inner: Range) => outer.first <= inner.first && inner.last <= outer.last;

/** The rules in words for charts and reports, without what later ones override; empty when there is no emulation. */
export function describeEmulation(emulation: Emulation): string {
  const isOverridden = (rule: Rule, field: keyof Everything) =>
    emulation
      .slice(emulation.indexOf(rule) + 1)
      .some(
        (later) => field in later.conditions && rule.who.every((range) => later.who.some((all) => covers(all, range))),
      );
  const parts = emulation.map((rule) => {
    const words = Object.values(keys).flatMap(({ field, words, none }) => {
      const value = rule.conditions[field];
      if (value === undefined || isOverridden(rule, field)) return [];
      return [value === untouched[field] ? none : words(value)];
    });
    return words.length === 0 ? [] : [`${describeWho(rule.who)}: ${words.join(', ')}`];
  });
  return parts.flat().join('; ');
}

function describeWho(who: readonly Range[]): string {
  if (who === everyone) return 'everyone';
  if (who === host) return 'the server';
  const names = who.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  if (names.length === 1 && names[0] === '0') return 'the host’s own worker';
  return `${names.length === 1 && who[0]?.first === who[0]?.last ? 'worker' : 'workers'} ${listed(names)}`;
}

const listed = (names: readonly string[]) =>
  names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
