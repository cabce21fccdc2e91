import { aggregateNames } from '../src/experiment/experiment.ts';
import { realRun } from './real-run.ts';

export const name = 'poison';
export const describe =
  'softmax regression, sync ×8, two workers sending −10 × their gradient: test accuracy by aggregate';

const STEPS = 300;

export async function run(): Promise<object> {
  const shape = { batch: 50, lr: 0.3, maxSteps: STEPS, seed: 7, faulty: 2 };
  const clean = await realRun(8, shape);
  const accuracy: Record<string, number | null> = {};
  for (const aggregate of aggregateNames) {
    const report = await realRun(8, { ...shape, aggregate, emulate: '7-8:poison=-10' });
    accuracy[aggregate] = report.testAccuracy;
    console.error(aggregate, report.testAccuracy);
  }
  return { what: describe, steps: STEPS, clean: clean.testAccuracy, poisoned: accuracy };
}
