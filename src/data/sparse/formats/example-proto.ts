import type { ExampleParser } from './example-parser.ts';
import { labelOf } from './example-parser.ts';
import { ProtoCursor, ProtoError } from './protobuf.ts';
import { type Malformed, malformed } from './splitter.ts';

/** Field numbers of Feature's lists. */
const KINDS = { 1: 'bytes', 2: 'float', 3: 'int64' } as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

/** Numbers that are collected again and again in the same array. */
class NumberList {
  kind: Kind | 'nothing' = 'nothing';
  count = 0;
  values = new Float64Array(64);

  clear(): void {
    this.kind = 'nothing';
    this.count = 0;
  }

  add(value: number): void {
    if (this.count === this.values.length) {
      const larger = new Float64Array(this.count * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count++] = value;
  }
}

/**
 * tf.Example messages with `index` (int64 list, from 0), `value` (float list, as long) and `label` (one int64 or float:
 * 0/1 or −1/1), packed or not; other features are passed over.
 */
export function exampleProtoParser(features: number): ExampleParser {
  const [index, value, label] = [new NumberList(), new NumberList(), new NumberList()];
  const lists = new Map(Object.entries({ index, value, label }));

  const check = (): Malformed | 0 | 1 => {
    if (index.kind !== 'int64') return malformed(`“index” must be a list of int64, it is ${index.kind}`);
    if (value.kind !== 'float') return malformed(`“value” must be a list of float, it is ${value.kind}`);
    if (value.count !== index.count) {
      return malformed(`“index” has ${index.count} numbers and “value” ${value.count}`);
    }
    for (let i = 0; i < index.count; i++) {
      const key = index.values[i] as number;
      if (!(key >= 0 && key < features)) {
        return malformed(`feature index ${key} is out of range: ${features} features have 0 … ${features - 1}`);
      }
      if (!Number.isFinite(value.values[i])) return malformed(`the value of feature ${key} is ${value.values[i]}`);
    }
    if (label.count !== 1) return malformed(`“label” must be one number, it has ${label.count}`);
    const found = label.values[0] as number;
    return labelOf(found) ?? malformed(`the label is ${found}, not 0, 1 or −1`);
  };

  return (bytes, start, end, into) => {
    for (const list of lists.values()) list.clear();
    try {
      readExample(new ProtoCursor(bytes, start, end), lists);
    } catch (error) {
      if (error instanceof ProtoError) return malformed(`it is not a tf.Example: ${error.message}`);
      throw error;
    }
    const checked = check();
    if (typeof checked === 'object') return checked;
    for (let i = 0; i < index.count; i++) into.add(index.values[i] as number, value.values[i] as number);
    into.end(checked);
    return 'example';
  };
}

/** Example.features = 1, Features.feature = 1 (a map: key = 1, value = 2). */
function readExample(example: ProtoCursor, lists: ReadonlyMap<string, NumberList>): void {
  for (const features of messagesAt(example, 1)) {
    for (const entry of messagesAt(features, 1)) {
      let name = '';
      let feature: ProtoCursor | undefined;
      while (entry.next()) {
        if (entry.wire === 2 && entry.field === 1) name = entry.message().text();
        else if (entry.wire === 2 && entry.field === 2) feature = entry.message();
        else entry.skip();
      }
      const list = lists.get(name);
      if (list !== undefined && feature !== undefined) readFeature(feature, list);
    }
  }
}

function* messagesAt(cursor: ProtoCursor, field: number): Generator<ProtoCursor, void> {
  while (cursor.next()) {
    if (cursor.field === field && cursor.wire === 2) yield cursor.message();
    else cursor.skip();
  }
}

/** Of a name that comes twice the last counts, as for every protobuf map. */
function readFeature(feature: ProtoCursor, list: NumberList): void {
  list.clear();
  while (feature.next()) {
    const kind = KINDS[feature.field as keyof typeof KINDS];
    if (kind === undefined || feature.wire !== 2) {
      feature.skip();
      continue;
    }
    list.kind = kind;
    if (kind === 'bytes') feature.skip();
    else readList(feature.message(), kind, list);
  }
}

function readList(cursor: ProtoCursor, kind: 'float' | 'int64', list: NumberList): void {
  const plainWire = kind === 'float' ? 5 : 0;
  const read = (from: ProtoCursor) => list.add(kind === 'float' ? from.float() : from.int64());
  while (cursor.next()) {
    if (cursor.field === 1 && cursor.wire === plainWire) read(cursor);
    else if (cursor.field === 1 && cursor.wire === 2)
      for (const packed = cursor.message(); packed.at < packed.end; ) read(packed);
    else cursor.skip();
  }
}
