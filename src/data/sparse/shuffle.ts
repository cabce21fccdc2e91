import { rng } from '../../core/math/rng.ts';
import { type SparseBatch, SparseBatchBuilder } from '../../core/sparse/batch.ts';

/**
 * Mixes a stream of examples: each goes to a random place of `size`, and what was there goes on. Memory is that of `size`
 * examples; an example moves back by `size` on average. The same seed and stream give the same order.
 */
export class ShuffleBuffer {
  private readonly places: SparseBatchBuilder[] = [];
  private readonly size: number;
  private readonly random;

  constructor(size: number, seed: number) {
    if (!Number.isInteger(size) || size < 1) throw new RangeError(`a shuffle buffer has 1 place or more, not ${size}`);
    this.size = size;
    this.random = rng(seed, 'shuffle');
  }

  /** Takes an example in; once all places are taken, an earlier one goes to the end of `out`. */
  offer(batch: SparseBatch, index: number, out: SparseBatchBuilder): void {
    let place: SparseBatchBuilder | undefined;
    if (this.places.length < this.size) {
      place = new SparseBatchBuilder(1, (batch.offsets[index + 1] as number) - (batch.offsets[index] as number));
      this.places.push(place);
    } else {
      place = this.places[this.random.below(this.size)] as SparseBatchBuilder;
      out.append(place, 0);
      place.clear();
    }
    place.append(batch, index);
  }

  /** Gives one of the examples that are left to `out`; false if there is none. */
  release(out: SparseBatchBuilder): boolean {
    const last = this.places.length - 1;
    if (last < 0) return false;
    const chosen = this.random.below(last + 1);
    out.append(this.places[chosen] as SparseBatchBuilder, 0);
    this.places[chosen] = this.places[last] as SparseBatchBuilder;
    this.places.length = last;
    return true;
  }
}
