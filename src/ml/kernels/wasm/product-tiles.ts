import {
  add,
  type Code,
  call,
  divide,
  type Func,
  get,
  getGlobal,
  int,
  isAtLeast,
  isMore,
  isSame,
  load4,
  loadToAll,
  max4,
  mul,
  multiplyAdd4,
  repeatWhile,
  set,
  store4,
  storeLane,
  sub,
  when,
  zeros,
} from './assembler.ts';

/** Rows per tile: with 2 vectors of columns, 12 sums, 2 of b and 1 of a fill 15 of x86's 16 vector registers. */
export const ROWS = 6;
const COLS = 8;

// Globals: what stays the same for all tiles of a product.
const [A_ROW, A_K, B_K, C_ROW, K, K1, A1, B1, K2, A2, B2, BIAS, RELU, ADDED] = Array.from(
  { length: 14 },
  (_, i) => i,
) as [number, number, number, number, number, number, number, number, number, number, number, number, number, number];
/** How many there are, in the order of `Product`'s parts that do not move. */
export const GLOBALS = 14;

/** Parameters of a tile: addresses of its corner in a, b and c, of its bias or 0, and how many columns it has. */
const [PA, PB, PC, PBIAS, COUNT] = [0, 1, 2, 3, 4] as const;
const TILE_PARAMS = 5;
/** Integer locals of a tile. */
const [I, I1, I2, QA, QB, RA, RB] = [5, 6, 7, 8, 9, 10, 11] as const;
const TILE_INTS = 7 + ROWS;
const rowPointer = (row: number) => 12 + row;
const FIRST_VECTOR = TILE_PARAMS + TILE_INTS;

/** Computes `rows` × up to 4 · `vectors` numbers of c with all sums in registers. */
export function tile(rows: number, vectors: number, isKContiguous: boolean, isRelaxed: boolean): Func {
  const sum = (row: number, vector: number) => FIRST_VECTOR + row * vectors + vector;
  const bVector = (vector: number) => FIRST_VECTOR + rows * vectors + vector;
  const aVector = FIRST_VECTOR + (rows + 1) * vectors;
  const each = (count: number, code: (index: number) => Code): Code =>
    Array.from({ length: count }, (_, index) => code(index)).flat();

  const fresh = each(vectors, (vector) =>
    when(
      get(PBIAS),
      each(rows, (row) => set(sum(row, vector), row === 0 ? load4(get(PBIAS), 16 * vector) : get(sum(0, vector)))),
      each(rows, (row) => set(sum(row, vector), zeros)),
    ),
  );
  const added = each(rows, (row) => [
    ...set(QA, row === 0 ? get(PC) : add(get(QA), getGlobal(C_ROW))),
    ...each(vectors, (vector) => set(sum(row, vector), load4(get(QA), 16 * vector))),
  ]);
  const start = when(getGlobal(ADDED), added, fresh);
  /** One k: rows of a from their pointers (contiguous k) or from one pointer (contiguous rows). */
  const turn = (aOffset: number): Code => [
    ...each(vectors, (vector) => set(bVector(vector), load4(get(RB), 16 * vector))),
    ...set(RB, add(get(RB), getGlobal(B_K))),
    ...each(rows, (row) => [
      ...set(aVector, isKContiguous ? loadToAll(get(rowPointer(row)), aOffset) : loadToAll(get(RA), 4 * row)),
      ...each(vectors, (vector) =>
        set(sum(row, vector), multiplyAdd4(get(aVector), get(bVector(vector)), get(sum(row, vector)), isRelaxed)),
      ),
    ]),
  ];
  const advance = (bytes: number) => each(rows, (row) => set(rowPointer(row), add(get(rowPointer(row)), int(bytes))));
  const UNROLL = 4;
  const innermost: Code = isKContiguous
    ? [
        ...each(rows, (row) =>
          set(rowPointer(row), row === 0 ? get(QA) : add(get(rowPointer(row - 1)), getGlobal(A_ROW))),
        ),
        ...set(I, getGlobal(K)),
        ...when(
          isAtLeast(get(I), int(UNROLL)),
          repeatWhile(
            [...each(UNROLL, (i) => turn(4 * i)), ...advance(4 * UNROLL), ...set(I, sub(get(I), int(UNROLL)))],
            isAtLeast(get(I), int(UNROLL)),
          ),
        ),
        ...when(get(I), repeatWhile([...turn(0), ...advance(4), ...set(I, sub(get(I), int(1)))], get(I))),
      ]
    : [
        ...set(RA, get(QA)),
        ...set(I, getGlobal(K)),
        ...repeatWhile([...turn(0), ...set(RA, add(get(RA), getGlobal(A_K))), ...set(I, sub(get(I), int(1)))], get(I)),
      ];
  const sums: Code = [
    ...set(I2, getGlobal(K2)),
    ...repeatWhile(
      [
        ...set(QA, get(PA)),
        ...set(QB, get(PB)),
        ...set(I1, getGlobal(K1)),
        ...repeatWhile(
          [
            ...set(RB, get(QB)),
            ...innermost,
            ...set(QA, add(get(QA), getGlobal(A1))),
            ...set(QB, add(get(QB), getGlobal(B1))),
            ...set(I1, sub(get(I1), int(1))),
          ],
          get(I1),
        ),
        ...set(PA, add(get(PA), getGlobal(A2))),
        ...set(PB, add(get(PB), getGlobal(B2))),
        ...set(I2, sub(get(I2), int(1))),
      ],
      get(I2),
    ),
  ];
  const relu = when(
    getGlobal(RELU),
    each(rows * vectors, (i) => set(FIRST_VECTOR + i, max4(get(FIRST_VECTOR + i), zeros))),
  );
  const store = each(rows, (row) => [
    ...each(vectors, (vector) =>
      when(
        isAtLeast(get(COUNT), int(4 * (vector + 1))),
        store4(get(PC), get(sum(row, vector)), 16 * vector),
        each(3, (lane) =>
          when(
            isMore(get(COUNT), int(4 * vector + lane)),
            storeLane(get(PC), get(sum(row, vector)), lane, 16 * vector + 4 * lane),
          ),
        ),
      ),
    ),
    ...set(PC, add(get(PC), getGlobal(C_ROW))),
  ]);
  return {
    params: TILE_PARAMS,
    ints: TILE_INTS,
    vectors: (rows + 1) * vectors + 1,
    body: [...start, ...sums, ...relu, ...store],
    name: null,
  };
}

/** Cuts a product into tiles of nearly equal heights. `firstTile` is the function of 1 row, 1 vector. */
export function driver(name: string, firstTile: number): Func {
  const [a, b, c, rows, cols, images, aImage, cImage] = [0, 1, 2, 3, 4, 5, 6, 7];
  const [blocks, left, height, pa, pc, pb, q, count, bias] = [8, 9, 10, 11, 12, 13, 14, 15, 16];
  const byHeight = (vectors: number): Code =>
    Array.from({ length: ROWS }, (_, i) =>
      when(
        isSame(get(height), int(i + 1)),
        call(firstTile + i * 2 + vectors - 1, get(pa), get(pb), get(q), get(bias), get(count)),
      ),
    ).flat();
  const columns = repeatWhile(
    [
      ...when(isMore(get(count), int(4)), byHeight(2), byHeight(1)),
      ...set(pb, add(get(pb), int(4 * COLS))),
      ...set(q, add(get(q), int(4 * COLS))),
      ...when(get(bias), set(bias, add(get(bias), int(4 * COLS)))),
      ...set(count, sub(get(count), int(COLS))),
    ],
    isMore(get(count), int(0)),
  );
  const tilesDown = repeatWhile(
    [
      ...set(height, divide(add(get(left), sub(get(blocks), int(1))), get(blocks))),
      ...set(pb, get(b)),
      ...set(q, get(pc)),
      ...set(count, get(cols)),
      ...set(bias, getGlobal(BIAS)),
      ...columns,
      ...set(pa, add(get(pa), mul(get(height), getGlobal(A_ROW)))),
      ...set(pc, add(get(pc), mul(get(height), getGlobal(C_ROW)))),
      ...set(left, sub(get(left), get(height))),
      ...set(blocks, sub(get(blocks), int(1))),
    ],
    get(blocks),
  );
  const body = repeatWhile(
    [
      ...set(left, get(rows)),
      ...set(blocks, divide(add(get(rows), int(ROWS - 1)), int(ROWS))),
      ...set(pa, get(a)),
      ...set(pc, get(c)),
      ...tilesDown,
      ...set(a, add(get(a), get(aImage))),
      ...set(c, add(get(c), get(cImage))),
      ...set(images, sub(get(images), int(1))),
    ],
    get(images),
  );
  return { params: 8, ints: 9, vectors: 0, body, name };
}
