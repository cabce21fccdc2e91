import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

/*
 * The trainer thread of a tab, in Node: worker-scripts/trainer.ts as it is, on WebAssembly. Here is what it finds in a
 * browser and misses in Node: its own scope, addresses of bundled files, and `fetch` for the data files beside the app.
 */

const { script } = workerData as { readonly script: string };

/** What a bundler makes of an import that ends in ?url; a script that is bundled has none left. */
const urlImports = `export async function load(url, context, next) {
  if (!url.endsWith('?url')) return next(url, context);
  return { format: 'module', shortCircuit: true, source: 'export default ' + JSON.stringify(url.slice(0, -4)) };
}`;
if (script.endsWith('.ts')) register(`data:text/javascript,${encodeURIComponent(urlImports)}`);

const fetchOverHttp = globalThis.fetch;
const fetchAnywhere: typeof fetch = async (target, init) => {
  const address = String(target);
  if (!address.startsWith('file:')) return fetchOverHttp(target, init);
  const bytes = await readFile(new URL(address)).catch(() => null);
  return new Response(bytes, { status: bytes === null ? 404 : 200 });
};

const scope = {
  onmessage: (_event: { data: unknown }) => {},
  postMessage: (message: unknown) => parentPort?.postMessage(message),
};
// Node 20 has no navigator; where there is one, it cannot be assigned.
Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
Object.assign(globalThis, { self: scope, fetch: fetchAnywhere });

const early: unknown[] = [];
let isReady = false;
parentPort?.on('message', (data) => (isReady ? scope.onmessage({ data }) : early.push(data)));
await import(script);
isReady = true;
for (const data of early) scope.onmessage({ data });
