import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** What a person wants of a timeline; places are CSS pixels from its left and top edge. */
export interface Gestures {
  zoom(factor: number, x: number): void;
  pan(byPx: number): void;
  /** Null when the pointer is away. */
  point(place: { readonly x: number; readonly y: number } | null): void;
}

/** A notch of a wheel zooms by about a fifth. */
const ZOOM_PER_PX = 0.002;
/** A hand is not that still. */
const DRAG_SLACK_PX = 3;

/**
 * Wheel, drag and pinch over an element. The wheel zooms only once the element has the focus, or with Ctrl, as a
 * touchpad's pinch comes: a page that is scrolled past must not get stuck in it.
 */
export function useGestures(target: RefObject<HTMLElement | null>, gestures: Gestures): void {
  const latest = useRef(gestures);
  latest.current = gestures;
  useEffect(() => {
    const element = target.current;
    if (element === null) return;
    const fingers = new Map<number, { x: number; y: number }>();
    let hasMoved = false;
    const placeOf = ({ clientX, clientY }: MouseEvent) => {
      const { left, top } = element.getBoundingClientRect();
      return { x: clientX - left, y: clientY - top };
    };
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return a && b ? { px: Math.max(1, Math.abs(a.x - b.x)), middle: (a.x + b.x) / 2 } : null;
    };
    const down = (event: PointerEvent) => {
      if (event.button !== 0) return;
      hasMoved = false;
      fingers.set(event.pointerId, placeOf(event));
    };
    const move = (event: PointerEvent) => {
      const place = placeOf(event);
      const before = fingers.get(event.pointerId);
      if (before === undefined) return latest.current.point(place);
      if (!hasMoved && fingers.size === 1 && Math.abs(place.x - before.x) < DRAG_SLACK_PX) return;
      if (!hasMoved) element.setPointerCapture(event.pointerId);
      hasMoved = true;
      const wasSpread = spread();
      fingers.set(event.pointerId, place);
      const isSpread = spread();
      if (wasSpread && isSpread) latest.current.zoom(wasSpread.px / isSpread.px, isSpread.middle);
      else latest.current.pan(before.x - place.x);
    };
    const up = (event: PointerEvent) => {
      fingers.delete(event.pointerId);
      if (!hasMoved) latest.current.point(placeOf(event));
    };
    const gone = (event: PointerEvent) => {
      if (fingers.has(event.pointerId) || event.pointerType === 'touch') return;
      latest.current.point(null);
    };
    const lost = (event: PointerEvent) => void fingers.delete(event.pointerId);
    const wheel = (event: WheelEvent) => {
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!isSideways && !event.ctrlKey && document.activeElement !== element) return;
      event.preventDefault();
      const unitPx = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 33;
      if (isSideways) latest.current.pan(event.deltaX * unitPx);
      // A touchpad's pinch comes in far smaller numbers than a wheel's notch.
      else
        latest.current.zoom(Math.exp(event.deltaY * unitPx * ZOOM_PER_PX * (event.ctrlKey ? 5 : 1)), placeOf(event).x);
    };
    const listening = new AbortController();
    const { signal } = listening;
    element.addEventListener('pointerdown', down, { signal });
    element.addEventListener('pointermove', move, { signal });
    element.addEventListener('pointerup', up, { signal });
    element.addEventListener('pointercancel', lost, { signal });
    element.addEventListener('pointerleave', gone, { signal });
    element.addEventListener('wheel', wheel, { signal, passive: false });
    return () => listening.abort();
  }, [target]);
}
