/** Where values lie between two ends, and which of them are written on the axis. */
export interface Scale {
  readonly ticks: readonly number[];
  /** 0 at the low end, 1 at the high end. */
  place(value: number): number;
}

/** A step of 1, 2 or 5 times a power of ten that gives about so many ticks. */
function niceStep(range: number, about: number): number {
  const rough = range / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const digit = rough / power;
  return (digit < Math.SQRT2 ? 1 : digit < Math.sqrt(10) ? 2 : digit < Math.sqrt(50) ? 5 : 10) * power;
}

/** From a round number at or below the lowest value to one at or above the highest, with about so many ticks. */
export function linearScale(low: number, high: number, about = 5): Scale {
  const [from, to] = low === high ? [Math.min(0, low), Math.max(low, 0) || 1] : [low, high];
  const step = niceStep(to - from, about);
  const [first, last] = [Math.floor(from / step + 1e-9), Math.ceil(to / step - 1e-9)];
  // Multiplied, not added up, and rounded: 0.1 + 0.2 is not 0.3.
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
  const [start, end] = [first * step, last * step];
  return { ticks, place: (value) => (value - start) / (end - start) };
}

/** Ratios as distances, for positive values; ticks at 1, 2 and 5 times powers of ten. Ends where the values do. */
export function logScale(low: number, high: number): Scale {
  const [from, to] = [Math.log10(low) - 0.02, Math.log10(Math.max(high, low * 1.1)) + 0.02];
  const ticks: { digit: number; value: number }[] = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power++) {
    for (const digit of [1, 2, 3, 5, 7]) {
      const at = Math.log10(digit) + power;
      if (at >= from && at <= to) ticks.push({ digit, value: Number((digit * 10 ** power).toPrecision(3)) });
    }
  }
  // Over several powers of ten only those fit.
  const shown = ticks.length > 8 ? ticks.filter(({ digit }) => digit === 1) : ticks;
  return {
    ticks: shown.map(({ value }) => value),
    place: (value) => (Math.log10(Math.max(value, 1e-300)) - from) / (to - from),
  };
}
