/**
 * Takes a lab for this tab alone, until what it gives is called or the page is gone; null while another tab of this browser
 * runs it. Web Locks exist only in secure contexts; elsewhere every claim is granted, and runs are still kept whole.
 */
export async function claimLab(id: string): Promise<(() => void) | null> {
  const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
  if (!locks) return () => {};
  return new Promise((resolve) => {
    const held = (lock: Lock | null): Promise<void> | null => {
      if (lock === null) {
        resolve(null);
        return null;
      }
      return new Promise((release) => resolve(release));
    };
    locks.request(`manyhands lab ${id}`, { ifAvailable: true }, held).catch(() => resolve(() => {}));
  });
}
