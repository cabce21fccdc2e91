import { describeEmulation, parseEmulation } from '../core/emulation.ts';

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
}

export const emptyRule: RuleDraft = { who: '*', slow: '', latency: '', mbps: '', loss: '', cut: '', poison: '' };

/** The rule as `parseEmulation` reads it; throws a RangeError with words if it cannot. */
export function ruleText({ who, ...conditions }: RuleDraft): string {
  const settings = Object.entries(conditions).flatMap(([key, typed]) => {
    const text = typed.trim();
    if (text === '') return [];
    return [`${key}=${key === 'loss' ? share(text) : text}`];
  });
  if (settings.length === 0) throw new RangeError('Fill in what should be different');
  const rule = `${who.replaceAll(/\s/g, '') || '*'}:${settings.join(',')}`;
  parseEmulation(rule);
  return rule;
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
