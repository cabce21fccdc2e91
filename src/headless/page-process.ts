import type { Page } from 'playwright-core';
import * as z from 'zod/mini';
import { unlessAborted } from '../host/watch-run.ts';

/** A trace of nothing takes 30–250 ms; a tab that is stuck or dying may never answer. */
const GIVE_UP_MS = 5000;

const started = z.object({
  name: z.literal('TracingStartedInBrowser'),
  args: z.object({ data: z.object({ frames: z.array(z.object({ frame: z.string(), processId: z.int() })) }) }),
});

/**
 * The process that runs a page; null if the browser does not tell. The protocol names processes and names pages but
 * does not say which runs which, save in the first event of a trace taken from the page. A browser takes one trace at a
 * time: so does the caller.
 */
export function processOf(page: Page): Promise<number | null> {
  return unlessAborted(traced(page), AbortSignal.timeout(GIVE_UP_MS)).catch(() => null);
}

async function traced(page: Page): Promise<number | null> {
  const session = await page.context().newCDPSession(page);
  try {
    let pid: number | null = null;
    const { targetInfo } = await session.send('Target.getTargetInfo');
    session.on('Tracing.dataCollected', ({ value }) => {
      for (const event of value) {
        const { data } = z.safeParse(started, event);
        // A page's main frame has the page's own id.
        pid = data?.args.data.frames.find(({ frame }) => frame === targetInfo.targetId)?.processId ?? pid;
      }
    });
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline'], excludedCategories: ['*'] },
    });
    await session.send('Tracing.end');
    await complete;
    return pid;
  } finally {
    // Who asked has waited long enough where this fails.
    session.detach().catch(() => {});
  }
}
