#!/usr/bin/env node
/* The command line is TypeScript as the rest: this makes Node understand it. */
import { register } from 'tsx/esm/api';

register();
const { runCommandLine } = await import('../src/cli/cli.ts');
await runCommandLine(process.argv.slice(2));
