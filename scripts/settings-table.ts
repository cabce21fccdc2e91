import { experimentKeys, settingOf } from '../src/experiment/experiment.ts';
import { flagOf, labelOf, type Setting, writeValue } from '../src/experiment/setting.ts';

const plain = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 20 });

function valuesOf(setting: Setting): string {
  switch (setting.kind) {
    case 'number':
    case 'optional':
      return `${setting.isAbove ? '> ' : ''}${plain(setting.min)} … ${plain(setting.max)}${setting.kind === 'optional' ? ', off' : ''}`;
    case 'choice':
      return Object.keys(setting.choices).join(', ');
    case 'switch':
      return 'true, false';
    default:
      return setting.kind;
  }
}

/** Every setting as a Markdown table: its key in addresses and sweeps, its option, what it may be and what it does. */
export function settingsTable(): string {
  const rows = experimentKeys.map((key) => {
    const setting = settingOf(key);
    const used = setting.strategies?.join(', ') ?? 'all';
    const usual = setting.default === '' ? '' : writeValue(setting.default);
    return [
      `\`${key}\``,
      setting.hasFlag === false ? '' : `\`--${flagOf(key)}\``,
      labelOf(setting),
      valuesOf(setting),
      usual,
      used,
      setting.help,
    ];
  });
  const head = ['key', 'option', 'on the page', 'values', 'usual', 'strategies', 'what it does'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export const page = () => `# Settings

Every setting of an experiment, made from the table in \`src/experiment/settings.ts\` by \`npx tsx scripts/settings-table.ts > docs/SETTINGS.md\`.
A setting has its key in addresses (\`#batch=32&strategy=async\`) and in sweeps of the lab, and its option on the command line. Those that can be switched off take the word \`off\`.

${settingsTable()}
`;

if (process.argv[1] === import.meta.filename) process.stdout.write(page());
