import type { Heap, WasmBackend } from './heap.ts';
import { heapOf } from './heap.ts';

/** Images in memory: [count, height, width, channels] of float32 at a byte address. */
export interface Images {
  readonly address: number;
  readonly count: number;
  readonly height: number;
  readonly width: number;
  readonly channels: number;
}

/** How a window moves over images. Rows and columns outside are zeros. */
export interface Window {
  readonly height: number;
  readonly width: number;
  readonly strideY: number;
  readonly strideX: number;
  readonly dilationY: number;
  readonly dilationX: number;
  readonly top: number;
  readonly left: number;
}

/** Filters larger than this are cut into panels of 8 columns, so that what is used again stays in the cache. */
const PANEL_FROM_BYTES = 32 << 10;
/** Filter gradients sum over as many images at a time as this holds. */
const GROUP_BYTES = 1 << 20;

/**
 * Makes rows as wide as a window needs that ends in column `outWidth`: zeros left and right, and between pixels and
 * rows `gapX`, `gapY` zeros. Gives the images themselves if they already are.
 */
export function widened(
  backend: WasmBackend,
  images: Images,
  window: Window,
  outWidth: number,
  gapY = 0,
  gapX = 0,
): Images {
  const { count, height, width, channels, address } = images;
  const needed = (outWidth - 1) * window.strideX + (window.width - 1) * window.dilationX + 1;
  if (window.left === 0 && needed <= width && gapX === 0 && gapY === 0) return images;
  const tall = (height - 1) * (gapY + 1) + 1;
  const size = count * tall * needed * channels;
  // 16 bytes more: products read up to three numbers beyond.
  const to = heapOf(backend).scratch('source', 4 * size + 16);
  const heap = backend.wasm.HEAPF32;
  const start = to >>> 2;
  heap.fill(0, start, start + size);
  const from = address >>> 2;
  // A window that starts inside has a negative `left`.
  const skipped = Math.max(0, -window.left);
  const shown = Math.min(width, needed - window.left) - skipped;
  for (let row = 0; row < count * height; row++) {
    const image = Math.floor(row / height);
    const target = start + ((image * tall + (row - image * height) * (gapY + 1)) * needed + window.left) * channels;
    const source = from + row * width * channels;
    if (gapX === 0) {
      const first = skipped * channels;
      heap.copyWithin(target + first, source + first, source + first + Math.max(0, shown) * channels);
    } else {
      for (let x = 0; x < width; x++) {
        const at = x * (gapX + 1);
        if (at + window.left < 0 || at + window.left >= needed) continue;
        heap.copyWithin(target + at * channels, source + x * channels, source + (x + 1) * channels);
      }
    }
  }
  return { address: to, count, height: tall, width: needed, channels };
}

/** The rows of the window that lie inside the images when it is at row `y` of the output. */
function rowsInside(window: Window, height: number, y: number): { first: number; count: number } {
  const top = y * window.strideY - window.top;
  const first = Math.max(0, Math.ceil(-top / window.dilationY));
  const last = Math.min(window.height - 1, Math.floor((height - 1 - top) / window.dilationY));
  return { first, count: last - first + 1 };
}

/** out[n, y, x, f] = bias[f] + Σ images[n, y · strideY − top + i · dilationY, …, c] · filter[i, j, c, f], then relu. */
export function correlate(
  backend: WasmBackend,
  images: Images,
  window: Window,
  filter: number,
  out: Images,
  bias = 0,
  isRelu = false,
): void {
  const { tiles, scratch } = heapOf(backend);
  const { width, height, channels } = images;
  const isDense = window.dilationX === 1;
  const depth = window.height * window.width * channels;
  const isCut = 4 * depth * out.channels > PANEL_FROM_BYTES;
  const step = isCut ? 8 : out.channels;
  const panel = isCut ? scratch('panel', 32 * depth) : 0;
  const rowBytes = 4 * width * channels;
  for (let col = 0; col < out.channels; col += step) {
    if (isCut) tiles.pack(filter + 4 * col, panel, 4 * out.channels, depth);
    const b = isCut ? panel : filter;
    const bK = isCut ? 32 : 4 * out.channels;
    const cols = Math.min(step, out.channels - col);
    const across = { count: window.width, a: 4 * channels * window.dilationX, b: channels * bK };
    for (let y = 0; y < out.height; y++) {
      const inside = rowsInside(window, height, y);
      const top = y * window.strideY - window.top + inside.first * window.dilationY;
      const down = { count: inside.count, a: window.dilationY * rowBytes, b: window.width * channels * bK };
      const c = out.address + 4 * (y * out.width * out.channels + col);
      const place = {
        c,
        cRow: 4 * out.channels,
        rows: out.width,
        cols,
        images: { count: out.count, a: height * rowBytes, c: 4 * out.height * out.width * out.channels },
        bias: bias === 0 ? 0 : bias + 4 * col,
        isRelu,
      };
      // The window is wholly above or below the images.
      if (inside.count < 1) {
        blankRow(backend, place, out);
        continue;
      }
      tiles.multiply({
        ...place,
        a: images.address + top * rowBytes,
        aRow: 4 * channels * window.strideX,
        aK: 4,
        b: b + inside.first * window.width * channels * bK,
        bK,
        k: isDense ? window.width * channels : channels,
        k1: isDense ? down : across,
        ...(isDense ? {} : { k2: down }),
      });
    }
  }
}

/** Where a row goes, and what is added to it. */
interface OutputRow {
  readonly c: number;
  readonly cols: number;
  readonly bias: number;
  readonly isRelu: boolean;
}

function blankRow(backend: WasmBackend, { c, cols, bias, isRelu }: OutputRow, out: Images): void {
  const heap = backend.wasm.HEAPF32;
  for (let image = 0; image < out.count; image++) {
    for (let x = 0; x < out.width; x++) {
      const at = (c >>> 2) + (image * out.height * out.width + x) * out.channels;
      for (let i = 0; i < cols; i++) {
        const value = bias === 0 ? 0 : (heap[(bias >>> 2) + i] as number);
        heap[at + i] = isRelu ? Math.max(0, value) : value;
      }
    }
  }
}

/** The gradient of the filter [height, width, channels, dy.channels] that gave `dy` from these widened images. */
export function filterGradient(
  { tiles }: Heap,
  heap: Float32Array,
  images: Images,
  window: Window,
  dy: Images,
  out: number,
): void {
  const { channels, width, height } = images;
  const rowBytes = 4 * width * channels;
  const imageBytes = height * rowBytes;
  const dyBytes = 4 * dy.height * dy.width * dy.channels;
  const group = Math.max(1, Math.floor(GROUP_BYTES / (imageBytes + dyBytes)));
  const isDense = window.dilationX === 1;
  const rows = isDense ? window.width * channels : channels;
  heap.fill(0, out >>> 2, (out >>> 2) + window.height * window.width * channels * dy.channels);
  for (let from = 0; from < images.count; from += group) {
    const count = Math.min(group, images.count - from);
    for (let i = 0; i < window.height; i++) {
      const top = i * window.dilationY - window.top;
      const firstY = Math.max(0, Math.ceil(-top / window.strideY));
      const lastY = Math.min(dy.height - 1, Math.floor((height - 1 - top) / window.strideY));
      for (let j = 0; j < (isDense ? 1 : window.width); j++) {
        tiles.multiply({
          a:
            images.address +
            from * imageBytes +
            (firstY * window.strideY + top) * rowBytes +
            4 * j * window.dilationX * channels,
          aRow: 4,
          aK: 4 * channels * window.strideX,
          b: dy.address + from * dyBytes + 4 * firstY * dy.width * dy.channels,
          bK: 4 * dy.channels,
          c: out + 4 * (i * window.width + j) * channels * dy.channels,
          cRow: 4 * dy.channels,
          rows,
          cols: dy.channels,
          k: dy.width,
          k1: { count: lastY - firstY + 1, a: window.strideY * rowBytes, b: 4 * dy.width * dy.channels },
          k2: { count, a: imageBytes, b: dyBytes },
          isAdded: true,
        });
      }
    }
  }
}
