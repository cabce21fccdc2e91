import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { count, counted, duration } from '../../../observe/format.ts';
import { type PlacedSpan, placeSteps } from '../../../observe/placed-steps.ts';
import type { Timeline } from '../../../observe/step-trace.ts';
import type { ShownRun } from '../../host/model.ts';
import { Segments } from '../../parts/choice.tsx';
import { useTheme } from '../../parts/theme.ts';
import { useVisible } from '../../parts/visible.ts';
import { AXIS_PX, drawGantt } from './gantt-canvas.ts';
import { useGestures } from './gantt-gestures.ts';
import { ganttRows, ownersOf, type RowOwner, spanAt, spanKinds, spanWords } from './gantt-rows.ts';
import {
  extentOf,
  type Following,
  followedView,
  panned,
  recentPart,
  showing,
  type TimeView,
  zoomed,
} from './gantt-view.ts';
import { OwnerName, ownerWords, TimelineTable } from './timeline-table.tsx';

const followWords: Record<Following, string> = { second: 'Last second', steps: 'Last 20 steps', all: 'All recorded' };
/** More rows than this are drawn smaller. */
const TALL_ROWS = 9;
/** A pointer this near to a short span means it. */
const REACH_PX = 4;
const ZOOM_STEP = 0.7;

/** Drawing all of two thousand steps takes as long as twenty steps ten times over. */
const redrawMs: Record<Following, number> = { second: 500, steps: 400, all: 2000 };
const help =
  'Point at a span for its numbers. Drag to pan; pinch, + and −, or the wheel after a click zoom; ← → ↑ ↓ walk from span to span.';

/** What is looked at while it stands still; the run goes on behind it. */
interface Frozen {
  readonly timeline: Timeline;
  readonly view: TimeView;
}

interface Selected {
  readonly owner: RowOwner;
  readonly span: PlacedSpan;
  readonly isByKey: boolean;
}

/** What every node did when, step by step. */
export function TimelineTab({ run }: { run: ShownRun }) {
  return run.log.timeline.steps.length === 0 ? (
    <p class="empty">
      What each worker and the server did when appears here, step by step, once a run has made its first steps.
    </p>
  ) : (
    <Gantt key={run.log.id} run={run} />
  );
}

function Gantt({ run }: { run: ShownRun }) {
  const [following, setFollowing] = useState<Following>(run.slot === 0 ? 'steps' : 'all');
  const [frozen, setFrozen] = useState<Frozen | null>(null);
  const [selected, setSelected] = useState<Selected | null>(null);
  const [width, setWidth] = useState(0);
  const theme = useTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  const isVisible = useVisible(canvas);
  const seen = useRef({ timeline: run.log.timeline, atMs: 0 });
  const isDue = performance.now() - seen.current.atMs >= redrawMs[following] || run.moment?.run.phase !== 'running';
  if (isVisible && isDue) seen.current = { timeline: run.log.timeline, atMs: performance.now() };
  const whole = frozen?.timeline ?? seen.current.timeline;

  const rows = useMemo(() => {
    const placed = placeSteps(frozen === null ? recentPart(whole, following) : whole);
    return { placed, rows: ganttRows(placed, ownersOf(whole)) };
  }, [whole, frozen === null, following]);
  const followed = followedView(rows.placed, following);
  const view = frozen?.view ?? followed;
  const rowHeight = rows.rows.length > TALL_ROWS ? 20 : 32;
  const hasPauses = whole.steps.some(({ pausedMs }) => pausedMs > 0);
  const shownKinds = spanKinds.filter((kind) => kind !== 'pause' || hasPauses);

  useEffect(() => {
    const box = canvas.current?.parentElement;
    if (!box) return;
    const resized = new ResizeObserver(() => setWidth(box.clientWidth));
    resized.observe(box);
    return () => resized.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current === null || view === null || width === 0 || !isVisible) return;
    drawGantt(canvas.current, { rows: rows.rows, view, width, rowHeight, selected });
  }, [rows, view?.fromMs, view?.toMs, width, rowHeight, selected, theme, isVisible]);

  /** All that is recorded, as it is now: what is looked at closely must not move. */
  const freeze = (change: (view: TimeView, extent: TimeView) => TimeView) => {
    const extent = extentOf(frozen === null ? placeSteps(whole) : rows.placed);
    // Before it is laid out, pixels have no time.
    if (view === null || extent === null || width === 0) return;
    setFrozen({ timeline: whole, view: change(view, extent) });
  };
  const timeAt = (x: number) => (view === null ? 0 : view.fromMs + (x / width) * (view.toMs - view.fromMs));
  const zoom = (factor: number, x = width / 2) =>
    freeze((now, extent) => zoomed(now, extent, factor, now.fromMs + (x / width) * (now.toMs - now.fromMs)));
  const pan = (byPx: number) => freeze((now, extent) => panned(now, extent, (byPx / width) * (now.toMs - now.fromMs)));
  useGestures(canvas, {
    zoom,
    pan,
    point(place) {
      const row = place && rows.rows[Math.floor(place.y / rowHeight)];
      const at = row && view ? spanAt(row, timeAt(place.x), (REACH_PX / width) * (view.toMs - view.fromMs)) : -1;
      const span = row?.spans[at];
      if (row && span) setSelected({ owner: row.owner, span, isByKey: false });
      else if (selected !== null && !selected.isByKey) setSelected(null);
    },
  });

  const walk = (byRows: number, bySpans: number) => {
    const all = frozen === null ? ganttRows(placeSteps(whole), ownersOf(whole)) : rows.rows;
    const from = all.findIndex(({ owner }) => owner === selected?.owner);
    const row = all[Math.min(all.length - 1, Math.max(0, from + byRows))];
    if (!row || !view) return;
    const middleMs = selected?.span.startMs ?? (view.fromMs + view.toMs) / 2;
    const nearest = spanAt(row, middleMs, Number.POSITIVE_INFINITY);
    const span = row.spans[Math.min(row.spans.length - 1, Math.max(0, nearest + bySpans))];
    if (!span) return;
    setSelected({ owner: row.owner, span, isByKey: true });
    freeze((now, extent) => showing(now, extent, span));
  };
  const keyed = (event: KeyboardEvent) => {
    const page = event.shiftKey ? 0.25 * width : null;
    const acts: Record<string, () => void> = {
      '+': () => zoom(ZOOM_STEP),
      '=': () => zoom(ZOOM_STEP),
      '-': () => zoom(1 / ZOOM_STEP),
      ArrowLeft: () => (page === null ? walk(0, selected === null ? 0 : -1) : pan(-page)),
      ArrowRight: () => (page === null ? walk(0, selected === null ? 0 : 1) : pan(page)),
      ArrowUp: () => walk(-1, 0),
      ArrowDown: () => walk(1, 0),
      Escape: () => setSelected(null),
    };
    const act = acts[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };

  return (
    <div class="timeline">
      <div class="tools">
        <Segments
          label="Stretch of time"
          name="following"
          options={followWords}
          value={frozen === null ? following : null}
          onChoose={(name) => {
            setFollowing(name);
            setFrozen(null);
          }}
        />
        <button
          type="button"
          class="toggle"
          aria-pressed={frozen === null}
          title="Keep up with the run; zooming, panning and picking hold the picture still"
          onClick={() => (frozen === null ? freeze((now) => now) : setFrozen(null))}
        >
          Follow
        </button>
        <span class="zooms">
          <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={() => zoom(1 / ZOOM_STEP)}>
            −
          </button>
          <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(ZOOM_STEP)}>
            +
          </button>
        </span>
        <p class="key" aria-hidden="true">
          {shownKinds.map((kind) => (
            <span key={kind}>
              <i style={{ background: `var(--span-${kind})` }} />
              {spanWords(kind)}
            </span>
          ))}
        </p>
      </div>
      <div class="gantt">
        <ul aria-hidden="true">
          {rows.rows.map(({ owner }) => (
            <li key={owner} style={{ height: `${rowHeight}px` }} title={ownerWords(owner, run)}>
              <OwnerName owner={owner} run={run} />
            </li>
          ))}
        </ul>
        <div class="bars" style={{ height: `${rows.rows.length * rowHeight + AXIS_PX}px` }}>
          <canvas
            ref={canvas}
            tabIndex={0}
            role="slider"
            aria-label="Timeline of all nodes; the table below has the numbers"
            aria-describedby="timeline-help"
            aria-valuemin={Math.round(view?.fromMs ?? 0)}
            aria-valuemax={Math.round(view?.toMs ?? 0)}
            aria-valuenow={Math.round(selected?.span.startMs ?? view?.toMs ?? 0)}
            aria-valuetext={selected === null ? 'nothing picked' : spanText(selected, run)}
            onKeyDown={keyed}
          />
        </div>
      </div>
      <p class="hidden" id="timeline-help">
        {help}
      </p>
      <p class="span-readout" aria-hidden="true">
        {selected === null ? <span class="aside">{help}</span> : <SpanWords selected={selected} run={run} />}
      </p>
      <TimelineTable timeline={whole} run={run} />
    </div>
  );
}

/** One span exactly. */
function SpanWords({ selected, run }: { selected: Selected; run: ShownRun }) {
  const { kind } = selected.span;
  return (
    <>
      <OwnerName owner={selected.owner} run={run} /> <i style={{ background: `var(--span-${kind})` }} />
      <b>{spanWords(kind)}</b> {numbersOf(selected, run)}
    </>
  );
}

const spanText = (selected: Selected, run: ShownRun): string =>
  `${ownerWords(selected.owner, run)}: ${spanWords(selected.span.kind)}, ${numbersOf(selected, run)}`;

function numbersOf({ owner, span: { startMs, durationMs, step } }: Selected, run: ShownRun): string {
  const parts = [`${duration(durationMs)} at ${(startMs / 1000).toFixed(4)} s`];
  if (step !== null) {
    const of = owner === 'server' ? ` of ${ownerWords(step.worker, run)}` : '';
    parts.push(`push ${count(step.seq)}${of}`, `on version ${count(step.version)}`, counted(step.examples, 'example'));
    parts.push(`staleness ${step.staleness}`, step.verdict ?? 'no answer yet');
  }
  return parts.join(' · ');
}
