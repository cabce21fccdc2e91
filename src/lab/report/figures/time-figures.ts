import type { ExperimentKey } from '../../../experiment/experiment.ts';
import { setNumber } from '../../../observe/format.ts';
import type { Measured } from '../../measured.ts';
import type { Figure } from '../block.ts';
import { type NumberFormat, rates, seconds } from '../number-words.ts';
import { type Setting, type Subject, settingOf, tellingKeys, wordsOf } from '../sections/subject.ts';
import type { BarChart } from './chart.ts';
import { settingLook } from './palette.ts';

interface Quantity {
  readonly title: string;
  readonly format: NumberFormat;
  read(setting: Setting): Measured | null;
}

/** Time to the target, time of an epoch and pace as bars: by workers, by batch size, or else by whatever sets runs apart. */
export function timeFigures({ settings, target }: Subject): Figure[] {
  const quantities: Quantity[] = [
    ...(target === null
      ? []
      : [{ title: `Time to a test loss of ${setNumber(target)}`, format: seconds, read: toTarget }]),
    { title: 'Time of an epoch', format: seconds, read: ({ epochSeconds }) => epochSeconds },
    ...(target === null ? [{ title: 'Examples per second', format: rates, read: ofExamples }] : []),
  ];
  return axesOf(settings).map((key): Figure => {
    const charts = quantities.map((quantity) => ({ title: '', chart: bars(settings, key, quantity) }));
    const panels = charts.filter(({ chart }) => chart.bars.length > 0);
    return { kind: 'figure', id: `times-by-${key}`, caption: `Times by ${axisWords(key)}`, size: 'wide', panels };
  });
}

const toTarget = ({ secondsToTarget }: Setting) => secondsToTarget;
const ofExamples = ({ examplesPerSecond }: Setting) => examplesPerSecond;
const axisWords = (key: ExperimentKey): string => (key === 'batch' ? 'batch size' : key);

function axesOf(settings: readonly Setting[]): ExperimentKey[] {
  const keys = tellingKeys(settings.map(({ experiment }) => experiment));
  const usual = keys.filter((key) => key === 'workers' || key === 'batch');
  const other = keys.slice(0, 1);
  return usual.length > 0 ? usual : other.length > 0 ? other : ['strategy'];
}

function bars(settings: readonly Setting[], key: ExperimentKey, { title, format, read }: Quantity): BarChart {
  const known = settings.filter((setting) => read(setting) !== null);
  const values = [...new Set(known.map(({ experiment }) => settingOf(experiment, key)))];
  if (values.every((value) => typeof value === 'number')) values.sort((a, b) => a - b);
  const telling = tellingKeys(
    settings.map(({ experiment }) => experiment),
    [key],
  );
  const rest = telling.filter((each) => each !== key);
  // Where settings outnumber colours, a colour stands for what the bars of all categories have in common.
  const series = [...new Set(settings.map(({ experiment }) => wordsOf(experiment, rest)))];
  const isShared = settings.some(({ group }) => group !== '');
  return {
    kind: 'bars',
    x: { title: axisWords(key) },
    y: { title, format },
    categories: values.map((value) => (typeof value === 'number' ? setNumber(value) : value)),
    bars: known.map((setting) => {
      const { mean, spread } = read(setting) as Measured;
      const common = wordsOf(setting.experiment, rest);
      const [name, look] = isShared ? [common, settingLook(series.indexOf(common))] : [setting.name, setting.look];
      return {
        category: values.indexOf(settingOf(setting.experiment, key)),
        name,
        look,
        value: mean,
        spread,
      };
    }),
  };
}
