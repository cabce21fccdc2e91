import {
  add,
  add4,
  type Code,
  divide4,
  type Func,
  get,
  int,
  load4,
  loadToAll,
  mul,
  mul4,
  repeatWhile,
  set,
  sqrt4,
  store4,
  sub,
  sub4,
} from './assembler.ts';

/**
 * Local response normalisation with β = ¾ of pixels whose channels are a multiple of four. Addresses in bytes.
 * `squares` and `terms` each have room for channels + 2 · radius numbers, with zeros at both ends; `constants` are α,
 * the bias and 2αβ. `y` and `dy` are for the gradient only.
 */
export interface Neighbours {
  readonly x: number;
  readonly y: number;
  readonly dy: number;
  readonly out: number;
  readonly squares: number;
  readonly terms: number;
  readonly constants: number;
  readonly pixels: number;
  readonly channels: number;
  readonly radius: number;
}

const [x, y, dy, out, squares, terms, constants, pixels, channels, radius] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const [offset, left, at, tap, end] = [10, 11, 12, 13, 14];
const [sum, norm] = [15, 16];

const place = (pointer: number): Code => add(get(pointer), get(offset));
/** Where four channels lie in a buffer: behind `radius` zeros. */
const inside = (buffer: number): Code => add(place(buffer), get(left));

/** Runs the body for each four channels of a pixel, with their byte offset in `offset`. */
const eachFour = (body: Code): Code => [
  ...set(offset, int(0)),
  ...repeatWhile([...body, ...set(offset, add(get(offset), int(16)))], sub(get(end), get(offset))),
];

/** Leaves in `sum` the sum of what the buffer has around each of four channels. */
const sumAround = (buffer: number): Code => [
  ...set(at, place(buffer)),
  ...set(sum, load4(get(at))),
  ...set(tap, mul(get(radius), int(2))),
  ...repeatWhile(
    [...set(at, add(get(at), int(4))), ...set(sum, add4(get(sum), load4(get(at)))), ...set(tap, sub(get(tap), int(1)))],
    get(tap),
  ),
];

const square = eachFour(store4(inside(squares), mul4(load4(place(x)), load4(place(x)))));
const normalise: Code = [
  ...sumAround(squares),
  ...set(norm, add4(loadToAll(get(constants), 4), mul4(loadToAll(get(constants)), get(sum)))),
];
/** norm^¾ */
const power = mul4(sqrt4(get(norm)), sqrt4(sqrt4(get(norm))));

const forward = [...square, ...eachFour([...normalise, ...store4(place(out), divide4(load4(place(x)), power))])];
/** dx = dy / norm^¾ − 2αβ · x · Σ dy · y / norm */
const backward = [
  ...square,
  ...eachFour([
    ...normalise,
    ...store4(place(out), divide4(load4(place(dy)), power)),
    ...store4(inside(terms), divide4(mul4(load4(place(dy)), load4(place(y))), get(norm))),
  ]),
  ...eachFour([
    ...sumAround(terms),
    ...store4(place(out), sub4(load4(place(out)), mul4(mul4(loadToAll(get(constants), 8), load4(place(x))), get(sum)))),
  ]),
];

const overPixels = (name: string, body: Code): Func => ({
  params: 10,
  ints: 5,
  vectors: 2,
  name,
  body: [
    ...set(left, mul(get(radius), int(4))),
    ...set(end, mul(get(channels), int(4))),
    ...repeatWhile(
      [
        ...body,
        ...[x, y, dy, out].flatMap((pointer) => set(pointer, add(get(pointer), get(end)))),
        ...set(pixels, sub(get(pixels), int(1))),
      ],
      get(pixels),
    ),
  ],
});

export const normaliseForward = overPixels('normaliseForward', forward);
export const normaliseBackward = overPixels('normaliseBackward', backward);
