import type { Browser, CDPSession } from '@playwright/test';

/**
 * A tab that can be hidden. Playwright tells the browser to treat each of its pages as focused and visible, so these
 * tabs live in a browser context it does not know of, and are driven by the DevTools protocol alone.
 */
export interface PlainTab {
  /** The value of an expression, awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** As a click on its tab would: the others of its window are hidden from then on. */
  bringToFront(): Promise<void>;
}

/** One window whose tabs hide each other. */
export interface PlainWindow {
  open(url: string): Promise<PlainTab>;
  close(): Promise<void>;
}

interface Reply {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: unknown;
}

interface Evaluated {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string };
}

/** Opens a window in this browser. */
export async function openWindow(browser: Browser): Promise<PlainWindow> {
  const devtools: CDPSession = await browser.newBrowserCDPSession();
  const { browserContextId } = await devtools.send('Target.createBrowserContext');
  const waiting = new Map<number, (reply: Reply) => void>();
  let lastId = 0;
  devtools.on('Target.receivedMessageFromTarget', ({ message }) => {
    const reply = JSON.parse(message) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });

  const open = async (url: string): Promise<PlainTab> => {
    const { targetId } = await devtools.send('Target.createTarget', { url, browserContextId });
    const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: false });
    const ask = (method: string, params: object): Promise<unknown> => {
      lastId += 1;
      const id = lastId;
      const answer = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, ({ error, result }) => {
          waiting.delete(id);
          if (error) reject(new Error(`${method}: ${error.message}`));
          else resolve(result);
        });
      });
      const message = JSON.stringify({ id, method, params });
      return devtools.send('Target.sendMessageToTarget', { sessionId, message }).then(() => answer);
    };
    return {
      async evaluate<T>(expression: string): Promise<T> {
        const asked = { expression, awaitPromise: true, returnByValue: true };
        const { result, exceptionDetails } = (await ask('Runtime.evaluate', asked)) as Evaluated;
        if (exceptionDetails) throw new Error(`${exceptionDetails.text} in ${expression}`);
        return result.value as T;
      },
      bringToFront: async () => void (await devtools.send('Target.activateTarget', { targetId })),
    };
  };
  return {
    open,
    async close() {
      await devtools.send('Target.disposeBrowserContext', { browserContextId });
      await devtools.detach();
    },
  };
}
