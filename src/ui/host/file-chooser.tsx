import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { DEFAULT_MALFORMED_LIMIT, formatOfName, type SparseFormat } from '../../data/sparse/formats/formats.ts';
import { exampleWords, skippedLines } from '../../host/example-words.ts';
import type { Host } from '../../host/state.ts';
import { count } from '../../observe/format.ts';
import type { HostModel } from './model.ts';

/** What the chooser reads of the page it is on. */
export interface ChooserModel extends Pick<HostModel, 'state' | 'experiment'> {
  readonly deps: { readonly host: Pick<Host, 'chooseExamples'> };
  /** Why the file that was chosen last is not taken; null if it is. */
  readonly refusal?: string | null;
  /** What to say while none is chosen. */
  readonly hint?: string | null;
}

const formats: Readonly<Record<SparseFormat, string>> = {
  'criteo-tsv': 'Criteo click logs (tab-separated)',
  libsvm: 'libsvm lines',
  tfrecord: 'TFRecord of tf.Example',
};

const MAX_MALFORMED = 1_000_000_000;

/** What is said of the file: why it is not taken, what was found in it, or what to choose. */
function Found({ model }: { model: ChooserModel }) {
  const { examples, resumable, run } = model.state.value;
  const file = run === null ? resumable?.file : null;
  const found = model.hint ? null : examples;
  const isOther = found?.phase === 'ready' && found.features !== model.experiment.value.features;
  const unasked = file
    ? `The interrupted run was trained on ${file.name} (${count(file.sizeBytes)} bytes): choose it again to resume.`
    : 'The file stays on this device: workers get the examples of their steps and nothing else.';
  const lines = model.refusal
    ? [model.refusal]
    : found === null
      ? [model.hint || unasked]
      : [
          `${exampleWords(found)}${isOther ? ' It is read again when the run starts, for another number of features.' : ''}`,
          ...skippedLines(found),
        ];
  const isBad = Boolean(model.refusal) || found?.phase === 'failed';
  return (
    <div class={isBad ? 'problem' : 'aside'} id="file-found" role={model.refusal || found ? 'status' : undefined}>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

function Row({ id, label, children }: { id: string; label: string; children: ComponentChildren }) {
  return (
    <div class="row">
      <label for={id}>{label}</label>
      {children}
    </div>
  );
}

/** Chooses a file of sparse examples and how it is read, and says what was found in it. */
export function FileChooser({ model }: { model: ChooserModel }) {
  const [file, setFile] = useState<File | null>(null);
  const [typed, setTyped] = useState({ format: '', limit: String(DEFAULT_MALFORMED_LIMIT), firstIndex: '1' });
  const formatOf = (chosen: File | null, how: typeof typed) =>
    (how.format || (chosen && formatOfName(chosen.name))) as SparseFormat | null | undefined;
  const format = formatOf(file, typed);
  const limit = Number(typed.limit);
  const isLimit = /^\d+$/.test(typed.limit) && limit <= MAX_MALFORMED;

  const choose = (next: File | null, how: typeof typed) => {
    setFile(next);
    setTyped(how);
    const known = formatOf(next, how);
    if (!next || !known || !/^\d+$/.test(how.limit)) return;
    model.deps.host.chooseExamples({
      kind: 'file',
      file: next,
      name: next.name,
      format: known,
      malformedLimit: Math.min(Number(how.limit), MAX_MALFORMED),
      firstIndex: how.firstIndex === '0' ? 0 : 1,
      features: model.experiment.value.features,
    });
  };

  return (
    <>
      <Row id="field-file" label="File">
        <input
          id="field-file"
          name="examples-file"
          type="file"
          accept=".tsv,.txt,.libsvm,.svm,.svmlight,.tfrecord,.tfrecords,.gz"
          aria-describedby="file-found"
          onChange={({ currentTarget }) => choose(currentTarget.files?.[0] ?? null, typed)}
        />
      </Row>
      <Found model={model} />
      <Row id="field-format" label="Format">
        <select
          id="field-format"
          name="format"
          value={typed.format}
          onChange={({ currentTarget }) => choose(file, { ...typed, format: currentTarget.value })}
        >
          <option value="">by its name</option>
          {Object.entries(formats).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        {file !== null && !format && <p class="problem">The name {file.name} does not tell the format: choose it.</p>}
      </Row>
      {format === 'libsvm' && (
        <Row id="field-first-index" label="First index">
          <select
            id="field-first-index"
            name="first-index"
            value={typed.firstIndex}
            onChange={({ currentTarget }) => choose(file, { ...typed, firstIndex: currentTarget.value })}
          >
            <option value="1">1</option>
            <option value="0">0</option>
          </select>
        </Row>
      )}
      <Row id="field-malformed" label="Skip malformed, at most">
        <input
          id="field-malformed"
          name="malformed"
          type="text"
          inputMode="numeric"
          autocomplete="off"
          value={typed.limit}
          aria-invalid={!isLimit}
          onChange={({ currentTarget }) => choose(file, { ...typed, limit: currentTarget.value.trim() })}
        />
        {!isLimit && <p class="problem">A whole number from 0 to {count(MAX_MALFORMED)}.</p>}
      </Row>
    </>
  );
}
