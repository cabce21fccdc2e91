import { decimal } from '../../../observe/format.ts';
import { type Markup, markup } from '../markup.ts';
import { type NumberFormat, titled } from '../number-words.ts';
import type { Axis, Size } from './chart.ts';
import type { Scale } from './scale.ts';

/** A coordinate with one decimal: finer than any screen. */
export const at = (value: number): number => Math.round(value * 10) / 10;

/** As many decimals as the steps between ticks need, so that 0.5 and 1 are read as 0.5 and 1.0. */
function tickTexts(ticks: readonly number[], { scale }: NumberFormat): string[] {
  const scaled = ticks.map((tick) => Number((tick * scale).toPrecision(10)));
  const decimals = Math.max(0, ...scaled.map((tick) => String(tick).split('.')[1]?.length ?? 0));
  return scaled.map((tick) => decimal(tick, Math.min(decimals, 4)));
}

/**
 * The part of a drawing that the data are in, with room for numbers at the left and below, and for the name of the upright
 * axis above, with letters grown on a phone.
 */
export class Frame {
  readonly isWide: boolean;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;

  constructor({ width, height }: Size) {
    this.isWide = width > 400;
    this.left = this.isWide ? 56 : 40;
    this.right = width - (this.isWide ? 24 : 16);
    this.top = this.isWide ? 44 : 24;
    this.bottom = height - (this.isWide ? 52 : 36);
  }

  x(scale: Scale, value: number): number {
    return at(this.left + scale.place(value) * (this.right - this.left));
  }

  y(scale: Scale, value: number): number {
    return at(this.bottom - scale.place(value) * (this.bottom - this.top));
  }

  /** A line across at this height. */
  across(kind: string, y: number): Markup {
    return markup`<path class="${kind}" d="M${at(this.left)} ${y}H${at(this.right)}"/>`;
  }

  /** Hairlines across with their numbers, and the axis' name above them. */
  upright(scale: Scale, { title, format }: Axis): Markup {
    const texts = tickTexts(scale.ticks, format);
    const ticks = scale.ticks.map((tick, index) => {
      const y = this.y(scale, tick);
      return markup`${this.across('grid', y)}<text x="${at(this.left - 6)}" y="${at(y + 4)}" text-anchor="end">${texts[index] ?? ''}</text>`;
    });
    return markup`${ticks}<text class="name" x="0" y="${at(this.top - (this.isWide ? 24 : 12))}">${titled(title, format)}</text>`;
  }

  /** Numbers below, and the axis' name under them. */
  level(scale: Scale, { title, format }: Axis): Markup {
    const texts = tickTexts(scale.ticks, format);
    const ticks = scale.ticks.map((tick, index) => this.below(this.x(scale, tick), texts[index] ?? ''));
    return markup`${ticks}${this.levelTitle(titled(title, format))}`;
  }

  /** A text under the lower edge, around this place. */
  below(x: number, text: string): Markup {
    return markup`<text x="${at(x)}" y="${at(this.bottom + 16)}" text-anchor="middle">${text}</text>`;
  }

  /** What is along the lower edge, in words under its right end. */
  levelTitle(title: string): Markup {
    const y = at(this.bottom + (this.isWide ? 40 : 31));
    return markup`<text x="${at(this.right)}" y="${y}" text-anchor="end">${title}</text>`;
  }
}
