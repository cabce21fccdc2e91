import type { RunReport } from '../observe/run-report.ts';
import { curvesToCsv } from './curves.ts';
import { graphModel, WEIGHTS_FILE } from './model/graph-model.ts';
import { safetensors } from './model/safetensors.ts';
import type { TrainedModel } from './model/trained-model.ts';
import { type RunFile, textFile } from './run-file.ts';
import { logOf } from './run-log.ts';
import { runReadme } from './run-readme.ts';
import { bytesCsv, operatorsCsv, resourcesCsv, workerCurvesCsv, workersCsv } from './run-tables.ts';
import { tensorboardFiles } from './tensorboard.ts';
import { traceOf } from './trace.ts';

export type { TrainedModel } from './model/trained-model.ts';
export type { RunFile } from './run-file.ts';

/**
 * Everything about a run as the files of one folder, whose README says how to open each: report, log, tables,
 * TensorBoard events, trace, and the model, if it is given.
 */
export function runFiles(report: RunReport, model: TrainedModel | null): RunFile[] {
  const { id, experiment, series } = report;
  const curves = { id, experiment, startedAtMs: Date.parse(report.startedAt), summary: null, ...series };
  const operators = operatorsCsv(report);
  const trace = traceOf(report);
  const files = [
    textFile('run.json', `${JSON.stringify(report)}\n`),
    textFile('log.jsonl', logOf(report)),
    textFile('curves.csv', curvesToCsv([curves])),
    textFile('workers.csv', workersCsv(report)),
    textFile('worker-curves.csv', workerCurvesCsv(report)),
    textFile('resources.csv', resourcesCsv(report)),
    textFile('bytes.csv', bytesCsv(report)),
    ...(operators === null ? [] : [textFile('operators.csv', operators)]),
    ...(trace === null ? [] : [textFile('trace.json', trace)]),
    ...tensorboardFiles(report),
    ...(model === null ? [] : modelFiles(model)),
  ];
  const paths = files.map(({ path }) => path);
  return [textFile('README.md', runReadme(report, model, paths)), ...files];
}

function modelFiles(model: TrainedModel): RunFile[] {
  const graph = graphModel(model);
  const tensors = { path: 'model/model.safetensors', bytes: safetensors(model) };
  if (graph === null) return [tensors];
  return [textFile('model/model.json', graph.json), { path: `model/${WEIGHTS_FILE}`, bytes: graph.weights }, tensors];
}
