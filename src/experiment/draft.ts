import type { Problem } from './problems.ts';
import { problemWith, readValue, type Setting, type Settings, writeValue } from './setting.ts';

/** Settings as they are being typed: every field a text, and which of those that can be switched off are. */
export interface Draft {
  readonly texts: Readonly<Record<string, string>>;
  readonly off: ReadonlySet<string>;
}

type Table = Readonly<Record<string, unknown>>;

/** The draft that reads back as these values. */
export function draftOf(settings: Settings, values: Table): Draft {
  const entries = Object.entries(settings);
  const textOf = (key: string, setting: Setting) =>
    setting.kind === 'optional' && values[key] === null ? String(setting.suggested) : writeValue(values[key]);
  return {
    texts: Object.fromEntries(entries.map(([key, setting]) => [key, textOf(key, setting)])),
    off: new Set(entries.flatMap(([key, { kind }]) => (kind === 'optional' && values[key] === null ? [key] : []))),
  };
}

/** The value of a field; what cannot be read fails the check. */
export const typedValue = (settings: Settings, { texts, off }: Draft, key: string): unknown =>
  off.has(key) ? null : readValue(settings[key] as Setting, texts[key] ?? '');

/** Reads a draft; a setting that is not asked for is as `values` has it. */
export function readDraft(
  settings: Settings,
  draft: Draft,
  values: Table,
  isAsked: (key: string) => boolean,
): { readonly values: Table; readonly problems: readonly Problem[] } {
  const read = Object.entries(settings).map(([key, setting]) => {
    const value = isAsked(key) ? typedValue(settings, draft, key) : values[key];
    return { key, value, text: problemWith(setting, value) };
  });
  return {
    values: Object.fromEntries(read.map(({ key, value }) => [key, value])),
    problems: read.flatMap(({ key, text }) => (text === null ? [] : [{ key, text }])),
  };
}

/** The draft with these values changed, and all else as typed. */
export function changedDraft(settings: Settings, draft: Draft, change: Table): Draft {
  const changed = draftOf(Object.fromEntries(Object.entries(settings).filter(([key]) => key in change)), change);
  const kept = [...draft.off].filter((key) => !(key in change));
  return { texts: { ...draft.texts, ...changed.texts }, off: new Set([...kept, ...changed.off]) };
}
