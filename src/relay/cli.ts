import { type Command, helpText, readArguments, UsageError } from './command-line.ts';
import { serveCommand } from './serve-command.ts';
import { trainCommand } from './train-command.ts';

const commands: Readonly<Record<string, Command>> = { serve: serveCommand, train: trainCommand };

/** Runs one command line; gives its exit code. 2 is a mistake in the arguments, told in one line. */
export async function main(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  const isNamed = first !== undefined && !first.startsWith('-');
  const command = isNamed ? commands[first] : serveCommand;
  try {
    if (command === undefined) {
      throw new UsageError(`there is no command "${first}"; there is: ${Object.keys(commands).join(', ')}`);
    }
    const given = readArguments(command, isNamed ? rest : argv);
    if (given.help !== true) return await command.run(given);
    console.log(helpText(command));
    if (!isNamed) for (const other of Object.values(commands)) console.log(`  ${other.name}: ${other.describe}`);
    return 0;
  } catch (error) {
    console.error(`manyhands: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

if (process.argv[1] === import.meta.filename) process.exitCode = await main(process.argv.slice(2));
