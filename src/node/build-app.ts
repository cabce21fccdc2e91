import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import { dist, root } from './build.ts';
import { threadFolder } from './thread.ts';

/* Builds the app, and the threads of a host in Node. A program of its own: what a bundler takes goes with it. */

const PREFIX = '\0file:';

/** In Node a file of a package is where it was installed. */
const packageFiles: Plugin = {
  name: 'manyhands-package-files',
  enforce: 'pre',
  resolveId: (id) => (id.endsWith('?url') ? PREFIX + id.slice(0, -'?url'.length) : null),
  load: (id) =>
    id.startsWith(PREFIX) ? `export default import.meta.resolve(${JSON.stringify(id.slice(PREFIX.length))});` : null,
};

await build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
await build({
  root,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  plugins: [packageFiles],
  build: {
    ssr: true,
    target: 'node20',
    outDir: threadFolder(dist),
    rolldownOptions: {
      input: ['worker-scripts/node-server.ts', 'worker-scripts/node-trainer.ts', 'worker-scripts/trainer.ts'],
      checks: { pluginTimings: false, bundlerTimings: false },
    },
  },
});
