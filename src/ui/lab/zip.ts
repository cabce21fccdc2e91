import { type RunFile, textFile } from '../../export/run-file.ts';
import { runFiles, type TrainedModel } from '../../export/run-files.ts';
import { MAX_ZIP_BYTES } from '../../export/zip.ts';
import { reportHtml } from '../../lab/report/html.ts';
import { reportMarkdown } from '../../lab/report/markdown.ts';
import type { SweepOutcome, SweepResult } from '../../lab/sweep-result.ts';
import type { Machine } from '../../observe/run-report.ts';
import type { KeptModel } from '../../store/labs.ts';

/** How a lab was run, beside its sweep: what the command line compares before it goes on in a folder. */
export interface LabSetting {
  readonly backend: string;
  /** The name of the file that its data is, if one is. */
  readonly file: string | null;
}

/** What is in a run's folder beside its model, at most: the model comes as weights and as safetensors. */
const OTHER_BYTES = 20e6;

/**
 * Which models an archive has room for, in the order of the runs; `kept` are those there are.
 */
export function packedModels(
  outcomes: readonly SweepOutcome[],
  kept: ReadonlyMap<string, KeptModel>,
): ReadonlyMap<string, KeptModel> {
  let leftBytes = MAX_ZIP_BYTES - outcomes.length * OTHER_BYTES;
  return new Map(
    outcomes.flatMap(({ key }) => {
      const model = kept.get(key);
      if (model === undefined || 2 * model.params.size > leftBytes) return [];
      leftBytes -= 2 * model.params.size;
      return [[key, model] as const];
    }),
  );
}

/** A lab as the files of one folder, as the command line lays them out: the report, its tables, and a folder per run, made one after another. */
export async function* labFiles(
  result: SweepResult,
  models: ReadonlyMap<string, KeptModel>,
  { backend, file }: LabSetting,
): AsyncGenerator<RunFile> {
  const { sweep, isQuick, startedAt, machine } = result;
  const { markdown, files } = reportMarkdown(result);
  const about = { format: 'manyhands-sweep/1', sweep, isQuick, host: 'tab', backend, file, startedAt };
  yield textFile('report.html', reportHtml(result));
  yield textFile('report.md', markdown);
  yield textFile('sweep.json', `${JSON.stringify(about, null, 2)}\n`);
  for (const { path, text } of files) yield textFile(path, text);
  for (const outcome of result.outcomes) {
    for (const { path, bytes } of await filesOf(outcome, models.get(outcome.key), machine)) {
      yield { path: `runs/${outcome.key}/${path}`, bytes };
    }
  }
}

async function filesOf(
  { report, ...outcome }: SweepOutcome,
  kept: KeptModel | undefined,
  machine: Machine,
): Promise<RunFile[]> {
  const about = textFile('outcome.json', `${JSON.stringify({ ...outcome, problems: [], machine }, null, 2)}\n`);
  if (report === null) return [about];
  const model: TrainedModel | null = kept
    ? {
        experiment: outcome.experiment,
        version: kept.version,
        params: new Float32Array(await kept.params.arrayBuffer()),
      }
    : null;
  return [about, ...runFiles(report, model)];
}
