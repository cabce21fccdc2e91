/** Resolves when the process is told to end for the first time; told a second time, it ends at once. */
export function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isTold = false;
    const onSignal = () => {
      if (isTold) process.exit(130);
      isTold = true;
      resolve();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
