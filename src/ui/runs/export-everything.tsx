import './export-everything.css';
import { useState } from 'preact/hooks';
import { errorText } from '../../experiment/error-text.ts';
import type { Host } from '../../host/state.ts';
import { bytes } from '../../observe/format.ts';
import type { ShownRun } from '../host/model.ts';
import { reportOf } from './export-report.ts';

/** Gives the browser a file to keep. */
export function save(name: string, type: string, parts: BlobPart[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  // The download has taken hold of the blob by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Puts all there is of a run into one zip archive; the model with it as long as the host still has it. */
async function everything(host: Host, run: ShownRun, say: (words: string) => void): Promise<string> {
  // Only whoever downloads needs them.
  const [{ runFiles }, { zipBlob }] = await Promise.all([
    import('../../export/run-files.ts'),
    import('../../export/zip.ts'),
  ]);
  const report = reportOf(run);
  if (report === null) throw new Error('of this run only its curves are known');
  if (run.slot === 0) say('Fetching the model…');
  const trained = run.slot === 0 ? await host.parameters() : null;
  say('Writing the files…');
  const files = runFiles(report, trained && { experiment: run.log.experiment, ...trained });
  say(`Packing ${bytes(files.reduce((sum, file) => sum + file.bytes.length, 0))}…`);
  const zip = await zipBlob(files);
  save(`manyhands-${run.log.id}.zip`, zip.type, [zip]);
  return `Saved, ${bytes(zip.size)}${trained === null ? ', without the model' : ''}`;
}

type Download = { readonly kind: 'idle' | 'busy' | 'done' | 'failed'; readonly words: string };

interface EverythingProps {
  readonly host: Host;
  readonly run: ShownRun | undefined;
  readonly label: string;
  /** Which run, for who cannot see the row it is in. */
  readonly name?: string;
}

/** The button that downloads all of a run, with words while it does. */
export function EverythingButton({ host, run, label, name }: EverythingProps) {
  const [download, setDownload] = useState<Download>({ kind: 'idle', words: '' });
  const hint =
    run?.slot === 0
      ? 'Report, log, tables, TensorBoard files, trace and the model as it is now, in one archive'
      : 'Report, log, tables, TensorBoard files and trace in one archive. The model is not kept for earlier runs.';
  const start = () => {
    if (run === undefined) return;
    const say = (words: string) => setDownload({ kind: 'busy', words });
    say('Collecting…');
    everything(host, run, say).then(
      (words) => setDownload({ kind: 'done', words }),
      (error: unknown) => setDownload({ kind: 'failed', words: `It could not be packed: ${errorText(error)}` }),
    );
  };
  return (
    <span class="everything">
      <button
        type="button"
        class="text"
        disabled={!run?.moment || download.kind === 'busy'}
        title={hint}
        aria-label={name === undefined ? undefined : `${label} of ${name}`}
        onClick={start}
      >
        {label}
      </button>
      <span role="status" class={download.kind === 'failed' ? 'problem' : 'aside'}>
        {download.words}
      </span>
    </span>
  );
}
