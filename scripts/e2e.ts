import { ensureBuilt } from '../src/relay/build.ts';
import { ensureChromium } from '../src/relay/chromium.ts';
import { runTool } from './program.ts';

await ensureChromium(console.log);
await ensureBuilt(console.log);
const { code } = await runTool('playwright', ['test', ...process.argv.slice(2)]);
process.exitCode = code;
