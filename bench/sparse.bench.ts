import { parseArgs } from 'node:util';
import { SparseBatchBuilder } from '../src/core/sparse/batch.ts';
import { StreamingEvaluation } from '../src/core/sparse/evaluation.ts';
import { CriteoFake } from '../src/data/sparse/criteo-fake.ts';
import { defaultExperiment, type Experiment } from '../src/experiment/experiment.ts';
import { sparseRates } from '../src/lab/presets/sparse-batch.ts';
import { ensureBuilt } from '../src/node/build.ts';
import { type MeasuredRun, measuredRun } from './measured-run.ts';

export const name = 'sparse';
export const describe =
  'logistic regression with 33.7 million parameters in real tabs: bytes, memory, steps; batch sizes';

const rateFor = (strategy: Experiment['strategy'], batch: number) =>
  sparseRates.findLast((row) => row.batch <= batch)?.[strategy === 'sync' ? 'sync' : 'async'] ?? 0.01;

export async function run(args: readonly string[]): Promise<object> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      part: { type: 'string', default: 'move' },
      host: { type: 'string', default: 'tab' },
      features: { type: 'string', default: '33762578' },
      workers: { type: 'string', default: '4' },
      steps: { type: 'string', default: '1000' },
      'dense-steps': { type: 'string', default: '3' },
      examples: { type: 'string', default: '200000' },
      batches: { type: 'string', default: '1,100,1000,10000' },
      strategies: { type: 'string', default: 'sync,async' },
      dist: { type: 'string' },
    },
  });
  const note = (line: string) => console.error(line);
  const dist = values.dist ?? (await ensureBuilt(note));
  const place = values.host === 'relay' ? 'relay' : 'tab';
  const strategies = values.strategies.split(',') as Experiment['strategy'][];
  const base: Experiment = {
    ...defaultExperiment,
    model: 'sparse-logistic',
    data: 'criteo-fake',
    features: Number(values.features),
    workers: Number(values.workers),
    examples: Number(values.examples),
    // A slow link makes long rounds, not lost ones.
    deadline: 3600,
    epochs: null,
  };
  const train = (experiment: Experiment) => measuredRun(experiment, { dist, place, note });
  const results: Record<string, object> = { where: { host: place, ...base } };
  if (values.part === 'move') {
    const denseBytes = 4 * (base.features + 1);
    const steps = Number(values.steps);
    for (const strategy of strategies) {
      const pushes = strategy === 'sync' ? steps : steps * base.workers;
      const lr = rateFor(strategy, base.batch);
      const measured = await train({ ...base, strategy, lr, maxSteps: pushes, evalEvery: 500 });
      results[strategy] = moved(measured, denseBytes);
      note(`${strategy}: ${JSON.stringify(results[strategy])}`);
    }
    const denseSteps = Number(values['dense-steps']);
    if (denseSteps === 0) return results;
    const whole = {
      ...base,
      model: 'dense-logistic',
      strategy: 'sync',
      maxSteps: denseSteps,
      evalEvery: 1000,
    } as const;
    results.whole = moved(await train({ ...whole, lr: rateFor('sync', base.batch) }), denseBytes);
    return results;
  }
  const planted = plantedAccuracy(base);
  for (const strategy of strategies) {
    for (const batch of values.batches.split(',').map(Number)) {
      const lr = rateFor(strategy, batch);
      const evalEvery = Math.max(1, Math.ceil(base.examples / batch / 10));
      const { report } = await train({ ...base, strategy, batch, lr, epochs: 1, evalEvery });
      const last = report.series.test.at(-1);
      const row = {
        lr,
        steps: report.steps,
        seconds: report.wallSeconds,
        examplesPerSecond: report.examples / report.wallSeconds,
        testLoss: last?.loss,
        testAccuracy: last?.accuracy,
        auc: last?.auc,
        pointsBelowPlanted: 100 * (planted - (last?.accuracy ?? 0)),
        bytesPerExample: bytesOf(report) / report.examples,
      };
      results[`${strategy} ${batch}`] = row;
      note(`${strategy} ${batch}: ${JSON.stringify(row)}`);
    }
  }
  return { planted, ...results };
}

const bytesOf = ({ workers }: MeasuredRun['report']) =>
  workers.reduce((sum, { bytesUp, bytesDown }) => sum + bytesUp.total + bytesDown.total, 0);

/** Per worker and exchange, both ways, against all parameters as float32 both ways; memory against one copy of them. */
function moved({ report, host, worker }: MeasuredRun, denseBytes: number): object {
  const exchanges = report.workers.reduce((sum, { steps }) => sum + steps, 0);
  const bytes = bytesOf(report) / exchanges;
  const times = report.series.train.map(({ elapsedMs }) => elapsedMs);
  return {
    steps: report.steps,
    seconds: report.wallSeconds,
    // Without the first, in which workers find what they need for the first time.
    secondsPerStep: ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000 / (report.steps - 1),
    bytesPerExchange: bytes,
    denseBytesPerExchange: 2 * denseBytes,
    oneIn: (2 * denseBytes) / bytes,
    oneInOneWay: denseBytes / bytes,
    hostMemory: { ...host, timesParameters: host.residentBytes / denseBytes, ownTimes: host.ownBytes / denseBytes },
    workerMemory: worker,
    testLoss: report.testLoss,
    testAccuracy: report.testAccuracy,
  };
}

/** What the model that made the labels gets right. */
function plantedAccuracy({ features }: Experiment): number {
  const fake = new CriteoFake({ features, seed: 1 });
  const test = new SparseBatchBuilder();
  fake.fill(test, 'test', 0, 20_000);
  const all = new StreamingEvaluation();
  all.add(fake.plantedScores(test), test.labels, test.count);
  return all.result().accuracy;
}
