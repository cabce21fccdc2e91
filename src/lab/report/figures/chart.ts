import type { NumberFormat } from '../number-words.ts';
import type { Look } from './palette.ts';
import type { Points } from './thinned.ts';

/** One axis: what it counts and how its numbers are written. */
export interface Axis {
  readonly title: string;
  readonly format: NumberFormat;
}

/** One line of a chart. Lines of one name are one thing measured several times. */
export interface Line extends Points {
  readonly name: string;
  readonly look: Look;
}

/** Lines over a number. */
export interface LineChart {
  readonly kind: 'lines';
  readonly x: Axis;
  readonly y: Axis;
  /** `log` is for what is never zero; `zero` starts at zero; `data` where the data start. */
  readonly scale: 'log' | 'zero' | 'data';
  /** The highest value the axis must show, so that charts side by side have the same one; null: of these lines. */
  readonly yMax: number | null;
  readonly yMin: number | null;
  readonly lines: readonly Line[];
  /** A value to look for, drawn across. */
  readonly mark: { readonly value: number; readonly name: string } | null;
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
