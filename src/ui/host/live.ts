import { type ReadonlySignal, signal } from '@preact/signals';

interface Source {
  subscribe(listener: () => void): () => void;
}

/** Calls `act` after the source's changes, at most once in `everyMs`. Returns the way to stop. */
function afterChanges(source: Source, everyMs: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let actedAtMs = performance.now();
  const due = () => {
    timer = null;
    actedAtMs = performance.now();
    act();
  };
  const unsubscribe = source.subscribe(() => {
    timer ??= setTimeout(due, Math.max(0, everyMs - (performance.now() - actedAtMs)));
  });
  return () => {
    unsubscribe();
    if (timer !== null) clearTimeout(timer);
  };
}

/** A chart more lively than this reads no better and takes time from training. */
const REDRAW_MS = 250;

export interface Live<T> {
  readonly value: ReadonlySignal<T>;
  stop(): void;
}

/**
 * What `read` gives, read again after the source's changes: at most four times a second, never while the tab is hidden,
 * and once when it is shown again.
 */
export function live<T>(source: Source, read: () => T): Live<T> {
  const value = signal(read());
  let isStale = false;
  const refresh = () => {
    isStale = document.hidden;
    if (!isStale) value.value = read();
  };
  const shown = () => {
    if (isStale) refresh();
  };
  const stop = afterChanges(source, REDRAW_MS, refresh);
  document.addEventListener('visibilitychange', shown);
  return {
    value,
    stop() {
      stop();
      document.removeEventListener('visibilitychange', shown);
    },
  };
}

/** Each change of the title is a message to the browser's own process, dearer than a redraw. */
const TITLE_MS = 1000;

/** Keeps the tab's title at `words()`; unlike the page, also while hidden, where the title is all one sees. */
export function liveTitle(source: Source, words: () => string): () => void {
  const show = () => {
    if (document.title !== words()) document.title = words();
  };
  show();
  return afterChanges(source, TITLE_MS, show);
}
