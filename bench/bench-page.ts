import { join } from 'node:path';
import { build } from 'vite';
import { root } from '../src/node/build.ts';
import { type RunningServer, startServer } from '../src/relay/serve.ts';

/** Builds bench/pages/<name>.html as the app is built, and serves it with the app's data on loopback. */
export async function servePage(name: string): Promise<RunningServer> {
  const outDir = join(root, 'node_modules/.cache/bench', name);
  await build({
    configFile: false,
    logLevel: 'error',
    root: join(root, 'bench/pages'),
    publicDir: join(root, 'public'),
    base: './',
    worker: { format: 'es' },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 4000,
      rolldownOptions: { input: join(root, 'bench/pages', `${name}.html`) },
    },
  });
  return startServer({ port: 0, host: '127.0.0.1', dist: outDir });
}
