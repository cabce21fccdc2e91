/** A clock that stands still while a lab waits for people, so that the time left is that of computing. */
export function patientClock(nowMs: () => number) {
  let waitedMs = 0;
  let waitsSinceMs: number | null = null;
  return {
    nowMs: (): number => (waitsSinceMs ?? nowMs()) - waitedMs,
    setWaiting(isWaiting: boolean): void {
      if (isWaiting) waitsSinceMs ??= nowMs();
      else if (waitsSinceMs !== null) {
        waitedMs += nowMs() - waitsSinceMs;
        waitsSinceMs = null;
      }
    },
  };
}
