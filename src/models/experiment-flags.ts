import {
  aggregateNames,
  defaultExperiment,
  downNames,
  type ExperimentKey,
  optimizerNames,
  strategyNames,
  upNames,
} from '../experiment/experiment.ts';
import { dataTitles, modelTitles } from './plan.ts';

const usual = defaultExperiment;

const dataNames = Object.keys(dataTitles).filter((name) => name !== 'file');

/** What an experiment's fields are called on a command line; `workers` is the commands' own, `entries` is found. */
export const experimentFlags = {
  model: { flag: 'model', value: 'name', describe: `${Object.keys(modelTitles).join(', ')} (${usual.model})` },
  data: { flag: 'data', value: 'name', describe: `${dataNames.join(', ')}, or a file (${usual.data})` },
  strategy: { flag: 'strategy', value: 'name', describe: `${strategyNames.join(', ')} (${usual.strategy})` },
  backup: { flag: 'backup', value: 'count', describe: 'sync, local: a round goes on without its slowest workers (0)' },
  deadline: { flag: 'deadline', value: 'seconds', describe: 'how long a round may take (four times the usual)' },
  maxStaleness: { flag: 'max-staleness', value: 'versions', describe: 'async: a push older than this is not applied' },
  damping: { flag: 'damping', value: 'name', describe: 'async, bounded: none or inverse, by staleness (none)' },
  overlap: { flag: 'overlap', describe: 'async: compute the next step while the last push is on its way' },
  lead: { flag: 'lead', value: 'steps', describe: `bounded: how far ahead of the slowest (${usual.lead})` },
  localSteps: { flag: 'local-steps', value: 'count', describe: `local: steps per exchange (${usual.localSteps})` },
  outer: { flag: 'outer', value: 'name', describe: `local: average or nesterov (${usual.outer})` },
  outerLr: { flag: 'outer-lr', value: 'number', describe: 'local: the outer learning rate' },
  aggregate: { flag: 'aggregate', value: 'name', describe: `sync, local: ${aggregateNames.join(', ')} (mean)` },
  faulty: { flag: 'faulty', value: 'count', describe: `trimmed, krum: how many may lie (${usual.faulty})` },
  up: { flag: 'up', value: 'codec', describe: `how gradients travel: ${upNames.join(', ')} (${usual.up})` },
  down: { flag: 'down', value: 'codec', describe: `how parameters travel: ${downNames.join(', ')} (${usual.down})` },
  topk: { flag: 'topk', value: 'share', describe: `topk: the share that is sent (${usual.topk})` },
  emulate: { flag: 'emulate', value: 'rules', describe: 'made-up, e.g. "2:slow=10 *:latency=40 host:apply=20"' },
  batch: { flag: 'batch', value: 'count', describe: `examples per worker and step (${usual.batch})` },
  lr: { flag: 'lr', value: 'number', describe: `learning rate (${usual.lr})` },
  optimizer: { flag: 'optimizer', value: 'name', describe: `${optimizerNames.join(', ')} (${usual.optimizer})` },
  l1: { flag: 'l1', value: 'number', describe: 'ftrl: what sums of gradients must exceed to count (0)' },
  l2: { flag: 'l2', value: 'number', describe: 'ftrl: how strongly parameters are drawn to zero (0)' },
  features: { flag: 'features', value: 'count', describe: `sparse models: how many features (${usual.features})` },
  examples: { flag: 'examples', value: 'count', describe: `generated click logs: per epoch (${usual.examples})` },
  evalEvery: { flag: 'eval-every', value: 'steps', describe: `steps between two tests (${usual.evalEvery})` },
  untilLoss: { flag: 'until-loss', value: 'number', describe: 'stop when the test loss is this or less' },
  maxSteps: { flag: 'max-steps', value: 'count', describe: 'stop after this many steps' },
  epochs: {
    flag: 'epochs',
    value: 'number',
    describe: `stop after this many passes, or off (${usual.epochs} if no other rule)`,
  },
  minutes: { flag: 'minutes', value: 'number', describe: 'stop after this much training time' },
  seed: { flag: 'seed', value: 'number', describe: `decides the order of the data and the start (${usual.seed})` },
} as const satisfies Record<
  Exclude<ExperimentKey, 'workers' | 'entries'>,
  { flag: string; value?: string; describe: string }
>;

/** The rules that may end a run; typing one of them turns the usual number of epochs off. */
export const stopKeys = ['untilLoss', 'maxSteps', 'epochs', 'minutes'] as const satisfies readonly ExperimentKey[];
