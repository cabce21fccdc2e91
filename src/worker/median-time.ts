const STEPS = 9;
/** Long steps are timed less often. */
const MAX_MS = 3000;

/** How long it takes, in the middle of a few times. */
export async function medianMs(run: () => unknown): Promise<number> {
  const times: number[] = [];
  const startedMs = performance.now();
  while (times.length < STEPS && (times.length === 0 || performance.now() - startedMs < MAX_MS)) {
    const startMs = performance.now();
    await run();
    times.push(performance.now() - startMs);
  }
  return middle(times);
}

/** The middle one of these. */
export const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
