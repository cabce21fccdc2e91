/** One thing a person can do, with its button's words and its key. */
export interface Command {
  readonly label: string;
  readonly hint: string;
  /** As in `KeyboardEvent.key`, lower case. */
  readonly key: ' ' | 'f' | 'r' | 'escape' | null;
  readonly isPrimary: boolean;
  readonly isEnabled: boolean;
  run(): void;
}

/** A key as it is printed on the keyboard. */
export function keyWords(key: Command['key']): string {
  if (key === null) return '';
  return key === ' ' ? 'Space' : key === 'escape' ? 'Escape' : key.toUpperCase();
}

/** Where a key belongs to what has the focus: fields take all of them, buttons and the like take the space bar. */
function isTaken(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches('select, textarea')) return true;
  if (target instanceof HTMLInputElement) {
    const takesText = !['checkbox', 'radio', 'range', 'button'].includes(target.type);
    return takesText || key === ' ';
  }
  return key === ' ' && target.closest('button, a, summary, [tabindex]') !== null;
}

/** Runs the enabled command whose key is pressed, except while typing. Returns the way to stop. */
export function listenForShortcuts(commands: () => readonly Command[]): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return;
    const key = event.key.toLowerCase();
    if (isTaken(event.target, key)) return;
    const command = commands().find((candidate) => candidate.key === key && candidate.isEnabled);
    if (command === undefined) return;
    event.preventDefault();
    command.run();
  };
  document.addEventListener('keydown', pressed);
  return () => document.removeEventListener('keydown', pressed);
}
