import {
  add,
  and4,
  type Func,
  get,
  int,
  isAtLeast,
  isMore,
  isMore4,
  load4,
  repeatWhile,
  set,
  store4,
  storeLane,
  sub,
  when,
  zeros,
} from './assembler.ts';

/** Copies `rows` rows of 8 numbers, `step` bytes apart, one after another. */
export const pack: Func = {
  params: 4,
  ints: 0,
  vectors: 0,
  name: 'pack',
  body: repeatWhile(
    [
      ...store4(get(1), load4(get(0))),
      ...store4(get(1), load4(get(0), 16), 16),
      ...set(0, add(get(0), get(2))),
      ...set(1, add(get(1), int(32))),
      ...set(3, sub(get(3), int(1))),
    ],
    get(3),
  ),
};

/** out = y > 0 ? dy : 0 for `count` numbers. Whole vectors, then what is left lane by lane. */
export const mask: Func = {
  params: 4,
  ints: 0,
  vectors: 1,
  name: 'mask',
  body: repeatWhile(
    [
      ...set(4, and4(isMore4(load4(get(0)), zeros), load4(get(1)))),
      ...when(
        isAtLeast(get(3), int(4)),
        store4(get(2), get(4)),
        [0, 1, 2].flatMap((lane) => when(isMore(get(3), int(lane)), storeLane(get(2), get(4), lane, 4 * lane))),
      ),
      ...[0, 1, 2].flatMap((local) => set(local, add(get(local), int(16)))),
      ...set(3, sub(get(3), int(4))),
    ],
    isMore(get(3), int(0)),
  ),
};
