import { textFile } from '../export/run-file.ts';
import type { RunFile } from '../export/run-files.ts';
import { reportHtml } from '../lab/report/html.ts';
import { reportMarkdown } from '../lab/report/markdown.ts';
import type { SweepResult } from '../lab/sweep-result.ts';

/** The report of a sweep as files: a page, a text, and the tables and pictures that it shows. */
export function reportFiles(result: SweepResult): RunFile[] {
  const { markdown, files } = reportMarkdown(result);
  return [
    ...files.map(({ path, text }) => textFile(path, text)),
    textFile('report.md', markdown),
    textFile('report.html', reportHtml(result)),
  ];
}
