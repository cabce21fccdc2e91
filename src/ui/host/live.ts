import { type ReadonlySignal, signal } from '@preact/signals';

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
export function live<T>(source: { subscribe(listener: () => void): () => void }, read: () => T): Live<T> {
  const value = signal(read());
  let timer: ReturnType<typeof setTimeout> | null = null;
  let readAtMs = performance.now();
  let isStale = false;
  const refresh = () => {
    timer = null;
    if (document.hidden) return;
    isStale = false;
    readAtMs = performance.now();
    value.value = read();
  };
  const changed = () => {
    isStale = true;
    if (timer !== null || document.hidden) return;
    timer = setTimeout(refresh, Math.max(0, REDRAW_MS - (performance.now() - readAtMs)));
  };
  const shown = () => {
    if (isStale) refresh();
  };
  const unsubscribe = source.subscribe(changed);
  document.addEventListener('visibilitychange', shown);
  return {
    value,
    stop() {
      unsubscribe();
      document.removeEventListener('visibilitychange', shown);
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Each change of the title is a message to the browser's own process, dearer than a redraw. */
const TITLE_MS = 1000;

/** Keeps the tab's title at `words()`; unlike the page, also while hidden, where the title is all one sees. */
export function liveTitle(source: { subscribe(listener: () => void): () => void }, words: () => string): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const show = () => {
    timer = null;
    const title = words();
    if (document.title !== title) document.title = title;
  };
  show();
  const unsubscribe = source.subscribe(() => {
    timer ??= setTimeout(show, TITLE_MS);
  });
  return () => {
    unsubscribe();
    if (timer !== null) clearTimeout(timer);
  };
}
