/** A browser and an operating system in a few words, for the host's table: "Chrome 156 · Linux". */
export function deviceName(userAgent: string): string {
  const browsers: [string, RegExp][] = [
    ['Edge', /Edg\/(\d+)/],
    ['Firefox', /Firefox\/(\d+)/],
    ['Chrome', /Chrome\/(\d+)/],
    ['Safari', /Version\/(\d+).*Safari/],
  ];
  const systems: [string, RegExp][] = [
    ['Android', /Android/],
    ['iOS', /iPhone|iPad/],
    ['ChromeOS', /CrOS/],
    ['macOS', /Mac OS X/],
    ['Windows', /Windows/],
    ['Linux', /Linux/],
  ];
  const browser = browsers
    .map(([name, pattern]) => [name, pattern.exec(userAgent)?.[1]])
    .find(([, version]) => version);
  const system = systems.find(([, pattern]) => pattern.test(userAgent));
  return [browser?.join(' ') ?? 'Unknown browser', system?.[0]].filter(Boolean).join(' · ');
}

/** What the browser says about the device. Asks for nothing and starts nothing. */
export function deviceCheck() {
  const { hardwareConcurrency, userAgent } = navigator;
  const { deviceMemory } = navigator as Navigator & { deviceMemory?: number };
  return {
    webgpu: 'gpu' in navigator,
    isSecure: isSecureContext,
    cores: hardwareConcurrency,
    memoryGb: deviceMemory ?? null,
    isPhone: /Android|iPhone|Mobile/.test(userAgent),
    onBattery: null,
  };
}

/** Keeps the screen on while a worker contributes, where the browser allows it: a phone that sleeps stops computing. */
export function screenKeeper(): (isActive: boolean) => void {
  let lock: WakeLockSentinel | null = null;
  let wants = false;
  const ask = async () => {
    if (!wants || !('wakeLock' in navigator) || document.visibilityState !== 'visible') return;
    lock = await navigator.wakeLock.request('screen').catch(() => null);
  };
  document.addEventListener('visibilitychange', ask);
  return (isActive) => {
    wants = isActive;
    if (isActive) void ask();
    else void lock?.release();
  };
}
