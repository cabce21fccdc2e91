import { courseReport, preset } from './preset.ts';

/** What moving only the parameters that a batch touches saves. */
export const sparseDense = preset({
  name: 'sparse-dense',
  title: 'Logistic regression on click logs, all parameters moved or only those touched',
  about:
    'What does a synchronous round cost when all 33,762,578 parameters move, and what when only those move that a batch of 20 touches? ' +
    'Two workers; the click logs are generated.',
  base: {
    data: 'criteo-fake',
    features: 33_762_578,
    strategy: 'sync',
    workers: 2,
    batch: 20,
    lr: 0.5,
    maxSteps: 20,
    evalEvery: 1000,
    deadline: 3600,
  },
  cases: [{ model: 'sparse-logistic' }, { model: 'dense-logistic' }],
  references: [courseReport({ model: 'dense-logistic' }, 'stepSeconds', '7.1')],
  // A round that moves all of them may take half a minute where two cores do the work of three tabs.
  quick: { base: { maxSteps: 3 } },
});
