import { SparseBatchBuilder } from '../core/sparse/batch.ts';
import { encodeExamples } from '../core/sparse/example-coding.ts';
import { DataError } from '../data/data-error.ts';
import { type ByteSource, blobSource } from '../data/sparse/byte-source.ts';
import { type FileExamples, openExamples } from '../data/sparse/file-examples.ts';
import { type FileIdentity, identityOf, isSameFile } from '../data/sparse/file-identity.ts';
import type { SparseFormat } from '../data/sparse/formats/formats.ts';
import type { Unpack } from '../data/sparse/indexed-file.ts';
import { unpackToBlob } from '../data/sparse/unpacked-blob.ts';
import { errorText } from '../experiment/error-text.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { settings } from '../experiment/settings.ts';

/** A file of examples that this host was given, and how to read it. */
export type ExampleSource = {
  readonly format: SparseFormat;
  /** How many malformed lines or records are skipped. */
  readonly malformedLimit: number;
  /** Of libsvm: the index of the first feature. */
  readonly firstIndex: 0 | 1;
  /** It is read at once with so many features; with others, when a run asks for them. */
  readonly features: number;
} & (
  | { readonly kind: 'file'; readonly file: Blob; readonly name: string }
  | { readonly kind: 'path'; readonly path: string }
);

/** What is known of the chosen file, for the page. */
export type ExamplesState = { readonly name: string; readonly sizeBytes: number } & (
  | {
      readonly phase: 'unpacking' | 'reading';
      /** From 0 to 1. */
      readonly fraction: number;
      readonly examples: number;
      readonly malformed: number;
    }
  | {
      readonly phase: 'ready';
      readonly trainCount: number;
      readonly testCount: number;
      /** Of the example that has most. */
      readonly entries: number;
      readonly features: number;
      readonly malformed: number;
      /** The first few malformed ones, in words. */
      readonly problems: readonly string[];
    }
  | { readonly phase: 'failed'; readonly text: string }
);

/** How paths are opened, where there are any. */
export interface PathOpener {
  open(path: string): Promise<ByteSource>;
  readonly unpack: Unpack;
}

/**
 * Gives the examples of the file that this host was given. The file is read from end to end once, and again only if it or
 * the number of features changes; then any lease's examples are a short read away.
 */
export class ExampleServer {
  readonly #paths: PathOpener | null;
  #source: ExampleSource | null = null;
  #opened: { readonly features: number; readonly examples: Promise<FileExamples> } | null = null;
  /** What the run takes its examples from, whatever is chosen meanwhile. */
  #inUse: { readonly file: FileExamples; readonly identity: FileIdentity; readonly seed: number } | null = null;
  #state: ExamplesState | null = null;

  /** Without `paths`, only files that were chosen in a page can be opened. */
  constructor(paths: PathOpener | null) {
    this.#paths = paths;
  }

  get state(): ExamplesState | null {
    return this.#state;
  }

  /** What the file of the current run is known again by; null before one was prepared. */
  get identity(): FileIdentity | null {
    return this.#inUse?.identity ?? null;
  }

  /** From now on examples come from here. */
  choose(source: ExampleSource): void {
    const isSame = this.#source !== null && settingsOf(this.#source) === settingsOf(source);
    this.#source = source;
    if (isSame && this.#state?.phase !== 'failed' && this.#opened?.features === source.features) return;
    // What went wrong is in the state.
    this.#open(source, source.features).catch(() => {});
  }

  /**
   * The experiment with what the file has: how many examples, how many entries at most. Reads the file first if that is
   * still to be done. Throws a DataError in words for the user, also if `expected` is another file.
   */
  async prepare(experiment: Experiment, expected: FileIdentity | null): Promise<Experiment> {
    const source = this.#source;
    if (source === null)
      throw new DataError(`${expected === null ? 'Choose a file of examples' : wanted(expected)} first.`);
    if (this.#state?.phase === 'failed') throw new DataError(this.#state.text);
    const isOpen = this.#opened?.features === experiment.features;
    const file = await (isOpen && this.#opened ? this.#opened.examples : this.#open(source, experiment.features));
    const identity = await identityOf(await this.#sourceOf(source));
    if (expected !== null && !isSameFile(expected, identity)) {
      throw new DataError(`${identity.name} is another file than the run was trained on. ${wanted(expected)}.`);
    }
    const [examples, entries] = [file.trainCount, Math.max(1, file.index.maxEntries)];
    if (expected !== null && (examples !== experiment.examples || entries !== experiment.entries)) {
      throw new DataError(
        `${identity.name} gives ${examples} examples for training where the run had ${experiment.examples}: ` +
          'choose it again with the format and the limit of that run.',
      );
    }
    if (this.#inUse?.file !== file) await this.#inUse?.file.close();
    this.#inUse = { file, identity, seed: experiment.seed };
    return { ...experiment, examples, entries };
  }

  /** The examples at these positions of the run's endless stream, as `encodeExamples` writes them. */
  async of(from: number, count: number): Promise<Uint8Array<ArrayBuffer>> {
    const batch = new SparseBatchBuilder(count);
    const { file, seed } = this.#current();
    await file.train(batch, seed, from, count);
    return encodeExamples(batch);
  }

  /** All that are kept for testing. */
  async test(): Promise<Uint8Array<ArrayBuffer>> {
    const batch = new SparseBatchBuilder();
    await this.#current().file.test(batch);
    return encodeExamples(batch);
  }

  #current() {
    if (this.#inUse === null) throw new DataError('This host has no file of examples: choose it again.');
    return this.#inUse;
  }

  async #sourceOf(source: ExampleSource): Promise<ByteSource> {
    if (source.kind === 'file') return blobSource(source.file, source.name);
    if (this.#paths === null) throw new DataError('This host cannot open paths: choose the file on its page.');
    return this.#paths.open(source.path);
  }

  #open(source: ExampleSource, features: number): Promise<FileExamples> {
    this.#opened?.examples.then((file) => (file === this.#inUse?.file ? undefined : file.close())).catch(() => {});
    const examples = this.#read(source, features, () => this.#opened?.examples === examples);
    this.#opened = { features, examples };
    return examples;
  }

  async #read(source: ExampleSource, features: number, isCurrent: () => boolean): Promise<FileExamples> {
    const known = { name: nameOf(source), sizeBytes: source.kind === 'file' ? source.file.size : 0 };
    const set = (state: ExamplesState) => {
      this.#state = state;
    };
    set({ ...known, phase: 'reading', fraction: 0, examples: 0, malformed: 0 });
    try {
      const bytes = await this.#sourceOf(source);
      const { name, sizeBytes } = bytes;
      const { format, malformedLimit, firstIndex } = source;
      const file = await openExamples(bytes, {
        ...{ format, malformedLimit, firstIndex, features },
        unpack: source.kind === 'path' && this.#paths ? this.#paths.unpack : unpackToBlob,
        onProgress: ({ phase, bytesRead, totalBytes, examples, malformed }) => {
          if (!isCurrent()) throw new DataError('Another file was chosen.');
          set({ name, sizeBytes, phase, fraction: bytesRead / Math.max(1, totalBytes), examples, malformed });
        },
      });
      const { trainCount, testCount, index } = file;
      const { maxEntries: entries, malformed, problems } = index;
      const tooMuch =
        entries > settings.entries.max
          ? `an example with ${entries} features; at most ${settings.entries.max}`
          : trainCount > settings.examples.max && `${trainCount} examples; at most ${settings.examples.max}`;
      if (tooMuch) {
        await file.close();
        throw new DataError(`${name} has ${tooMuch} can be trained on. Take a part of it.`);
      }
      if (isCurrent()) {
        set({ name, sizeBytes, phase: 'ready', trainCount, testCount, entries, features, malformed, problems });
      }
      return file;
    } catch (error) {
      if (isCurrent()) set({ ...known, phase: 'failed', text: errorText(error) });
      throw error;
    }
  }
}

const nameOf = (source: ExampleSource): string =>
  source.kind === 'file' ? source.name : (source.path.split(/[\\/]/).at(-1) ?? source.path);

const wanted = ({ name, sizeBytes }: FileIdentity) => `Choose ${name} (${sizeBytes.toLocaleString('en')} bytes)`;

/** Whatever decides about the examples, but for the number of features. */
function settingsOf(source: ExampleSource): string {
  const { format, malformedLimit, firstIndex } = source;
  const file = source.kind === 'file' ? [source.name, source.file.size, lastModifiedOf(source.file)] : [source.path];
  return [format, malformedLimit, firstIndex, ...file].join('\n');
}

/** A blob that is no file has no date, and may always be another. */
const lastModifiedOf = (file: Blob): number => (file instanceof File ? file.lastModified : Math.random());
