import type { ExampleParser } from './example-parser.ts';
import { labelOf } from './example-parser.ts';
import { malformed } from './splitter.ts';
import { numberAt, shownAt } from './text-number.ts';

const [TAB, SPACE, HASH, COLON] = [9, 32, 35, 58];
const isSpace = (byte: number | undefined) => byte === SPACE || byte === TAB;

/**
 * Lines of libsvm: `label index:value index:value … # comment`, labels 0/1 or −1/1, indices in any order. `firstIndex`
 * stands for the first feature: 1 as libsvm has it, or 0.
 */
export function libsvmParser(features: number, firstIndex: 0 | 1): ExampleParser {
  return (bytes, start, lineEnd, into) => {
    const comment = bytes.subarray(start, lineEnd).indexOf(HASH);
    const end = comment < 0 ? lineEnd : start + comment;
    let label: 0 | 1 | undefined;
    for (let from = start, word = 0; ; word++) {
      while (from < end && isSpace(bytes[from])) from++;
      if (from === end) break;
      let to = from;
      let colon = -1;
      for (; to < end && !isSpace(bytes[to]); to++) if (bytes[to] === COLON && colon < 0) colon = to;
      if (word === 0) {
        label = labelOf(numberAt(bytes, from, to));
        if (label === undefined) return malformed(`the label is ${shownAt(bytes, from, to)}, not 0, 1 or −1`);
      } else {
        if (colon < 0) return malformed(`${shownAt(bytes, from, to)} is not index:value`);
        const index = numberAt(bytes, from, colon);
        const value = Math.fround(numberAt(bytes, colon + 1, to));
        if (!Number.isInteger(index) || !Number.isFinite(value))
          return malformed(`${shownAt(bytes, from, to)} is not index:value`);
        if (index < firstIndex || index >= firstIndex + features) {
          const range = `${firstIndex} … ${firstIndex + features - 1}`;
          return malformed(`feature index ${index} is out of range: ${features} features have ${range}`);
        }
        into.add(index - firstIndex, value);
      }
      from = to;
    }
    if (label === undefined) return 'blank';
    into.end(label);
    return 'example';
  };
}
