import { DataError } from '../data-error.ts';
import type { Malformed, Splitter } from './formats/splitter.ts';

/** So many are told in full. */
const SHOWN = 5;

/** Counts what could not be read, by name, and ends the reading when there is too much of it. */
export class MalformedTally {
  count = 0;
  /** The first few, e.g. `line 12: the label is “2”, not 0 or 1`. */
  readonly first: string[] = [];
  private readonly name: string;
  private readonly limit: number;

  constructor(name: string, limit: number) {
    this.name = name;
    this.limit = limit;
  }

  /** Throws a DataError if the limit is passed or nothing can be read after this. */
  note({ why, isFatal }: Malformed, { unit, number }: Splitter): void {
    this.count++;
    const words = `${unit} ${number}: ${why}`;
    if (this.first.length < SHOWN) this.first.push(words);
    if (isFatal) throw new DataError(`${this.name}, ${words}`);
    if (this.count <= this.limit) return;
    const allowed = this.limit === 0 ? 'none is allowed' : `${this.limit} are allowed`;
    throw new DataError(
      `${this.name}: ${this.count} malformed ${unit}${this.count === 1 ? '' : 's'} by ${unit} ${number}, ${allowed}.\n` +
        `${this.first.join('\n')}\nCheck that the format and the number of features are right, or raise the limit.`,
    );
  }
}
