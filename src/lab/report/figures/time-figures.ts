import type { ExperimentKey } from '../../../experiment/experiment.ts';
import { setNumber } from '../../../observe/format.ts';
import type { Measured } from '../../measured.ts';
import type { Figure } from '../block.ts';
import { epochTime, exampleRate, type Quantity, timeToTarget } from '../sections/quantities.ts';
import { type Setting, type Subject, settingValue, tellingKeys, wordsOf } from '../sections/subject.ts';
import type { BarChart } from './chart.ts';
import { settingLook } from './palette.ts';

/** Time to the target, time of an epoch and pace as bars: by workers, by batch size, or else by whatever sets runs apart. */
export function timeFigures({ settings, target }: Subject): Figure[] {
  const quantities = target === null ? [epochTime, exampleRate] : [timeToTarget(target), epochTime];
  return axesOf(settings).map((key): Figure => {
    const charts = quantities.map((quantity) => ({ title: '', chart: bars(settings, key, quantity) }));
    const panels = charts.filter(({ chart }) => chart.bars.length > 0);
    return { kind: 'figure', id: `times-by-${key}`, caption: `Times by ${axisWords(key)}`, size: 'wide', panels };
  });
}

const axisWords = (key: ExperimentKey): string => (key === 'batch' ? 'batch size' : key);

function axesOf(settings: readonly Setting[]): ExperimentKey[] {
  const keys = tellingKeys(settings.map(({ experiment }) => experiment));
  const usual = keys.filter((key) => key === 'workers' || key === 'batch');
  const other = keys.slice(0, 1);
  return usual.length > 0 ? usual : other.length > 0 ? other : ['strategy'];
}

function bars(settings: readonly Setting[], key: ExperimentKey, { title, format, read }: Quantity): BarChart {
  const known = settings.filter((setting) => read(setting) !== null);
  const values = [...new Set(known.map(({ experiment }) => settingValue(experiment, key)))];
  if (values.every((value) => typeof value === 'number')) values.sort((a, b) => a - b);
  const experiments = settings.map(({ experiment }) => experiment);
  const rest = tellingKeys(experiments, [key]).filter((each) => each !== key);
  // Where settings outnumber colours, a colour stands for what the bars of all categories have in common.
  const series = [...new Set(experiments.map((experiment) => wordsOf(experiment, rest)))];
  const isShared = settings.some(({ group }) => group !== '');
  return {
    kind: 'bars',
    x: { title: axisWords(key) },
    y: { title, format },
    categories: values.map((value) => (typeof value === 'number' ? setNumber(value) : String(value))),
    bars: known.map((setting) => {
      const { mean, spread } = read(setting) as Measured;
      const common = wordsOf(setting.experiment, rest);
      const [name, look] = isShared ? [common, settingLook(series.indexOf(common))] : [setting.name, setting.look];
      return { category: values.indexOf(settingValue(setting.experiment, key)), name, look, value: mean, spread };
    }),
  };
}
