import './export-everything.css';
import { useState } from 'preact/hooks';
import type { Host, RunLog } from '../../host/state.ts';
import { bytes } from '../../observe/format.ts';
import { type RunReport, runReport } from '../../observe/run-report.ts';
import { earlierReport, thisMachine } from './export-report.ts';

/** Gives the browser a file to keep. */
export function save(name: string, type: string, parts: BlobPart[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  // The download has taken hold of the blob by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A report of any run: complete for the host's own, from what was kept for an earlier one. */
function reportOf(host: Host, log: RunLog): RunReport {
  const { run, workers } = host.state;
  return run?.id === log.id ? runReport({ run, workers }, log, thisMachine()) : earlierReport(log);
}

/** Puts all there is of a run into one zip archive; the model with it as long as the host still has it. */
async function everything(host: Host, log: RunLog, say: (words: string) => void): Promise<string> {
  // Only whoever downloads needs them.
  const [{ runFiles }, { zipBlob }] = await Promise.all([
    import('../../export/run-files.ts'),
    import('../../export/zip.ts'),
  ]);
  const isOwn = host.state.run?.id === log.id;
  say(isOwn ? 'Fetching the model…' : 'Collecting…');
  const trained = isOwn ? await host.parameters() : null;
  say('Writing the files…');
  const files = runFiles(reportOf(host, log), trained && { experiment: log.experiment, ...trained });
  const total = files.reduce((sum, file) => sum + file.bytes.length, 0);
  say(`Packing ${bytes(total)}…`);
  const zip = await zipBlob(files);
  save(`manyhands-${log.id}.zip`, zip.type, [zip]);
  const size = bytes(zip.size);
  return trained === null ? `Saved, ${size}, without the model` : `Saved, ${size}`;
}

type Download = { readonly kind: 'idle' } | { readonly kind: 'busy' | 'done' | 'failed'; readonly words: string };

interface EverythingProps {
  readonly host: Host;
  readonly log: RunLog | null;
  readonly label: string;
  /** Which run, for who cannot see the row it is in. */
  readonly name?: string;
}

/** The button that downloads all of a run, with words while it does. */
export function EverythingButton({ host, log, label, name }: EverythingProps) {
  const [download, setDownload] = useState<Download>({ kind: 'idle' });
  const isOwn = log !== null && host.state.run?.id === log.id;
  const hint = isOwn
    ? 'Report, log, tables, TensorBoard files, trace and the model as it is now, in one archive'
    : 'Report, log, tables, TensorBoard files and trace in one archive. The model is not kept for earlier runs.';
  const start = () => {
    if (log === null) return;
    const say = (words: string) => setDownload({ kind: 'busy', words });
    say('Collecting…');
    everything(host, log, say).then(
      (words) => setDownload({ kind: 'done', words }),
      (error: unknown) => setDownload({ kind: 'failed', words: `It could not be packed: ${(error as Error).message}` }),
    );
  };
  return (
    <span class="everything">
      <button
        type="button"
        class="text"
        disabled={log === null || download.kind === 'busy'}
        title={hint}
        aria-label={name === undefined ? undefined : `${label} of ${name}`}
        onClick={start}
      >
        {label}
      </button>
      <span role="status" class={download.kind === 'failed' ? 'problem' : 'aside'}>
        {download.kind === 'idle' ? '' : download.words}
      </span>
    </span>
  );
}
