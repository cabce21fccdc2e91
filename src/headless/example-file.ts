import type { ExampleSource, ExamplesState } from '../host/example-server.ts';
import { exampleWords, skippedLines } from '../host/example-words.ts';

/** A file of examples on this machine, and how to read it. */
export type ExampleFile = Omit<Extract<ExampleSource, { kind: 'path' }>, 'features'>;

const LOOK_EVERY_MS = 100;

/**
 * Waits until the host has read its file, and says what was found in it, above all what was skipped. Rejects in words if
 * it cannot be used.
 */
export async function untilRead(
  look: () => Promise<ExamplesState | null>,
  { note, progress }: { note(line: string): void; progress(text: string): void },
): Promise<Extract<ExamplesState, { phase: 'ready' }>> {
  for (;;) {
    const state = await look();
    if (state?.phase === 'failed') throw new Error(state.text);
    if (state?.phase === 'ready') {
      note(exampleWords(state));
      for (const line of skippedLines(state)) note(`  ${line}`);
      return state;
    }
    if (state !== null) progress(exampleWords(state));
    await new Promise((wake) => setTimeout(wake, LOOK_EVERY_MS));
  }
}
