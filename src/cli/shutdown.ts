/** npm and tsx pass on a Ctrl+C that the terminal has sent to all of them: what comes so soon is the same keypress. */
const SAME_KEY_MS = 2000;

/** Resolves when the process is told to end for the first time; told a second time, it ends at once. */
export function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    let toldAtMs: number | null = null;
    const onSignal = () => {
      if (toldAtMs !== null && performance.now() - toldAtMs > SAME_KEY_MS) process.exit(130);
      toldAtMs ??= performance.now();
      resolve();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
