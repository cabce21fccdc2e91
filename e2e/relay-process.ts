import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../src/node/build.ts';
import { decodeCheckpointFile } from '../src/node/files/disk-store.ts';
import { type JournalEntry, readJournal } from '../src/node/files/run-journal.ts';
import { expect } from './fixtures.ts';

/** A relay with a host in it, as a process of its own that can be killed. */
export class RelayProcess {
  readonly #child: ChildProcess;
  readonly #folder: string;
  #output = '';

  constructor(folder: string, port: number, options: readonly string[]) {
    this.#folder = folder;
    const program = ['--import', 'tsx', join(root, 'src/cli/cli.ts'), 'serve', '--host', '--address', '127.0.0.1'];
    const place = ['--port', String(port), '--data-dir', folder];
    this.#child = spawn(process.execPath, [...program, ...place, ...options], { cwd: root });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  get output(): string {
    return this.#output;
  }

  /** The join link, once the relay has printed it. */
  async link(): Promise<{
    readonly url: string;
    readonly code: string;
    readonly invite: string;
    readonly hash: string;
  }> {
    const find = () => /(http:\/\/127\S+)#(join=\S+&invite=\S+)/.exec(this.#output);
    await expect.poll(() => find() !== null || this.#child.exitCode, { timeout: 60_000, intervals: [50] }).toBe(true);
    const [, url = '', hash = ''] = find() ?? [];
    const query = new URLSearchParams(hash);
    return { url, hash, code: query.get('join') ?? '', invite: query.get('invite') ?? '' };
  }

  /** What the logs of the folder's runs say so far: there is more than one when a kill came before the first checkpoint. */
  journal(): JournalEntry[] {
    const folder = join(this.#folder, 'runs');
    let names: string[];
    try {
      names = readdirSync(folder);
    } catch {
      return [];
    }
    // A finished run leaves a folder beside its log.
    const logs = names.filter((name) => name.endsWith('.jsonl'));
    const entries = logs.flatMap((name) => readJournal(join(folder, name)));
    return entries.sort((a, b) => a.at.localeCompare(b.at));
  }

  /** Ends as a power failure would, for this process. */
  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }

  /** Asks it to end; gives its exit code and how long it took. */
  async stop(): Promise<{ readonly code: number | null; readonly tookMs: number }> {
    const beganAtMs = performance.now();
    const gone = new Promise<number | null>((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    return { code: await gone, tookMs: performance.now() - beganAtMs };
  }
}

/** Every checkpoint in the folder, newest first; one that is not whole fails the test. */
export async function checkpointsIn(folder: string): Promise<{ version: number; savedAtMs: number }[]> {
  const place = join(folder, 'checkpoints');
  const names = (await readdir(place).catch(() => [])).filter((name) => name.endsWith('.checkpoint')).sort();
  const found = await Promise.all(
    names.map(async (name) => {
      const read = decodeCheckpointFile(await readFile(join(place, name)));
      if (typeof read === 'string') throw new Error(`${name}: ${read}`);
      return read.resumable;
    }),
  );
  return found.reverse();
}
