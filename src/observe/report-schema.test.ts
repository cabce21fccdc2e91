import { expect, test } from 'vitest';
import { noPhases } from '../core/wire/phases.ts';
import { reportOf, workerReport } from '../export/report-for-tests.ts';
import { type RunReport, readReport } from './report-schema.ts';

const transport = {
  messagesSent: 1,
  messagesReceived: 1,
  bytesSent: 10,
  bytesReceived: 10,
  wireBytesSent: null,
  wireBytesReceived: 12,
  roundTripMs: 3,
  unaccountedBytes: 0,
};
const whole: RunReport = reportOf({ workers: [workerReport({ transport, phases: { ...noPhases, computeMs: 200 } })] });

test('a report comes back as it was written, from a store or as JSON', () => {
  expect(whole.bottleneck?.tryThis.length).toBeGreaterThan(0);
  expect(readReport(structuredClone(whole))).toEqual(whole);
  expect(readReport(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
});

test('a setting that did not exist then is as usual', () => {
  const { entries: _, ...experiment } = whole.experiment;
  expect(readReport({ ...whole, experiment })).toEqual(whole);
});

test('a loss beyond all numbers is one, also where JSON has no word for it', () => {
  const [first, ...others] = whole.series.train;
  const grown = {
    ...whole,
    series: { ...whole.series, train: [{ ...first, loss: Number.POSITIVE_INFINITY }, ...others] },
  };
  expect(readReport(grown)?.series.train[0]?.loss).toBe(Number.POSITIVE_INFINITY);
  expect(readReport(JSON.parse(JSON.stringify(grown)))?.series.train[0]?.loss).toBeNaN();
});

test.each([
  ['nothing', null],
  ['a word', 'report'],
  ['another format', { ...whole, format: 'manyhands-run/1' }],
  ['no workers', { ...whole, workers: undefined }],
  ['a worker without bytes', { ...whole, workers: [{ ...whole.workers[0], bytesUp: {} }] }],
  [
    'a step without its phases',
    { ...whole, timeline: { spans: [], steps: [{ ...whole.timeline.steps[0], phases: {} }] } },
  ],
  ['no such strategy', { ...whole, experiment: { ...whole.experiment, strategy: 'telepathy' } }],
])('%s is no report', (_, input) => expect(readReport(input)).toBeNull());
