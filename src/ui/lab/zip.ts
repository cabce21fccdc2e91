import type { RunFile, TrainedModel } from '../../export/run-files.ts';
import { MAX_ZIP_BYTES } from '../../export/zip.ts';
import { type LabSetting, outcomeFiles, reportFiles, runFolder, sweepFile } from '../../lab/files.ts';
import type { SweepOutcome, SweepResult } from '../../lab/sweep-result.ts';
import type { KeptModel } from '../../store/labs.ts';

/** What is in a run's folder beside its model, at most: the model comes as weights and as safetensors. */
const OTHER_BYTES = 20e6;

/** Which of the kept models an archive has room for, in the order of the runs. */
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

/** A lab as the files of one folder that the command line can go on in, made one after another. */
export async function* labFiles(
  result: SweepResult,
  models: ReadonlyMap<string, KeptModel>,
  setting: Pick<LabSetting, 'backend' | 'file'>,
): AsyncGenerator<RunFile> {
  const { sweep, isQuick, startedAt, machine } = result;
  yield sweepFile({ sweep, isQuick, host: 'tab', ...setting }, startedAt);
  yield* reportFiles(result);
  for (const outcome of result.outcomes) {
    const model = await trainedModel(outcome, models.get(outcome.key));
    for (const { path, bytes } of outcomeFiles(outcome, { model, problems: [], machine })) {
      yield { path: `${runFolder(outcome.key)}/${path}`, bytes };
    }
  }
}

async function trainedModel({ experiment }: SweepOutcome, kept: KeptModel | undefined): Promise<TrainedModel | null> {
  return kept ? { experiment, version: kept.version, params: new Float32Array(await kept.params.arrayBuffer()) } : null;
}
