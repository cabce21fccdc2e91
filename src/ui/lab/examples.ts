import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { blobSource } from '../../data/sparse/byte-source.ts';
import { identityOf, isSameFile } from '../../data/sparse/file-identity.ts';
import { errorText } from '../../experiment/error-text.ts';
import type { ExampleSource } from '../../host/example-server.ts';
import type { Host } from '../../host/state.ts';
import type { LabFile } from '../../store/labs.ts';

/** The file of examples that this page was given. */
export type ChosenExamples =
  | { readonly kind: 'none' }
  /** It is not the one that the lab's earlier runs had. */
  | { readonly kind: 'refused'; readonly words: string }
  | { readonly kind: 'chosen'; readonly file: LabFile };

/** Takes files of examples for a lab; one that its earlier runs did not have is refused. `wanted` is theirs, null if there are none. */
export class LabExamples {
  readonly chosen: ReadonlySignal<ChosenExamples>;
  readonly #host: Host;
  readonly #given = signal<ChosenExamples>({ kind: 'none' });
  #latest: ExampleSource | null = null;

  constructor(host: Host, wanted: ReadonlySignal<LabFile | null>) {
    this.#host = host;
    this.chosen = computed((): ChosenExamples => {
      const given = this.#given.value;
      const words = given.kind === 'chosen' ? difference(wanted.value, given.file) : null;
      return words === null ? given : { kind: 'refused', words };
    });
  }

  async choose(source: ExampleSource): Promise<void> {
    if (source.kind !== 'file') return;
    this.#latest = source;
    const { format, malformedLimit, firstIndex } = source;
    const given = await identityOf(blobSource(source.file, source.name)).then(
      (identity): ChosenExamples => ({ kind: 'chosen', file: { ...identity, format, malformedLimit, firstIndex } }),
      (error): ChosenExamples => ({ kind: 'refused', words: `${source.name} cannot be read: ${errorText(error)}` }),
    );
    // Another may have been chosen meanwhile.
    if (this.#latest !== source) return;
    this.#given.value = given;
    if (given.kind === 'chosen') this.#host.chooseExamples(source);
  }
}

/** How a file differs from the one that is wanted, and what to do; null if it does not. */
function difference(wanted: LabFile | null, file: LabFile): string | null {
  if (wanted === null) return null;
  if (!isSameFile(wanted, file)) {
    return `${file.name} is another file than this lab’s runs were trained on: choose ${fileWords(wanted)}, or begin another lab.`;
  }
  const { format, malformedLimit, firstIndex } = wanted;
  const isSame = format === file.format && malformedLimit === file.malformedLimit && firstIndex === file.firstIndex;
  return isSame
    ? null
    : `This lab’s runs had it read as ${format}, first index ${firstIndex}, at most ${malformedLimit} malformed: choose the same.`;
}

/** A file by its name and size. */
export const fileWords = ({ name, sizeBytes }: Pick<LabFile, 'name' | 'sizeBytes'>): string =>
  `${name} (${sizeBytes.toLocaleString('en-US')} bytes)`;
