import { renderUnicodeCompact } from 'uqr';
import { ensureBuilt } from './build.ts';
import { type Command, numberOf } from './command-line.ts';
import { type RunningServer, startServer } from './serve.ts';

const USUAL_PORT = 8080;

/** Serves the app until the process is told to end. */
export const serveCommand: Command = {
  name: 'serve',
  describe: 'builds the app if need be and serves it, with signalling, on one port',
  options: {
    port: { value: 'number', describe: `the port; ${USUAL_PORT}, or the next free one, when not given` },
    host: { value: 'address', describe: 'the address to listen on (0.0.0.0: every network of this machine)' },
  },
  async run(given) {
    const port = numberOf(given, 'port', { min: 0, max: 65_535, isWhole: true });
    const host = typeof given.host === 'string' ? given.host : '0.0.0.0';
    const dist = await ensureBuilt((line) => console.log(line));
    const server = await startServer({ port: port ?? USUAL_PORT, host, dist, tries: port === undefined ? 20 : 1 });
    console.log(greeting(server));
    await new Promise<void>((resolve) => {
      process.once('SIGINT', resolve);
      process.once('SIGTERM', resolve);
    });
    await server.close();
    return 0;
  },
};

/** What the terminal shows once the app can be opened. */
export function greeting({ url, addresses }: RunningServer): string {
  const lines = ['', `  Host page       ${url}`];
  const [first] = addresses;
  if (first === undefined) {
    lines.push('  Other machines  none: only this machine can reach that address (--host 0.0.0.0 opens it)');
  } else {
    lines.push(...addresses.map((address, index) => `  ${index ? '              ' : 'Other machines'}  ${address}`));
    lines.push('', renderUnicodeCompact(first, { border: 2 }).replace(/^/gm, '  '));
    lines.push('', '  Over plain http, other machines have no WebGPU: they train on WebAssembly.');
  }
  lines.push('', '  Ctrl+C stops.', '');
  return lines.join('\n');
}
