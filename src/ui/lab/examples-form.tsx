import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { ExampleSource } from '../../host/example-server.ts';
import { FileChooser } from '../host/file-chooser.tsx';
import { fileWords } from './examples.ts';
import type { LabModel } from './model.ts';
import type { LabRoom } from './room.ts';

/** Chooses the file of examples that the runs of a lab take; the same again after a reload. */
export function ExamplesForm({ model, room }: { model: LabModel; room: LabRoom }) {
  const chosen = model.examples.value;
  const wanted = model.lab.value?.file ?? null;
  const source = useMemo(
    () => ({
      state: room.state,
      // It is read at once with as many features as the first run that takes it has.
      experiment: computed(
        () => model.runs.value.find(({ experiment }) => experiment.data === 'file')?.experiment ?? model.invited.value,
      ),
      deps: { host: { chooseExamples: (source: ExampleSource) => model.chooseExamples(source) } },
    }),
    [model, room],
  );
  return (
    <form aria-label="Examples" onSubmit={(event) => event.preventDefault()}>
      <fieldset disabled={model.progress.value !== null}>
        <h2>Examples</h2>
        <FileChooser
          model={{
            ...source,
            refusal: chosen.kind === 'refused' ? chosen.words : null,
            hint:
              chosen.kind === 'none' && wanted !== null
                ? `This lab’s runs are about ${fileWords(wanted)}: choose it again to go on.`
                : null,
          }}
        />
      </fieldset>
    </form>
  );
}
