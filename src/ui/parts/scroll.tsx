import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Holds a table that may be wider than the page; while it is, the keyboard can reach and move it in every browser. */
export function Scroll({ label, isTall, children }: { label: string; isTall?: boolean; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    // Parts of a pixel are rounded up in one and down in the other.
    const sized = new ResizeObserver(() =>
      setCut(current.scrollWidth > current.clientWidth + 1 || current.scrollHeight > current.clientHeight + 1),
    );
    for (const element of [current, ...current.children]) sized.observe(element);
    return () => sized.disconnect();
  }, []);
  return (
    <div
      ref={box}
      class={isTall ? 'scroll tall' : 'scroll'}
      {...(isCut ? { role: 'group', 'aria-label': label, tabIndex: 0 } : {})}
    >
      {children}
    </div>
  );
}
