import { useState } from 'preact/hooks';
import { errorText } from '../../experiment/error-text.ts';
import { safeName } from '../../export/safe-name.ts';
import { zipBlob } from '../../export/zip.ts';
import { reportHtml } from '../../lab/report/html.ts';
import type { SweepResult } from '../../lab/sweep-result.ts';
import { bytes, counted } from '../../observe/format.ts';
import { save } from '../runs/export-everything.tsx';
import type { LabModel } from './model.ts';
import { labFiles, packedModels } from './zip.ts';

const PAGE_TYPE = 'text/html;charset=utf-8';

/**
 * Shows the report as it is now in another tab. A page made of a blob is held to this page's own policy, which runs no
 * script that is written in it. The blob stays as long as this page does, so that the report can be reloaded.
 */
export function openReport(result: SweepResult): void {
  const href = URL.createObjectURL(new Blob([reportHtml(result)], { type: PAGE_TYPE }));
  Object.assign(document.createElement('a'), { href, target: '_blank', rel: 'noopener' }).click();
}

/** Puts all there is of a lab into one archive, and says what became of it. */
async function saveEverything(model: LabModel, name: string, result: SweepResult): Promise<string> {
  const kept = await model.models();
  const models = packedModels(result.outcomes, kept);
  const file = model.lab.value?.file?.name ?? null;
  const zip = await zipBlob(labFiles(result, models, { backend: model.deps.backend, file }));
  save(`${name}.zip`, zip.type, [zip]);
  const trained = result.outcomes.filter(({ failure }) => failure === null).length;
  const without =
    models.size === trained ? '' : `, with the models of ${models.size} of ${counted(trained, 'trained run')}`;
  return `Saved, ${bytes(zip.size)}${without}`;
}

type Packing = { readonly kind: 'idle' } | { readonly kind: 'busy' | 'done' | 'failed'; readonly words: string };

const hints = {
  Open: 'The report of what is there so far, in another tab',
  HTML: 'One page with everything in it',
  'Everything (zip)':
    'Report, tables as CSV, and a folder per run: curves, log, TensorBoard events, trace, trained model',
};

/** What can be taken away of a lab, at any time. */
export function LabDownloads({ model }: { model: LabModel }) {
  const [packing, setPacking] = useState<Packing>({ kind: 'idle' });
  const name = safeName(model.lab.value?.id ?? '');
  const saveReport = (result: SweepResult) => save(`${name}.html`, PAGE_TYPE, [reportHtml(result)]);
  const saveAll = (result: SweepResult) => {
    setPacking({ kind: 'busy', words: 'Packing…' });
    saveEverything(model, name, result).then(
      (words) => setPacking({ kind: 'done', words }),
      (error: unknown) => setPacking({ kind: 'failed', words: `It could not be packed: ${errorText(error)}` }),
    );
  };
  const button = (label: keyof typeof hints, act: (result: SweepResult) => void, isBusy = false) => (
    <button
      type="button"
      class="text"
      disabled={isBusy || model.outcomes.value.size === 0}
      title={hints[label]}
      onClick={() => {
        const result = model.result();
        if (result !== null) act(result);
      }}
    >
      {label}
    </button>
  );
  return (
    <span class="downloads everything">
      Report {button('Open', openReport)}
      {button('HTML', saveReport)}
      {button('Everything (zip)', saveAll, packing.kind === 'busy')}
      <span role="status" class={packing.kind === 'failed' ? 'problem' : 'aside'}>
        {packing.kind === 'idle' ? '' : packing.words}
      </span>
    </span>
  );
}
