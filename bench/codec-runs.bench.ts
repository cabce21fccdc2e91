import type { Experiment } from '../src/experiment/experiment.ts';
import { resolveExperiment } from '../src/models/plan.ts';
import { channelBytes, pushesOf, realRun } from './real-run.ts';

export const name = 'codec-runs';
export const describe =
  'LeNet, sync ×2, each codec: channel bytes per update ÷ (4 × parameters), and accuracy (--epochs 3; --steps 40 for bytes alone)';

const codecs: Record<string, Partial<Experiment>> = {
  float32: {},
  float16: { up: 'float16', down: 'float16' },
  int8: { up: 'int8', down: 'int8' },
  // What is sent of each number comes seldom and large, which Adam damps: it wants a higher rate.
  'top 1 %': { up: 'topk', topk: 0.01, lr: 0.004 },
  'local ×16, int8': { strategy: 'local', localSteps: 16, up: 'int8', down: 'int8', lr: 0.001 },
};

export async function run(args: readonly string[]): Promise<object> {
  const epochs = args.includes('--epochs') ? Number(args[args.indexOf('--epochs') + 1]) : null;
  const steps = args.includes('--steps') ? Number(args[args.indexOf('--steps') + 1]) : 40;
  const shape = { model: 'lenet', optimizer: 'adam', lr: 0.002, batch: 64, seed: 7 } as const;
  const rows: Record<string, object> = {};
  let baseline: { bytes: number; examples: number } | null = null;
  for (const [title, codec] of Object.entries(codecs)) {
    const report = await realRun(2, { ...shape, ...codec, epochs, maxSteps: epochs === null ? steps : null });
    const { up, down } = channelBytes(report);
    const denseBytes = 4 * resolveExperiment(report.experiment).schema.size;
    baseline ??= { bytes: up + down, examples: report.examples };
    const perExample = (up + down) / report.examples;
    rows[title] = {
      upPerUpdate: up / pushesOf(report) / denseBytes,
      downPerUpdate: down / pushesOf(report) / denseBytes,
      bytesPerExampleAgainstFloat32: perExample / (baseline.bytes / baseline.examples),
      examples: report.examples,
      testAccuracy: report.testAccuracy,
      wallSeconds: report.wallSeconds,
    };
    console.error(title, JSON.stringify(rows[title]));
  }
  return { what: describe, rows };
}
