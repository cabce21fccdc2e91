import { mix32 } from '../../../core/sparse/mix.ts';
import { CATEGORY_FIELDS, NUMERIC_FIELDS, numericValue } from './criteo-fields.ts';
import type { ExampleParser } from './example-parser.ts';
import { malformed } from './splitter.ts';
import { numberAt, shownAt } from './text-number.ts';

const TAB = 9;
const COLUMNS = 1 + NUMERIC_FIELDS + CATEGORY_FIELDS;
const MAX_HEX_DIGITS = 8;

/**
 * Lines of the Criteo click logs: label, 13 whole numbers, 26 categories of up to 8 hexadecimal digits, with tabs between;
 * all but the label may be empty. Number i becomes key i with `numericValue`; an empty one has no entry. A category
 * becomes a key from 13 on by a hash of its column and itself; an empty one is a category of its own.
 */
export function criteoTsvParser(features: number): ExampleParser {
  const buckets = features - NUMERIC_FIELDS;
  if (!(buckets >= 1)) throw new RangeError(`Criteo lines need more than ${NUMERIC_FIELDS} features, got ${features}`);
  const keyOf = (field: number, category: number, salt: number) => {
    const hash = mix32(mix32(field * 2 + salt) + category) >>> 0;
    return NUMERIC_FIELDS + Math.floor((hash / 2 ** 32) * buckets);
  };
  return (bytes, start, end, into) => {
    let label = -1;
    let from = start;
    for (let column = 0; column < COLUMNS; column++) {
      let to = from;
      while (to < end && bytes[to] !== TAB) to++;
      if ((to === end) !== (column === COLUMNS - 1)) {
        const columns = bytes.subarray(start, end).reduce((count, byte) => count + (byte === TAB ? 1 : 0), 1);
        const hint = columns === COLUMNS - 1 ? ' (a test file without labels?)' : '';
        return malformed(`expected ${COLUMNS} columns with tabs between, got ${columns}${hint}`);
      }
      const field = column - 1 - NUMERIC_FIELDS;
      if (column === 0) {
        label = to - from === 1 ? (bytes[from] as number) - 48 : -1;
        if (label !== 0 && label !== 1) return malformed(`the label is ${shownAt(bytes, from, to)}, not 0 or 1`);
      } else if (field < 0) {
        const count = from === to ? 0 : numberAt(bytes, from, to);
        if (!Number.isSafeInteger(count)) {
          return malformed(`column ${column + 1} is ${shownAt(bytes, from, to)}, not a whole number`);
        }
        if (from !== to) into.add(column - 1, numericValue(count));
      } else if (from === to) into.add(keyOf(field, 0, 1), 1);
      else {
        const category = hexAt(bytes, from, to);
        if (category < 0) {
          const shown = shownAt(bytes, from, to);
          return malformed(`column ${column + 1} is ${shown}, not a category of up to 8 hexadecimal digits`);
        }
        into.add(keyOf(field, category, 0), 1);
      }
      from = to + 1;
    }
    into.end(label);
    return 'example';
  };
}

/** The hexadecimal number, or −1. */
function hexAt(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > MAX_HEX_DIGITS) return -1;
  let value = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    // Setting this bit makes capital letters small and leaves digits alone.
    const small = byte | 32;
    const digit = byte >= 48 && byte <= 57 ? byte - 48 : small >= 97 && small <= 102 ? small - 87 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}
