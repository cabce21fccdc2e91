import type { RunReport } from '../observe/run-report.ts';

/*
 * The log of a run: JSON Lines, one object a line, in time order. Every line has
 *
 *   time   ISO 8601, by the host's clock
 *   ms     milliseconds since the run began; pauses count
 *   event  what happened, which says what else the line has:
 *
 *   started     run, experiment, emulated, machine       always the first line
 *   train       step, elapsedMs, loss                    an update: the mean loss of the batches behind it
 *   worker      worker, name, step, elapsedMs, loss, accuracy      a worker's own batches of late
 *   test        step, elapsedMs, examples, loss, accuracy, precisions, auc      an evaluation of the whole test set
 *   resources   node, worker, source, busy, cpu, memoryBytes, sentBytes, receivedBytes, readBytes, writtenBytes,
 *               storageBytes, pressure                   what a node used; null is not known
 *   step        worker, seq, version, examples, givenMs, pausedMs, receivedMs, answeredMs, applyMs, answerMs, phases,
 *               verdict, staleness                       a push, when it was received; its phases encode and send are of
 *                                                        the push before
 *   evaluation, checkpoint   durationMs                  something else the host did, when it began
 *   finished    run, phase, stopReason, steps, examples, wallSeconds, testLoss, testAccuracy, server
 *                                                        always the last line; `unfinished` if the run still goes on
 *
 * Of a long run curves are thinned out and only the last steps are kept. Numbers that are not finite are null.
 */

type LogLine = Readonly<Record<string, unknown>> & { readonly event: string };

/** The log of a run as a text of JSON Lines. */
export function logOf(report: RunReport): string {
  const { id: run, experiment, emulated, machine, phase, stopReason, steps, examples, wallSeconds } = report;
  const { testLoss, testAccuracy, server } = report;
  const began = Date.parse(report.startedAt);
  const middle = linesOf(report, began).sort(([a], [b]) => a - b);
  const ended = phase === 'finished' || phase === 'failed' ? 'finished' : 'unfinished';
  const result = { phase, stopReason, steps, examples, wallSeconds, testLoss, testAccuracy, server };
  const lines: (readonly [number, LogLine])[] = [
    [0, { event: 'started', run, experiment, emulated, machine }],
    ...middle,
    [Math.max(wallSeconds * 1000, middle.at(-1)?.[0] ?? 0), { event: ended, run, ...result }],
  ];
  return lines
    .map(([ms, line]) => `${JSON.stringify({ time: new Date(began + ms).toISOString(), ms, ...line })}\n`)
    .join('');
}

function linesOf({ series, workers, resources, timeline }: RunReport, began: number): [number, LogLine][] {
  const of = (event: string, ms: number, line: object): [number, LogLine] => [ms, { event, ...line }];
  return [
    ...series.train.map(({ wallMs, ...point }) => of('train', wallMs - began, point)),
    ...workers.flatMap(({ worker, name, curve }) =>
      curve.map(({ wallMs, ...point }) => of('worker', wallMs - began, { worker, name, ...point })),
    ),
    ...series.test.map(({ wallMs, ...point }) => of('test', wallMs - began, point)),
    ...resources.flatMap(({ samples, ...node }) =>
      samples.map(({ atMs, ...sample }) => of('resources', atMs, { ...node, ...sample })),
    ),
    ...timeline.steps.map((step) => of('step', step.receivedMs, step)),
    ...timeline.spans.map(({ kind, startMs, durationMs }) => of(kind, startMs, { durationMs })),
  ];
}
