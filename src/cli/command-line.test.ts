import { afterEach, expect, test, vi } from 'vitest';
import { UsageError } from '../node/usage-error.ts';
import { main } from './cli.ts';
import { type Command, helpText, numberOf, readArguments, wordOf } from './command-line.ts';

const command: Command = {
  name: 'brew',
  describe: 'makes tea',
  options: { cups: { value: 'count', describe: 'how many' }, milk: { describe: 'with milk' } },
  run: async () => 0,
};

afterEach(() => vi.restoreAllMocks());

test('options with a value are text, switches are true, the rest is absent', () => {
  expect(readArguments(command, ['--cups', '3', '--milk'])).toEqual({ cups: '3', milk: true });
  expect(readArguments(command, [])).toEqual({});
});

test.each([
  [['--sugar'], /^Unknown option '--sugar'; --help/],
  [['--mlik'], /is it --milk\?/],
  [['--cup', '3'], /is it --cups\?/],
  [['--cups'], /^--cups has no value: it takes a <count>, how many$/],
  [['--cups', '-3'], /written --cups=-…$/],
  [['--cups', ''], /^--cups is empty: leave it out; it takes a <count>/],
  [['--cups', '3', '--cups=4'], /^--cups is there twice/],
  [['two'], /^Unexpected argument 'two'/],
  [['--milk=yes'], /does not take an argument/],
])('%j is refused in one line that says what to do', (argv, words) => {
  expect(() => readArguments(command, argv)).toThrow(UsageError);
  expect(() => readArguments(command, argv)).toThrow(words);
  expect(() => readArguments(command, argv)).toThrow(/^[^\n]+$/);
});

test('help lists every option', () => {
  expect(helpText(command)).toMatch(/--cups <count> {2}how many\n {2}--milk {10}with milk\n {2}--help/);
});

test.each(['', 'many', '1.5', '0', '11', 'NaN', 'Infinity', '-3'])(
  '"%s" is not a whole number from 1 to 10',
  (cups) => {
    expect(() => numberOf({ cups }, 'cups', { min: 1, max: 10, isWhole: true })).toThrow('--cups takes a whole number');
  },
);

test('numbers within bounds are read, absent ones are undefined', () => {
  expect(numberOf({ cups: '1e1' }, 'cups', { min: 1, max: 10, isWhole: true })).toBe(10);
  expect(numberOf({}, 'cups', { min: 1, max: 10, isWhole: true })).toBeUndefined();
});

test('an unknown word is answered with the known ones', () => {
  expect(() => wordOf({ tea: 'mint' }, 'tea', ['green', 'black'])).toThrow(
    '"mint" is not known; there is: green, black',
  );
});

test.each([
  [['dance'], 'there is no command "dance"; there is: serve, train'],
  [['serve', '--port', 'http'], '--port takes a whole number from 0 to 65535, not "http"'],
  [['--colour'], "Unknown option '--colour'"],
  [['--model', 'lenet'], '--model is for a run that is hosted here: add --host'],
  [['--host', '--resume', '--fresh'], 'give one of them'],
  [['--host', '--backup', '2', '--workers', '2'], '--backup must be less than the 2 workers there are, not "2"'],
  [['--https', '--data-dir', import.meta.filename], 'where a folder is needed'],
  [['train', '--model', 'gpt'], '--model "gpt" is not known; there is: softmax, mlp'],
  [['train', '--data', 'cifar'], '--data "cifar" is not known; there is: mnist'],
])('%j gets one line on stderr and exit code 2', async (argv, words) => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
  expect(await main(argv)).toBe(2);
  expect(stderr).toHaveBeenCalledOnce();
  expect(stderr.mock.lastCall?.[0]).toContain(words);
  expect(stderr.mock.lastCall?.[0]).not.toContain('\n');
});

test.each([[['--help']], [['serve', '--help']], [['train', '-h']]])('%j gives help and exit code 0', async (argv) => {
  const stdout = vi.spyOn(console, 'log').mockImplementation(() => {});
  expect(await main(argv)).toBe(0);
  expect(stdout.mock.calls.join('\n')).toContain('--help');
});
