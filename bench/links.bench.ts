import { ensureBuilt } from '../src/node/build.ts';
import { releaseDataChannels } from '../src/node/link/link.ts';
import { holdLinks } from './many-links.ts';

export const name = 'links';
export const describe =
  'light workers on one relay: lost pushes, memory, event-loop delay; links <count> <seconds> <ms per step>';

export async function run(args: readonly string[]): Promise<object> {
  const [links = 50, seconds = 300, thinkMs = 200] = args.map(Number);
  const app = await ensureBuilt((line) => console.error(line));
  try {
    return await holdLinks(links, seconds, thinkMs, app);
  } finally {
    await releaseDataChannels();
  }
}
