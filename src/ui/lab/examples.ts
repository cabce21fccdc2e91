import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { blobSource } from '../../data/sparse/byte-source.ts';
import { identityOf, isSameFile } from '../../data/sparse/file-identity.ts';
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
export function labExamples(host: Host, wanted: ReadonlySignal<LabFile | null>) {
  const given = signal<ChosenExamples>({ kind: 'none' });
  let wishes = 0;
  const look = async (source: ExampleSource) => {
    if (source.kind !== 'file') return;
    const wish = ++wishes;
    const { format, malformedLimit, firstIndex } = source;
    let next: ChosenExamples;
    try {
      const identity = await identityOf(blobSource(source.file, source.name));
      next = { kind: 'chosen', file: { ...identity, format, malformedLimit, firstIndex } };
    } catch (error) {
      next = { kind: 'refused', words: `${source.name} cannot be read: ${(error as Error).message}` };
    }
    if (wish !== wishes) return;
    given.value = next;
    if (next.kind === 'chosen') host.chooseExamples(source);
  };
  const chosen = computed((): ChosenExamples => {
    const now = given.value;
    const words = now.kind === 'chosen' ? difference(wanted.value, now.file) : null;
    return words === null ? now : { kind: 'refused', words };
  });
  return { chosen, choose: (source: ExampleSource) => void look(source) };
}

/** In what a file is not the one that is wanted, and what to do; null if it is. */
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
