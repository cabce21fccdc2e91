import { hostSpanKinds, type PlacedKind, type PlacedSpan, workerSpanKinds } from '../../../observe/placed-steps.ts';
import type { Timeline } from '../../../observe/step-trace.ts';

const work = ['compute', 'read', 'decode', 'encode', 'send', 'transfer'] as const;
/** All kinds of spans, in the order in which a column of several of them is stacked from below. */
export const spanKinds: readonly PlacedKind[] = [...work, ...hostSpanKinds, 'wait', 'pause'];

const words: Partial<Record<PlacedKind, string>> = { read: 'read back', evaluation: 'evaluate', checkpoint: 'save' };
/** What a kind is called. */
export const spanWords = (kind: PlacedKind): string => words[kind] ?? kind;

/** A line of the timeline: a worker; the server's own thread; or what the host does beside it, at the same time. */
export type RowOwner = number | 'server' | 'beside';

/** A line of the timeline and what is on it, in the order of starts. */
export interface GanttRow {
  readonly owner: RowOwner;
  readonly spans: readonly PlacedSpan[];
}

const besideKinds: readonly PlacedKind[] = ['evaluation', 'checkpoint'];
const ownerOf = ({ node, kind }: PlacedSpan): RowOwner =>
  node !== 'host' ? node : besideKinds.includes(kind) ? 'beside' : 'server';

/** Whose lines a timeline has: the host first, then the workers by number. */
export function ownersOf({ steps, spans }: Timeline): readonly RowOwner[] {
  const workers = [...new Set(steps.map(({ worker }) => worker))].sort((a, b) => a - b);
  return ['server', ...(spans.length > 0 ? (['beside'] as const) : []), ...workers];
}

/** Spans by line, a line for each owner whether or not there is anything on it. */
export function ganttRows(placed: readonly PlacedSpan[], owners: readonly RowOwner[]): readonly GanttRow[] {
  const rows = new Map<RowOwner, PlacedSpan[]>(owners.map((owner) => [owner, []]));
  for (const span of placed) rows.get(ownerOf(span))?.push(span);
  return [...rows].map(([owner, spans]) => ({ owner, spans }));
}

const endOf = ({ startMs, durationMs }: PlacedSpan): number => startMs + durationMs;

/** The last span that starts no later than `atMs`, or -1. */
function lastStarted(spans: readonly PlacedSpan[], atMs: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.startMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The index of the span at a time, or of the nearest one within `reachMs`; -1 where there is none. */
export function spanAt({ spans }: GanttRow, atMs: number, reachMs: number): number {
  const before = lastStarted(spans, atMs);
  const missMs = (at: number) => {
    const span = spans[at];
    return span === undefined ? Number.POSITIVE_INFINITY : Math.max(0, span.startMs - atMs, atMs - endOf(span));
  };
  const nearest = missMs(before + 1) < missMs(before) ? before + 1 : before;
  return missMs(nearest) <= reachMs ? nearest : -1;
}

/** A stretch of equal columns: the shares of it by kind, in the order of `spanKinds`; together at most 1. */
export interface Column {
  readonly from: number;
  readonly to: number;
  readonly shares: readonly number[];
}

/**
 * A line as columns of pixels over a stretch of time. A column that several short spans fall into has the part of each, so
 * that none is too short to be seen and the cost of drawing does not grow with the steps.
 */
export function columnsOf({ spans }: GanttRow, fromMs: number, toMs: number, columns: number): readonly Column[] {
  const perMs = columns / (toMs - fromMs);
  const kinds = spanKinds.length;
  const filled = new Float32Array(columns * kinds);
  // Spans of the host may lie beside each other, so that one before the last that started may reach further.
  let first = Math.max(0, lastStarted(spans, fromMs));
  while (first > 0 && endOf(spans[first - 1] as PlacedSpan) > fromMs) first -= 1;
  for (let at = first; at < spans.length; at++) {
    const span = spans[at] as PlacedSpan;
    if (span.startMs >= toMs) break;
    // Edges of what is wide enough to have some are sharp.
    const isWide = span.durationMs * perMs >= 2;
    const edge = (atMs: number) => (isWide ? Math.round((atMs - fromMs) * perMs) : (atMs - fromMs) * perMs);
    const from = Math.max(0, edge(span.startMs));
    const to = Math.min(columns, edge(endOf(span)));
    const kind = spanKinds.indexOf(span.kind);
    for (let column = Math.floor(from); column < to; column++) {
      const part = Math.min(to, column + 1) - Math.max(from, column);
      const slot = column * kinds + kind;
      filled[slot] = (filled[slot] ?? 0) + part;
    }
  }
  const found: { from: number; to: number; shares: readonly number[] }[] = [];
  for (let column = 0; column < columns; column++) {
    const first = column * kinds;
    let sum = 0;
    let change = 0;
    for (let slot = first; slot < first + kinds; slot++) {
      const share = filled[slot] ?? 0;
      sum += share;
      change = Math.max(change, Math.abs(share - (filled[slot - kinds] ?? 0)));
    }
    const last = found.at(-1);
    if (sum === 0) continue;
    if (last?.to === column && change < 0.01) last.to = column + 1;
    else {
      const over = Math.max(1, sum);
      const shares = spanKinds.map((_, kind) => (filled[first + kind] ?? 0) / over);
      found.push({ from: column, to: column + 1, shares });
    }
  }
  return found;
}

/** What a line of the timeline spent on each kind, in milliseconds per step. */
export interface RowMeans {
  readonly owner: RowOwner;
  /** Of a worker: its steps; of the host: all. */
  readonly steps: number;
  readonly meanMs: Readonly<Record<PlacedKind, number>>;
}

/** The mean time per step of each kind on each line; for evaluations and saves, per evaluation and per save. */
export function rowMeans(rows: readonly GanttRow[]): readonly RowMeans[] {
  return rows.map(({ owner, spans }) => {
    const steps = new Set(spans.flatMap(({ step }) => (step === null ? [] : [step])));
    const mean = (kind: PlacedKind): number => {
      const own = spans.filter((span) => span.kind === kind);
      const times = owner === 'beside' ? own.length : steps.size;
      return times === 0 ? 0 : own.reduce((sum, { durationMs }) => sum + durationMs, 0) / times;
    };
    const kinds = [...workerSpanKinds, ...hostSpanKinds];
    const meanMs = Object.fromEntries(kinds.map((kind) => [kind, mean(kind)])) as Record<PlacedKind, number>;
    return { owner, steps: owner === 'beside' ? spans.length : steps.size, meanMs };
  });
}
