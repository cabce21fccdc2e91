import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Whether any of an element is on the screen: what nobody sees need not be drawn. */
export function useVisible(target: RefObject<HTMLElement | null>): boolean {
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    const element = target.current;
    if (element === null) return;
    const observer = new IntersectionObserver((entries) => setVisible(entries.at(-1)?.isIntersecting ?? false));
    observer.observe(element);
    return () => observer.disconnect();
  }, [target]);
  return isVisible;
}
