import type { Page } from 'playwright-core';
import type { Host } from '../host/state.ts';
import type { HostGlobal } from './tabs.ts';

/** What leaves a page at once: a longer text is slow to carry, and at some length refused. */
const PIECE_BYTES = 8 << 20;

/** A copy of the parameters in a host tab, brought over piece by piece; null while it has no run. */
export async function tabParameters(page: Page): ReturnType<Host['parameters']> {
  const copy = await page.evaluateHandle(
    async () => (await (globalThis as HostGlobal).manyhands?.host.parameters()) ?? null,
  );
  try {
    const head = await copy.evaluate((found) => found && { version: found.version, size: found.params.length });
    if (head === null) return null;
    const params = new Float32Array(head.size);
    const bytes = new Uint8Array(params.buffer);
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      const piece = await copy.evaluate(
        (found, [start, length]) => {
          if (found === null) return '';
          const { buffer, byteOffset, byteLength } = found.params;
          const part = new Uint8Array(buffer, byteOffset + start, Math.min(length, byteLength - start));
          let text = '';
          // More arguments than this overflow the stack.
          for (let at = 0; at < part.length; at += 32_768)
            text += String.fromCharCode(...part.subarray(at, at + 32_768));
          return btoa(text);
        },
        [from, PIECE_BYTES] as const,
      );
      bytes.set(Buffer.from(piece, 'base64'), from);
    }
    return { version: head.version, params };
  } finally {
    await copy.dispose();
  }
}
