import { type Problem, problemLine } from '../experiment/problems.ts';
import { flagOf, readValue, type Setting, type Settings, writeValue } from '../experiment/setting.ts';
import { UsageError } from '../node/usage-error.ts';
import type { Option, Options, OptionValues } from './command-line.ts';

const flagged = (settings: Settings) => Object.entries(settings).filter(([, { hasFlag }]) => hasFlag ?? true);

/** The options that set these settings, in the order of the table; `choices` has the lists that the table does not. */
export function settingOptions(settings: Settings, choices: Readonly<Record<string, readonly string[]>> = {}): Options {
  return Object.fromEntries(flagged(settings).map(([key, setting]) => [flagOf(key), option(setting, choices[key])]));
}

function option(setting: Setting, listed: readonly string[] | undefined): Option {
  const { strategies, help, default: usual } = setting;
  const names = setting.kind === 'choice' ? Object.keys(setting.choices) : listed;
  const notes = [
    ...(names ? [names.join(', ')] : []),
    ...(usual === null || usual === '' ? [] : [`default ${writeValue(usual)}`]),
  ];
  const words = help.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
  const describe = `${strategies ? `${strategies.join(', ')}: ` : ''}${words}`;
  if (setting.kind === 'switch') return { describe };
  return { value: valueName(setting), describe: notes.length === 0 ? describe : `${describe} (${notes.join('; ')})` };
}

function valueName(setting: Setting): string {
  switch (setting.kind) {
    case 'number':
    case 'optional':
      return setting.unit ?? (setting.isWhole ? 'count' : 'number');
    case 'text':
      return 'text';
    default:
      return 'name';
  }
}

/** The settings that were typed, by their keys; what cannot be read fails their check. */
export function typedSettings(settings: Settings, given: OptionValues): Record<string, unknown> {
  const typed = flagged(settings).flatMap(([key, setting]) => {
    const text = given[flagOf(key)];
    return text === undefined ? [] : [[key, typeof text === 'boolean' ? text : readValue(setting, text)]];
  });
  return Object.fromEntries(typed);
}

/** A problem as one line about the option that caused it, or that could cure it. */
export function usageError({ key, text }: Problem, given: OptionValues): UsageError {
  const flag = flagOf(key);
  const came = text.startsWith('must be') && given[flag] !== undefined ? `, not "${given[flag]}"` : '';
  return new UsageError(problemLine({ key: `--${flag}`, text: text + came }));
}
