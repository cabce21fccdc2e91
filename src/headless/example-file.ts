import type { ExampleSource, ExamplesState } from '../host/example-server.ts';
import { exampleWords, skippedLines } from '../host/example-words.ts';
import { until, type Watch } from '../host/watch-run.ts';

/** A file of examples on this machine, and how to read it. */
export type ExampleFile = Omit<Extract<ExampleSource, { kind: 'path' }>, 'features'>;

/**
 * Waits until the host has read its file, and says what was found in it, above all what was skipped. Rejects in words if
 * it cannot be used.
 */
export async function untilRead(
  watch: Watch<{ readonly state: { readonly examples: ExamplesState | null } }>,
  { note, progress }: { note(line: string): void; progress(text: string): void },
): Promise<Extract<ExamplesState, { phase: 'ready' }>> {
  const found = await until(watch, ({ state: { examples } }) => {
    if (examples?.phase === 'failed') throw new Error(examples.text);
    if (examples?.phase === 'ready') return examples;
    if (examples !== null) progress(exampleWords(examples));
    return null;
  });
  note(exampleWords(found));
  for (const line of skippedLines(found)) note(`  ${line}`);
  return found;
}
