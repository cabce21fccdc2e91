import { setFlagsFromString } from 'node:v8';
import { UsageError } from '../node/usage-error.ts';
import { type Command, helpText, readArguments } from './command-line.ts';

/** A command loads when it is asked for: a host that runs for days holds no laboratory. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve-command.ts')).serveCommand,
  train: async () => (await import('./train-command.ts')).trainCommand,
  lab: async () => (await import('./lab-command.ts')).labCommand,
  worker: async () => (await import('./worker-command.ts')).workerCommand,
  simulate: async () => (await import('./simulate-command.ts')).simulateCommand,
  bench: async () => (await import('./program-commands.ts')).benchCommand,
};
const loadHost = async () => (await import('./host-command.ts')).hostCommand;

/** Runs one command line; gives its exit code. 2 is a mistake in the arguments, told in one line. */
export async function main(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  const isNamed = first !== undefined && !first.startsWith('-');
  const args = isNamed ? rest : argv;
  const named = isNamed ? commands[first] : commands.serve;
  const load = named === commands.serve && args.includes('--host') ? loadHost : named;
  try {
    if (load === undefined) {
      throw new UsageError(`there is no command "${first}"; there is: ${Object.keys(commands).join(', ')}`);
    }
    const command = await loaded(load);
    const forHost = load === commands.serve ? await hostOption(command, args) : undefined;
    if (forHost) throw new UsageError(`${forHost} is for a run that is hosted here: add --host`);
    const given = command.takesAnything ? {} : readArguments(command, args);
    if (given.help !== true) return await command.run(given, args);
    console.log(helpText(command));
    if (load === commands.serve) console.log(`  serve --host --help: ${(await loadHost()).describe}`);
    if (isNamed) return 0;
    for (const other of await Promise.all(Object.values(commands).map((each) => each())))
      console.log(`  ${other.name} --help: ${other.describe}`);
    return 0;
  } catch (error) {
    const path = pathWords(error as NodeJS.ErrnoException);
    console.error(`manyhands: ${path ?? (error instanceof Error ? error.message : String(error))}`);
    return error instanceof UsageError || path !== null ? 2 : 1;
  }
}

/** The first option that means nothing to a relay without a run of its own. */
async function hostOption(serve: Command, args: readonly string[]): Promise<string | undefined> {
  const strange = args.filter((word) => /^--/.test(word) && !(nameOf(word) in serve.options));
  if (strange.length === 0) return undefined;
  const { options } = await loadHost();
  return strange.find((word) => nameOf(word) in options);
}

const nameOf = (word: string) => word.slice(2).split('=', 1)[0] ?? '';

/** What the system has against a path that was given; null for any other error. */
function pathWords({ code, path }: NodeJS.ErrnoException): string | null {
  const why: Readonly<Record<string, string>> = {
    EACCES: 'this user may not use it',
    EPERM: 'this user may not use it',
    EROFS: 'its disk is read-only',
    ENOTDIR: 'a part of it is not a folder',
    EEXIST: 'it is a file, where a folder is needed',
    EISDIR: 'it is a folder, where a file is needed',
    ENOENT: 'it is not there',
  };
  const words = why[code ?? ''];
  return path === undefined || words === undefined ? null : `"${path}" cannot be used (${words}): choose another`;
}

/**
 * Loading a program makes garbage once, for which V8 would make room for good: 30 MB in this thread and in the one that
 * reads TypeScript. Afterwards room grows as it is needed; a host passes buffers on and needs none.
 */
async function loaded(load: () => Promise<Command>): Promise<Command> {
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await load();
  } finally {
    if (load !== loadHost) setFlagsFromString('--semi-space-growth-factor=2');
  }
}

/** Runs a command line as the whole business of this process, and ends it with its exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const code = await main(argv);
  // Native threads of data channels would keep the process for good; what was printed goes out first.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

if (process.argv[1] === import.meta.filename) await runCommandLine(process.argv.slice(2));
