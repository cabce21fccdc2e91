import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { useTheme } from '../parts/theme.ts';

/**
 * The plot that `make` puts into `box`, as large as the box at all times: made anew when `shape` or the theme is another,
 * and fed by who asked for it when its lines have grown.
 */
export function usePlot(
  box: RefObject<HTMLElement | null>,
  shape: string,
  make: (root: HTMLElement) => uPlot,
): RefObject<uPlot | null> {
  const plot = useRef<uPlot | null>(null);
  const theme = useTheme();
  useEffect(() => {
    const root = box.current;
    if (root === null) return;
    const made = make(root);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: root.clientWidth, height: root.clientHeight }));
    resized.observe(root);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [shape, theme]);
  return plot;
}
