import { type Markup, markup } from '../markup.ts';
import { bare, type NumberFormat } from '../number-words.ts';
import type { Axis, Size } from './chart.ts';
import type { Scale } from './scale.ts';

/** The part of a drawing that the data are in. */
export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Room for numbers at the left and below, and for the name of the upright axis above, with letters grown on a phone. */
export function frameOf({ width, height }: Size): Frame {
  const isWide = width > 400;
  return {
    left: isWide ? 56 : 40,
    right: width - (isWide ? 24 : 16),
    top: isWide ? 44 : 24,
    bottom: height - (isWide ? 52 : 36),
  };
}

/** A coordinate with one decimal: finer than any screen. */
export const at = (value: number): number => Math.round(value * 10) / 10;

/** As many decimals as the steps between ticks need, so that 0.5 and 1 are read as 0.5 and 1.0. */
function tickTexts(ticks: readonly number[], { scale }: NumberFormat): string[] {
  const scaled = ticks.map((tick) => Number((tick * scale).toPrecision(10)));
  const decimals = Math.max(0, ...scaled.map((tick) => String(tick).split('.')[1]?.length ?? 0));
  return scaled.map((tick) => bare(tick, { unit: '', scale: 1, decimals: () => Math.min(decimals, 4) }));
}

/** Hairlines across with their numbers, and the axis' name above them. */
export function upright(frame: Frame, scale: Scale, axis: Axis): Markup {
  const texts = tickTexts(scale.ticks, axis.format);
  return markup`${scale.ticks.map((tick, index) => {
    const y = at(frame.bottom - scale.place(tick) * (frame.bottom - frame.top));
    return markup`<path class="grid" d="M${at(frame.left)} ${y}H${at(frame.right)}"/>\
<text x="${at(frame.left - 6)}" y="${at(y + 4)}" text-anchor="end">${texts[index] ?? ''}</text>`;
  })}<text class="name" x="0" y="${at(frame.top - (frame.right > 400 ? 24 : 12))}">${titleOf(axis)}</text>`;
}

/** Numbers below, and the axis' name under them. */
export function level(frame: Frame, scale: Scale, axis: Axis): Markup {
  const texts = tickTexts(scale.ticks, axis.format);
  return markup`${scale.ticks.map((tick, index) => {
    const x = at(frame.left + scale.place(tick) * (frame.right - frame.left));
    return markup`<text x="${x}" y="${at(frame.bottom + 16)}" text-anchor="middle">${texts[index] ?? ''}</text>`;
  })}${levelTitle(frame, titleOf(axis))}`;
}

/** What is along the lower edge, in words under its right end. */
export const levelTitle = (frame: Frame, title: string): Markup => {
  const y = at(frame.bottom + (frame.right > 400 ? 40 : 31));
  return markup`<text x="${at(frame.right)}" y="${y}" text-anchor="end">${title}</text>`;
};

const titleOf = ({ title, format }: Axis): string => (format.unit === '' ? title : `${title}, ${format.unit}`);
