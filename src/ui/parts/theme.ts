import { useEffect, useState } from 'preact/hooks';

/** Counts up when the colours of the system change: what read them from CSS is to be drawn again. */
export function useTheme(): number {
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const changed = () => setTheme((count) => count + 1);
    dark.addEventListener('change', changed);
    return () => dark.removeEventListener('change', changed);
  }, []);
  return theme;
}
