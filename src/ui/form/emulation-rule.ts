import { describeEmulation, parseEmulation } from '../../experiment/emulation.ts';

/** One rule as it is filled in: texts, empty where a condition is left alone. */
export interface RuleDraft {
  readonly who: string;
  readonly slow: string;
  readonly latency: string;
  readonly mbps: string;
  /** In percent. */
  readonly loss: string;
  /** Seconds. */
  readonly cut: string;
  readonly poison: string;
  /** Of the server, whoever else the rule is about: milliseconds. */
  readonly apply: string;
}

const empty = { slow: '', latency: '', mbps: '', loss: '', cut: '', poison: '', apply: '' };
export const emptyRule: RuleDraft = { who: '*', ...empty };

/** The rules as `parseEmulation` reads them; throws a RangeError with words if it cannot. */
export function ruleText({ who, apply, ...conditions }: RuleDraft): string {
  const settings = Object.entries(conditions).flatMap(([key, typed]) => {
    const text = typed.trim();
    if (text === '') return [];
    return [`${key}=${key === 'loss' ? share(text) : text}`];
  });
  const rules = [
    ...(settings.length > 0 ? [`${who.replaceAll(/\s/g, '') || '*'}:${settings.join(',')}`] : []),
    ...(apply.trim() !== '' ? [`host:apply=${apply.trim()}`] : []),
  ];
  if (rules.length === 0) throw new RangeError('Fill in what should be different');
  const text = rules.join(' ');
  parseEmulation(text);
  return text;
}

/** Percent as a share, without the digits that floating point adds. */
const share = (percent: string): string => {
  const value = Number(percent) / 100;
  return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : percent;
};

/** The rules of a text one by one, each with its words; null while the text cannot be read. */
export function rulesOf(text: string): readonly { readonly text: string; readonly words: string }[] | null {
  try {
    return text
      .split(/\s+/)
      .filter((rule) => rule !== '')
      .map((rule) => ({ text: rule, words: describeEmulation(parseEmulation(rule)) }));
  } catch {
    return null;
  }
}
