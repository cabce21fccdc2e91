import { defineConfig, type Plugin } from 'vite';
import { contentSecurityPolicy } from './src/relay/security-headers.ts';
import { Signalling } from './src/relay/signalling.ts';

/** Signalling on the dev server's own port, as the relay has it. */
const relay: Plugin = {
  name: 'manyhands-signalling',
  configureServer(server) {
    if (server.httpServer === null) return;
    const signalling = new Signalling(server.httpServer);
    server.middlewares.use((req, res, next) => {
      if (!signalling.handle(req, res)) next();
    });
    server.httpServer.once('close', () => signalling.close());
  },
};

/** A built page carries its policy wherever it is served from. Dev pages do not: hot reloading needs inline scripts. */
const policy: Plugin = {
  name: 'manyhands-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy },
      injectTo: 'head-prepend',
    },
  ],
};

/** Holds the promise that the tensor library loads after the click: threads are bundled apart, pages must be free of it. */
const lightPages: Plugin = {
  name: 'manyhands-light-pages',
  apply: 'build',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const heavy = chunk.moduleIds.find((id) => id.includes('/node_modules/@tensorflow/'));
      if (heavy !== undefined) this.error(`${heavy} got into the page's ${chunk.fileName}: import it in a thread only`);
    }
  },
};

export default defineConfig({
  base: './',
  plugins: [relay, policy, lightPages],
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    // A data: URL would need a hole in the policy.
    assetsInlineLimit: 0,
    // The tensor library in the trainer thread is about 1 MB; it loads after the volunteer's click.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { checks: { pluginTimings: false, bundlerTimings: false } },
  },
});
