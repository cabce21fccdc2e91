import type { PlacedKind, PlacedSpan } from '../../../observe/placed-steps.ts';
import { columnsOf, type GanttRow, type RowOwner, spanKinds } from './gantt-rows.ts';
import { type TimeView, ticksOf } from './gantt-view.ts';

/** Below the rows, for the moments. */
export const AXIS_PX = 24;
const BAR_SHARE = 0.7;
const TICK_PX = 96;

interface Drawing {
  readonly rows: readonly GanttRow[];
  readonly view: TimeView;
  /** In CSS pixels. */
  readonly width: number;
  readonly rowHeight: number;
  readonly selected: { readonly owner: RowOwner; readonly span: PlacedSpan } | null;
}

/** Draws a timeline in the colours of the moment, one device pixel for one column of time. */
export function drawGantt(canvas: HTMLCanvasElement, { rows, view, width, rowHeight, selected }: Drawing): void {
  const height = rows.length * rowHeight + AXIS_PX;
  const scale = devicePixelRatio;
  const wide = Math.max(1, Math.round(width * scale));
  const high = Math.max(1, Math.round(height * scale));
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const css = getComputedStyle(canvas);
  const colour = (name: string) => css.getPropertyValue(name).trim();
  const colours = spanKinds.map((kind) => colour(`--span-${kind satisfies PlacedKind}`));
  const x = (atMs: number) => ((atMs - view.fromMs) / (view.toMs - view.fromMs)) * wide;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, wide, high);

  const { stepMs, at: ticks } = ticksOf(view, Math.max(4, width / TICK_PX));
  const line = Math.max(1, Math.floor(scale));
  context.fillStyle = colour('--hairline');
  const floor = Math.round(rows.length * rowHeight * scale);
  for (const tick of ticks) context.fillRect(Math.round(x(tick)), 0, line, floor);
  context.fillRect(0, floor, wide, line);

  for (const [index, row] of rows.entries()) {
    const tall = Math.round(rowHeight * BAR_SHARE * scale);
    const top = Math.round((index + (1 - BAR_SHARE) / 2) * rowHeight * scale);
    for (const { from, to, shares } of columnsOf(row, view.fromMs, view.toMs, wide)) {
      let filled = 0;
      for (const [kind, share] of shares.entries()) {
        if (share === 0) continue;
        // The edges are rounded, not the heights, so that a full column is full.
        const below = Math.round(filled * tall);
        filled += share;
        const above = Math.max(below + (share > 0.02 ? 1 : 0), Math.round(filled * tall));
        context.fillStyle = colours[kind] ?? '';
        context.fillRect(from, top + tall - above, to - from, above - below);
      }
    }
    if (selected?.owner === row.owner) {
      const from = Math.round(x(selected.span.startMs));
      const to = Math.round(x(selected.span.startMs + selected.span.durationMs));
      context.strokeStyle = colour('--ink');
      context.lineWidth = 2 * line;
      context.strokeRect(from - line, top - 2 * line, Math.max(line, to - from) + 2 * line, tall + 4 * line);
    }
  }

  context.fillStyle = colour('--muted');
  context.font = `${Math.round(11 * scale)}px ${css.fontFamily}`;
  context.textBaseline = 'middle';
  for (const tick of ticks) {
    const words = tickWords(tick, stepMs);
    const room = context.measureText(words).width / 2;
    const place = Math.min(wide - room, Math.max(room, x(tick)));
    context.textAlign = 'center';
    context.fillText(words, place, floor + (AXIS_PX * scale) / 2);
  }
}

/** A moment with as many digits as marks that far apart need: 12.34 s. */
function tickWords(atMs: number, stepMs: number): string {
  const digits = Math.min(4, Math.max(0, -Math.floor(Math.log10(stepMs / 1000) + 1e-9)));
  return `${(atMs / 1000).toFixed(digits)}\u00a0s`;
}
