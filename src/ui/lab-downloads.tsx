import { useState } from 'preact/hooks';
import { textFile } from '../export/run-file.ts';
import { type RunFile, runFiles } from '../export/run-files.ts';
import { safeName } from '../export/safe-name.ts';
import { zipPieces } from '../export/zip.ts';
import { reportHtml } from '../lab/report/html.ts';
import { reportMarkdown } from '../lab/report/markdown.ts';
import type { SweepResult } from '../lab/sweep-result.ts';
import type { LabModel } from './lab-model.ts';

/** A lab as the files of one folder: the report, its tables, and a folder per run, as the command line lays them out. */
export function labFiles(result: SweepResult): RunFile[] {
  const { sweep, isQuick, startedAt } = result;
  const { markdown, files } = reportMarkdown(result);
  return [
    textFile('report.html', reportHtml(result)),
    textFile('report.md', markdown),
    textFile('sweep.json', `${JSON.stringify({ format: 'manyhands-sweep/1', sweep, isQuick, startedAt }, null, 2)}\n`),
    ...files.map(({ path, text }) => textFile(path, text)),
    ...result.outcomes.flatMap(({ report, ...outcome }) => {
      const own = [textFile('outcome.json', `${JSON.stringify(outcome, null, 2)}\n`)];
      if (report !== null) own.push(...runFiles(report, null));
      return own.map(({ path, bytes }) => ({ path: `runs/${outcome.key}/${path}`, bytes }));
    }),
  ];
}

function follow(
  blob: Blob,
  target: { readonly download: string } | { readonly target: '_blank'; readonly rel: string },
) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), ...target });
  link.click();
  return link.href;
}

function save(name: string, blob: Blob): void {
  const url = follow(blob, { download: name });
  // The download has taken hold of the blob by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const pageOf = (result: SweepResult): Blob => new Blob([reportHtml(result)], { type: 'text/html;charset=utf-8' });

/**
 * Shows the report as it is now in another tab. A page made of a blob is held to this page's own policy, which runs no
 * script that is written in it. The blob stays as long as this page does, so that the report can be reloaded.
 */
export function openReport(model: LabModel): void {
  const result = model.result();
  if (result !== null) follow(pageOf(result), { target: '_blank', rel: 'noopener' });
}

/** What can be taken away of a lab, at any time. */
export function LabDownloads({ model }: { model: LabModel }) {
  const [isPacking, setPacking] = useState(false);
  const lab = model.lab.value;
  const isEmpty = model.outcomes.value.size === 0;
  const name = lab === null ? '' : safeName(lab.id);
  const saveReport = () => {
    const result = model.result();
    if (result !== null) save(`${name}.html`, pageOf(result));
  };
  const saveAll = async () => {
    const result = model.result();
    if (result === null) return;
    setPacking(true);
    try {
      save(`${name}.zip`, new Blob(await zipPieces(labFiles(result)), { type: 'application/zip' }));
    } finally {
      setPacking(false);
    }
  };
  return (
    <span class="downloads">
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
        disabled={isEmpty || isPacking}
        title="Report, tables as CSV, and a folder per run: curves, log, TensorBoard events, trace"
        onClick={() => void saveAll()}
      >
        {isPacking ? 'Packing…' : 'Everything (zip)'}
      </button>
    </span>
  );
}
