import { useState } from 'preact/hooks';
import { errorText } from '../../experiment/error-text.ts';
import { safeName } from '../../export/safe-name.ts';
import { zipBlob } from '../../export/zip.ts';
import { reportHtml } from '../../lab/report/html.ts';
import type { SweepResult } from '../../lab/sweep-result.ts';
import { save } from '../runs/export-everything.tsx';
import { bytes, counted } from '../words/format.ts';
import type { LabModel } from './model.ts';
import { labFiles, packedModels } from './zip.ts';

const PAGE_TYPE = 'text/html;charset=utf-8';

/**
 * Shows the report as it is now in another tab. A page made of a blob is held to this page's own policy, which runs no
 * script that is written in it. The blob stays as long as this page does, so that the report can be reloaded.
 */
export function openReport(model: LabModel): void {
  const result = model.result();
  if (result === null) return;
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

/** What can be taken away of a lab, at any time. */
export function LabDownloads({ model }: { model: LabModel }) {
  const [packing, setPacking] = useState<Packing>({ kind: 'idle' });
  const lab = model.lab.value;
  const isEmpty = model.outcomes.value.size === 0;
  const name = lab === null ? '' : safeName(lab.id);
  const saveReport = () => {
    const result = model.result();
    if (result !== null) save(`${name}.html`, PAGE_TYPE, [reportHtml(result)]);
  };
  const saveAll = () => {
    const result = model.result();
    if (result === null) return;
    setPacking({ kind: 'busy', words: 'Packing…' });
    saveEverything(model, name, result).then(
      (words) => setPacking({ kind: 'done', words }),
      (error: unknown) => setPacking({ kind: 'failed', words: `It could not be packed: ${errorText(error)}` }),
    );
  };
  return (
    <span class="downloads everything">
      Report{' '}
      <button
        type="button"
        class="text"
        disabled={isEmpty}
        title="The report of what is there so far, in another tab"
        onClick={() => openReport(model)}
      >
        Open
      </button>
      <button type="button" class="text" disabled={isEmpty} title="One page with everything in it" onClick={saveReport}>
        HTML
      </button>
      <button
        type="button"
        class="text"
        disabled={isEmpty || packing.kind === 'busy'}
        title="Report, tables as CSV, and a folder per run: curves, log, TensorBoard events, trace, trained model"
        onClick={saveAll}
      >
        Everything (zip)
      </button>
      <span role="status" class={packing.kind === 'failed' ? 'problem' : 'aside'}>
        {packing.kind === 'idle' ? '' : packing.words}
      </span>
    </span>
  );
}
