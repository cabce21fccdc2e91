import { type Func, get, moduleOf, setGlobal } from './assembler.ts';
import { type Neighbours, normaliseBackward, normaliseForward } from './neighbours.ts';
import { driver, GLOBALS, ROWS, tile } from './product-tiles.ts';
import { mask, pack } from './rows.ts';
import { giveToLargest, type MaxWindow } from './window-max.ts';

/**
 * The one product that dense layers and convolutions, forward and backward, are made of:
 *
 *   c[image][row][col] = bias[col] + Σ over k2, k1, k of  a(image, row, k, k1, k2) · b(k, k1, k2)[col]
 *
 * Steps and addresses are in bytes. Columns are contiguous in b and c. In a, either k or rows are contiguous.
 * Up to three numbers beyond a row of b are read, never used.
 */
export interface Product {
  readonly a: number;
  /** Between rows of a; 4 if rows are contiguous. */
  readonly aRow: number;
  /** Between steps of k in a; 4 if those are contiguous, and then `aRow` may be anything. */
  readonly aK: number;
  readonly b: number;
  readonly bK: number;
  readonly c: number;
  readonly cRow: number;
  readonly rows: number;
  readonly cols: number;
  readonly k: number;
  readonly k1?: { readonly count: number; readonly a: number; readonly b: number };
  readonly k2?: { readonly count: number; readonly a: number; readonly b: number };
  readonly images?: { readonly count: number; readonly a: number; readonly c: number };
  /** Address of one number per column; 0 for none. */
  readonly bias?: number;
  readonly isRelu?: boolean;
  /** Adds to what is in c instead of starting from the bias. */
  readonly isAdded?: boolean;
}

function tilesModule(isRelaxed: boolean): Uint8Array<ArrayBuffer> {
  const tiles = [true, false].flatMap((isKContiguous) =>
    Array.from({ length: ROWS }, (_, i) =>
      [1, 2].map((vectors) => tile(i + 1, vectors, isKContiguous, isRelaxed)),
    ).flat(),
  );
  const globals: Func = {
    params: GLOBALS,
    ints: 0,
    vectors: 0,
    name: 'common',
    body: Array.from({ length: GLOBALS }, (_, i) => setGlobal(i, get(i))).flat(),
  };
  return moduleOf(
    [
      ...tiles,
      driver('byK', 0),
      driver('byRow', 2 * ROWS),
      globals,
      pack,
      mask,
      giveToLargest,
      normaliseForward,
      normaliseBackward,
    ],
    GLOBALS,
  );
}

/** Runs products over one WebAssembly memory. */
export interface Tiles {
  multiply(product: Product): void;
  /** Copies rows of 8 numbers (32 bytes), `stepBytes` apart, to lie one after another. */
  pack(from: number, to: number, stepBytes: number, rows: number): void;
  /** out = y > 0 ? dy : 0, for as many numbers. */
  mask(y: number, dy: number, out: number, count: number): void;
  /** Gives a max pool window's gradient to its largest pixel. The window must not be empty. */
  giveToLargest(window: MaxWindow): void;
  /** Local response normalisation, or its gradient. At least one pixel, a radius of at least 1. */
  normalise(neighbours: Neighbours, isGradient: boolean): void;
}

type Exports = Record<
  'byK' | 'byRow' | 'common' | 'pack' | 'mask' | 'giveToLargest' | 'normaliseForward' | 'normaliseBackward',
  (...args: number[]) => void
>;
const none = { count: 1, a: 0, b: 0, c: 0 };

/** Compiles the product for this memory, with fused multiply-add where the browser has it. */
export async function compileTiles(memory: WebAssembly.Memory): Promise<Tiles> {
  const relaxed = tilesModule(true);
  const code = WebAssembly.validate(relaxed) ? relaxed : tilesModule(false);
  const { instance } = await WebAssembly.instantiate(code, { env: { memory } });
  const run = instance.exports as Exports;
  return {
    multiply({ k1 = none, k2 = none, images = none, ...given }) {
      const { a, aRow, aK, b, bK, c, cRow, rows, cols, k, bias = 0, isRelu = false, isAdded = false } = given;
      if (Math.min(rows, cols, k, k1.count, k2.count, images.count) < 1) return;
      const [relu, added] = [isRelu ? 1 : 0, isAdded ? 1 : 0];
      run.common(aRow, aK, bK, cRow, k, k1.count, k1.a, k1.b, k2.count, k2.a, k2.b, bias, relu, added);
      (aK === 4 ? run.byK : run.byRow)(a, b, c, rows, cols, images.count, images.a, images.c);
    },
    pack: (from, to, stepBytes, rows) => run.pack(from, to, stepBytes, rows),
    mask: (y, dy, out, count) => run.mask(y, dy, out, count),
    normalise({ x, y, dy, out, squares, terms, constants, pixels, channels, radius }, isGradient) {
      const normalise = isGradient ? run.normaliseBackward : run.normaliseForward;
      normalise(x, y, dy, out, squares, terms, constants, pixels, channels, radius);
    },
    giveToLargest({ x, dx, y, dy, rows, cols, rowBytes, channels }) {
      run.giveToLargest(x, dx, y, dy, rows, cols, rowBytes, channels);
    },
  };
}
