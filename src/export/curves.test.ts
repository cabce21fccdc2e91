import { expect, test } from 'vitest';
import { defaultExperiment } from '../experiment/experiment.ts';
import { type Curves, curvesToCsv, curvesToJson } from './curves.ts';

const run: Curves = {
  id: 'r1',
  experiment: { ...defaultExperiment, strategy: 'async', workers: 3, up: 'int8' },
  startedAtMs: 0,
  summary: null,
  train: [{ step: 1, elapsedMs: 20, wallMs: 1_000, loss: 2.25 }],
  test: [
    {
      step: 100,
      elapsedMs: 1500,
      wallMs: 2_500,
      loss: 0.5,
      examples: 30_000,
      accuracy: 0.875,
      precisions: [],
      auc: null,
    },
  ],
};

test('CSV has a head and one line per point, with empty cells where a curve has no such number', () => {
  expect(curvesToCsv([run])).toBe(
    [
      'run,strategy,workers,batch,lr,optimizer,up,down,seed,emulated,curve,step,seconds,time,examples,loss,accuracy',
      'r1,async,3,100,0.5,sgd,int8,float32,7,,train,1,0.02,1970-01-01T00:00:01.000Z,,2.25,',
      'r1,async,3,100,0.5,sgd,int8,float32,7,,test,100,1.5,1970-01-01T00:00:02.500Z,30000,0.5,0.875',
      '',
    ].join('\r\n'),
  );
});

test('CSV quotes separators, doubles quotes, and defuses what a spreadsheet would run', () => {
  const line = (id: string) => curvesToCsv([{ ...run, id, test: [] }]).split('\r\n')[1];
  expect(line('a,"b"')).toMatch(/^"a,""b""",async/);
  expect(line('=HYPERLINK(1)')).toMatch(/^'=HYPERLINK\(1\),async/);
});

test('CSV leaves a loss that is not finite empty', () => {
  const train = [{ step: 1, elapsedMs: 0, wallMs: 0, loss: Number.NaN }];
  expect(curvesToCsv([{ ...run, train, test: [] }]).split('\r\n')[1]).toMatch(/Z,,,$/);
});

test('JSON reads back as the same runs', () => {
  expect(JSON.parse(curvesToJson([run]))).toEqual([{ ...run, emulated: null }]);
});

test('a run under made-up conditions says so in every line and in JSON', () => {
  const emulated = { ...run, experiment: { ...run.experiment, emulate: '2:slow=10,loss=0.05' } };
  const words = 'worker 2: 10 times slower, 5 % loss';
  const [, ...lines] = curvesToCsv([emulated]).trim().split('\r\n');
  for (const line of lines) expect(line).toContain(`,7,"${words}",`);
  expect(JSON.parse(curvesToJson([emulated]))).toMatchObject([{ emulated: words }]);
});
