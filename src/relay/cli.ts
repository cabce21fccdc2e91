import { type Command, helpText, readArguments, UsageError } from './command-line.ts';
import { hostCommand } from './host-command.ts';
import { labCommand } from './lab-command.ts';
import { benchCommand } from './program-commands.ts';
import { serveCommand } from './serve-command.ts';
import { simulateCommand } from './simulate-command.ts';
import { trainCommand } from './train-command.ts';
import { workerCommand } from './worker-command.ts';

const commands: Readonly<Record<string, Command>> = {
  serve: serveCommand,
  train: trainCommand,
  lab: labCommand,
  worker: workerCommand,
  simulate: simulateCommand,
  bench: benchCommand,
};

/** Runs one command line; gives its exit code. 2 is a mistake in the arguments, told in one line. */
export async function main(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  const isNamed = first !== undefined && !first.startsWith('-');
  const args = isNamed ? rest : argv;
  const named = isNamed ? commands[first] : serveCommand;
  const command = named === serveCommand && args.includes('--host') ? hostCommand : named;
  try {
    if (command === undefined) {
      throw new UsageError(`there is no command "${first}"; there is: ${Object.keys(commands).join(', ')}`);
    }
    const given = command.takesAnything ? {} : readArguments(command, args);
    if (given.help !== true) return await command.run(given, args);
    console.log(helpText(command));
    if (command === serveCommand) console.log(`  serve --host --help: ${hostCommand.describe}`);
    if (!isNamed) for (const other of Object.values(commands)) console.log(`  ${other.name} --help: ${other.describe}`);
    return 0;
  } catch (error) {
    console.error(`manyhands: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Runs a command line as the whole business of this process, and ends it with its exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const code = await main(argv);
  // Native threads of data channels would keep the process for good; what was printed goes out first.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

if (process.argv[1] === import.meta.filename) await runCommandLine(process.argv.slice(2));
