import './command-buttons.css';
import { type Command, keyWords } from './shortcuts.ts';

/** The page's main buttons, each with its key in its hint. */
export function CommandButtons({ commands }: { commands: readonly Command[] }) {
  return (
    <div class="controls">
      {commands.map(({ label, hint, key, isPrimary, isEnabled, run }) => (
        <button
          key={isPrimary ? 'primary' : label}
          type="button"
          class={isPrimary ? 'primary' : undefined}
          disabled={!isEnabled}
          title={key === null ? hint : `${hint} (${keyWords(key)})`}
          aria-keyshortcuts={key === null ? undefined : keyWords(key)}
          onClick={run}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
