import type { Look } from '../../../observe/look.ts';
import type { Points } from '../../../observe/points.ts';
import type { NumberFormat } from '../number-words.ts';

/** One axis: what it counts and how its numbers are written. */
export interface Axis {
  readonly title: string;
  readonly format: NumberFormat;
}

/** One line of a chart. Lines of one name are one thing measured several times. */
export interface ChartLine extends Points {
  readonly name: string;
  readonly look: Look;
}

/** The lowest and the highest of some values. */
export interface Extent {
  readonly low: number;
  readonly high: number;
}

/** Lines over a number. */
export interface LineChart {
  readonly kind: 'lines';
  readonly x: Axis;
  readonly y: Axis;
  /** `log` is for what is never zero; `zero` starts at zero; `data` where the data start. */
  readonly scale: 'log' | 'zero' | 'data';
  /** What the upright axis must show, so that charts side by side have the same one; by default that of these lines. */
  readonly extent?: Extent;
  readonly lines: readonly ChartLine[];
  /** A value to watch for, drawn across. */
  readonly target?: { readonly value: number; readonly name: string };
}

export interface Bar {
  /** The index of its category. */
  readonly category: number;
  readonly name: string;
  readonly look: Look;
  readonly value: number;
  readonly spread: number | null;
}

/** Bars side by side in categories, all from zero. */
export interface BarChart {
  readonly kind: 'bars';
  readonly x: { readonly title: string };
  readonly y: Axis;
  readonly categories: readonly string[];
  readonly bars: readonly Bar[];
}

export type Chart = LineChart | BarChart;

/** Of a chart's drawing, in its own units; a page scales it. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Two beside each other on a desk, and three or four of the small ones. */
export const sizes = { wide: { width: 544, height: 312 }, small: { width: 272, height: 176 } } as const;

/** The lowest and highest of some lines; null if they have no point. */
export function extremes(lines: readonly { readonly y: readonly number[] }[]): Extent | null {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { y } of lines) {
    for (const value of y) {
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low > high ? null : { low, high };
}
