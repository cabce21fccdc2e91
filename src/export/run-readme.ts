import { experimentToQuery } from '../experiment/experiment.ts';
import { dataTitles, modelTitles } from '../models/plan.ts';
import { counted, duration, plainSpaces } from '../observe/format.ts';
import type { RunReport } from '../observe/run-report.ts';
import { commandOf } from './command.ts';
import { inputWords, resolveTrained, type TrainedModel } from './model/trained-model.ts';
import { resultWords, stopWords } from './summary-table.ts';

/** What is in a run's folder, how to open each file, and how to repeat the run; `paths` are the files there are. */
export function runReadme(report: RunReport, model: TrainedModel | null, paths: readonly string[]): string {
  const sections = [
    head(report),
    '## Files',
    paths.flatMap((path) => (path in about ? [`- \`${path}\`: ${about[path]}`] : [])).join('\n'),
    ...(paths.some((path) => path.startsWith('tensorboard/')) ? [tensorboard] : []),
    ...(paths.includes('trace.json') ? [trace] : []),
    ...(model === null ? [noModel] : modelSections(model)),
    repeat(report),
  ];
  return `${sections.join('\n\n')}\n`;
}

const about: Readonly<Record<string, string>> = {
  'run.json': 'the whole report: everything below but the model is made from it. `jq .experiment run.json`',
  'log.jsonl':
    'what happened, one JSON object a line, in time order: `started`, `train`, `worker`, `test`, `resources`, `step`, `evaluation`, `checkpoint`, `finished`. `jq -c \'select(.event == "test")\' log.jsonl`, or `pandas.read_json("log.jsonl", lines=True)`',
  'curves.csv': 'training and test curves; any spreadsheet, or `pandas.read_csv("curves.csv")`',
  'workers.csv': 'one line a worker: its steps, where its time went, what it moved',
  'worker-curves.csv': "each worker's own loss and accuracy",
  'resources.csv': 'processor, memory, network and disk of each node over time; bytes are totals so far',
  'bytes.csv': 'bytes by node, direction and kind; those of a node and direction add up to what its wire carried',
  'operators.csv': 'one step taken apart, operator by operator',
  'trace.json': 'the last steps in time, as a Chrome trace',
  'model/model.json': 'the model as a TensorFlow.js graph model',
  'model/weights.bin': 'its weights',
  'model/model.safetensors': 'the parameters in safetensors format',
};

function head({ id, experiment, emulated, phase, stopReason, startedAt, ...report }: RunReport): string {
  const { model, data, strategy, workers, seed } = experiment;
  const facts = [
    `${modelTitles[model] ?? model} on ${dataTitles[data] ?? data}, ${strategy}, ${counted(workers, 'worker')}, seed ${seed}`,
    `started ${startedAt}; ${stopReason === null ? `not ended (${phase})` : `ended because ${stopWords[stopReason]}`}`,
    `${counted(report.steps, 'step')}, ${counted(report.examples, 'example')}, ${duration(report.wallSeconds * 1000)} of training`,
    report.testLoss === null ? 'never tested' : resultWords(report.testLoss, report.testAccuracy),
    ...(emulated === null ? [] : [`**made-up conditions**: ${emulated}`]),
  ];
  return plainSpaces(`# Manyhands run ${id}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}`);
}

const tensorboard = `## TensorBoard

\`\`\`
pip install tensorboard
tensorboard --logdir tensorboard
\`\`\`

One line for each worker, \`evaluation\` (the whole test set) and \`training\` (each update) in the charts \`loss\`, \`accuracy\` and \`auc\`; what nodes
used is under \`resources\`, at the step that training had reached by then. Choose *Relative* or *Wall* as the axis to see it over time.`;

const trace = `## The timeline

Open \`trace.json\` at https://ui.perfetto.dev (it stays on your machine) or at \`chrome://tracing\`. The host and each worker are processes, what they do are
threads; arrows lead from a push to where it was applied and on to the worker's next step. Times are by the host's clock: the way to a worker and
back is known only in sum, and is drawn half before its work and half after.`;

const noModel = `## The model

The parameters were not at hand when this folder was written.`;

function modelSections(trained: TrainedModel): string[] {
  const named = resolveTrained(trained);
  const { version } = trained;
  const input = `Parameters after ${version} updates. Input: ${inputWords(named)}.`;
  const python = `In Python:

\`\`\`python
from safetensors import safe_open  # pip install safetensors numpy
with safe_open('model/model.safetensors', framework='numpy') as file:
    print(file.metadata())
    weights = {name: file.get_tensor(name) for name in file.keys()}
\`\`\``;
  if (named.kind === 'sparse') {
    const why = `There is no \`model.json\`: as a graph the model would take a dense vector of all ${named.schema.size - 1} features. Look the weights of an example's features up instead.`;
    return [`## The model\n\n${input}\n\n${why}\n\n${python}`];
  }
  const shape = [1, ...named.data.input].join(', ');
  const browser = `In a page or in Node, with TensorFlow.js (\`npm install @tensorflow/tfjs\`):

\`\`\`js
import * as tf from "@tensorflow/tfjs";
const model = await tf.loadGraphModel('model/model.json'); // an address that serves this folder
const pixels = new Float32Array(${named.data.input.join(' * ')}); // 0 … 255
const probabilities = model.predict(tf.tensor(pixels, [${shape}]).div(255));
\`\`\``;
  const kernels =
    'Kernels of convolutions are [height, width, channels in, channels out], those of dense layers [in, out].';
  const netron =
    'To look at it, open `model/model.json` at https://netron.app (it stays on your machine) or with `netron model/model.json`.';
  return [`## The model\n\n${input}\n\n${netron}\n\n${browser}\n\n${python}\n\n${kernels}`];
}

function repeat({ experiment, workers }: RunReport): string {
  const command = commandOf(
    experiment,
    workers.some(({ isLocal }) => isLocal),
  );
  return `## To repeat the run

In a copy of Manyhands:

\`\`\`
${command}
\`\`\`

Or open the app with these settings, at its address followed by:

\`\`\`
#${experimentToQuery(experiment)}
\`\`\``;
}
