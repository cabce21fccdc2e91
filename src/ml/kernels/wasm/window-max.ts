import {
  add,
  add4,
  and4,
  andNot4,
  type Code,
  type Func,
  get,
  int,
  isAtLeast,
  isSame4,
  load4,
  loadOne,
  mul,
  repeatWhile,
  set,
  store4,
  storeLane,
  sub,
  when,
} from './assembler.ts';

/** A window of a max pool, by byte addresses: its corner in x and dx, its result's place in y and dy. */
export interface MaxWindow {
  readonly x: number;
  readonly dx: number;
  readonly y: number;
  readonly dy: number;
  readonly rows: number;
  readonly cols: number;
  readonly rowBytes: number;
  readonly channels: number;
}

/** Adds dy to dx at the first pixel of the window whose x is y, channel by channel: four at a time, then one. */
export const giveToLargest: Func = (() => {
  const [x, dx, y, dy, rows, cols, rowBytes, channels] = [0, 1, 2, 3, 4, 5, 6, 7];
  const [row, col, offset, pixelBytes, rowStart] = [8, 9, 10, 11, 12];
  const [largest, left, found] = [13, 14, 15];
  /** `left` holds what no pixel has got yet. */
  const walk = (load: (address: Code) => Code, store: (address: Code, value: Code) => Code): Code => {
    const [from, to] = [add(get(x), get(offset)), add(get(dx), get(offset))];
    const pixel = [
      ...set(found, isSame4(load(from), get(largest))),
      ...store(to, add4(load(to), and4(get(left), get(found)))),
      ...set(left, andNot4(get(left), get(found))),
      ...set(offset, add(get(offset), get(pixelBytes))),
      ...set(col, sub(get(col), int(1))),
    ];
    return [
      ...set(largest, load(get(y))),
      ...set(left, load(get(dy))),
      ...set(row, get(rows)),
      ...set(rowStart, int(0)),
      ...repeatWhile(
        [
          ...set(offset, get(rowStart)),
          ...set(col, get(cols)),
          ...repeatWhile(pixel, get(col)),
          ...set(rowStart, add(get(rowStart), get(rowBytes))),
          ...set(row, sub(get(row), int(1))),
        ],
        get(row),
      ),
    ];
  };
  const forward = (count: number): Code => [
    ...[x, dx, y, dy].flatMap((pointer) => set(pointer, add(get(pointer), int(4 * count)))),
    ...set(channels, sub(get(channels), int(count))),
  ];
  const four = [
    ...walk(
      (address) => load4(address),
      (address, value) => store4(address, value),
    ),
    ...forward(4),
  ];
  const one = [...walk(loadOne, (address, value) => storeLane(address, value, 0, 0)), ...forward(1)];
  return {
    params: 8,
    ints: 5,
    vectors: 3,
    name: 'giveToLargest',
    body: [
      ...set(pixelBytes, mul(get(channels), int(4))),
      ...when(isAtLeast(get(channels), int(4)), repeatWhile(four, isAtLeast(get(channels), int(4)))),
      ...when(get(channels), repeatWhile(one, get(channels))),
    ],
  };
})();
