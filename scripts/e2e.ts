import { ensureChromium } from '../src/headless/chromium.ts';
import { ensureBuilt } from '../src/node/build.ts';
import { runTool } from './program.ts';

await ensureChromium(console.log);
await ensureBuilt(console.log);
const { code } = await runTool('playwright', ['test', ...process.argv.slice(2)]);
process.exitCode = code;
