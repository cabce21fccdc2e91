import { root } from '../src/node/build.ts';
import { forbiddenInTree } from './layers.ts';
import { runTool } from './program.ts';

const projects = ['tsconfig.json', ...['core', 'threads', 'node', 'test'].map((name) => `tsconfig.${name}.json`)];

export interface CheckResult {
  readonly passed: number;
  readonly failed: number;
}

/** Type-checks every runtime's project, lints everything and holds imports to the layers; prints what is wrong, one part after another. */
export async function check(): Promise<CheckResult> {
  const parts = [
    { name: 'biome check', outcome: runTool('biome', ['check', '--error-on-warnings', '.'], { isShown: false }) },
    { name: 'layers', outcome: layers() },
    ...projects.map((project) => ({
      name: `tsc -p ${project}`,
      outcome: runTool('tsc', ['-p', project], { isShown: false }),
    })),
  ];
  let failed = 0;
  for (const { name, outcome } of parts) {
    const { code, output } = await outcome;
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name}`);
    if (code === 0) continue;
    failed += 1;
    console.log(output.trimEnd());
  }
  return { passed: parts.length - failed, failed };
}

async function layers() {
  const forbidden = forbiddenInTree(root);
  return { code: forbidden.length, output: forbidden.join('\n') };
}

if (process.argv[1] === import.meta.filename) {
  const { failed } = await check();
  console.log(failed === 0 ? 'check: all well' : `check: ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
