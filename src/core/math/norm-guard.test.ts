import { describe, expect, it } from 'vitest';
import { NormGuard } from './norm-guard.ts';
import { rng } from './rng.ts';

/** The same rule on a plain list. */
function naive() {
  let norms: number[] = [];
  return (norm: number): number => {
    const sorted = norms.toSorted((a, b) => a - b);
    const [low, high] = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[sorted.length >> 1] ?? 0];
    const bound = norms.length >= 16 && low + high > 0 ? 5 * (low + high) : Number.POSITIVE_INFINITY;
    norms = [...norms, Math.min(norm, bound)].slice(-64);
    return Math.min(1, bound / norm);
  };
}

describe('norm guard', () => {
  it.each([1, 2, 3, 4])('scales like the rule on a plain list, seed %i', (seed) => {
    const random = rng(seed, 'guard');
    const [guard, expected] = [new NormGuard(), naive()];
    for (let push = 0; push < 400; push++) {
      // Norms over many scales, with repeats (whole powers of two as often as not), growing faster than the bound may.
      const norm = 2 ** (Math.floor(push / 10) + (random.below(2) ? random.below(8) : 8 * random.uniform()));
      expect(guard.admit(norm)).toBeCloseTo(expected(norm), 12);
    }
  });

  it('P5: lets the first 16 pass, whatever they are, and the 17th at most at ten times their median', () => {
    const guard = new NormGuard();
    for (let push = 0; push < 16; push++) expect(guard.admit(2)).toBe(1);
    expect(guard.admit(20)).toBe(1);
    expect(guard.admit(2000)).toBe(0.01);
    expect(guard.admit(2000)).toBe(0.01);
  });

  it('follows gradients that truly grow, within a window', () => {
    const guard = new NormGuard();
    for (let push = 0; push < 64; push++) guard.admit(1);
    let pushes = 0;
    while (guard.admit(500) < 1) pushes++;
    expect(pushes).toBeGreaterThan(16);
    expect(pushes).toBeLessThan(128);
  });

  it('does not let the many who lie raise the bound at once', () => {
    const guard = new NormGuard();
    for (let push = 0; push < 64; push++) guard.admit(1);
    for (let push = 0; push < 40; push++) guard.admit(1e9);
    expect(1e9 * guard.admit(1e9)).toBeCloseTo(100, 6);
  });

  it('is not stuck at zero after gradients of zeros', () => {
    const guard = new NormGuard();
    for (let push = 0; push < 64; push++) expect(guard.admit(0)).toBe(1);
    expect(guard.admit(3)).toBe(1);
  });
});
