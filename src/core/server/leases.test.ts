import { describe, expect, it } from 'vitest';
import { rng } from '../math/rng.ts';
import { Leases } from './leases.ts';

describe('leases', () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
    it(`L1: every example is held by one worker at a time and counted once, seed ${seed}`, () => {
      const random = rng(seed, 'leases');
      const size = 1 + random.below(7);
      const limit = 50 + random.below(50);
      let leases = new Leases(size, limit);
      const counted = new Map<number, number>();
      const held = new Map<number, { worker: number; from: number; count: number }>();
      while (leases.counted < limit) {
        const worker = random.below(4);
        const mine = leases.heldBy(worker);
        const dice = random.below(20);
        if (dice === 0) {
          leases.giveBackAll(worker);
          for (const [id, lease] of held) if (lease.worker === worker) held.delete(id);
        } else if (dice === 1) {
          leases = new Leases(size, limit, leases.snapshot());
          held.clear();
        } else if (mine[0] && dice < 12) {
          leases.settle(mine[0].id);
          held.delete(mine[0].id);
          for (let i = 0; i < mine[0].count; i++) {
            counted.set(mine[0].from + i, (counted.get(mine[0].from + i) ?? 0) + 1);
          }
        } else {
          const lease = leases.deal(worker);
          if (!lease) continue;
          for (const other of held.values()) {
            expect(lease.from >= other.from + other.count || lease.from + lease.count <= other.from).toBe(true);
          }
          held.set(lease.id, { worker, from: lease.from, count: lease.count });
        }
      }
      for (let position = 0; position < limit; position++) expect(counted.get(position)).toBe(1);
      expect([...counted.values()].every((times) => times === 1)).toBe(true);
    });
  }

  it('L2: a returned lease is dealt before new examples', () => {
    const leases = new Leases(10, Number.POSITIVE_INFINITY);
    const first = leases.deal(1);
    leases.deal(2);
    leases.giveBackAll(1);
    expect(leases.deal(3)?.from).toBe(first?.from);
    expect(leases.deal(3)?.from).toBe(20);
  });

  it('P2, D1: another worker’s lease cannot be named', () => {
    const leases = new Leases(10, 100);
    const lease = leases.deal(1);
    expect(leases.find(lease?.id ?? 0, 2)).toBeNull();
    expect(leases.find(lease?.id ?? 0, 1)).toMatchObject({ from: 0, count: 10 });
  });
});
