import { join } from 'node:path';
import type { Experiment } from '../experiment/experiment.ts';
import { runFiles } from '../export/run-files.ts';
import { summaryTable } from '../export/summary-table.ts';
import { untilRead } from '../headless/example-file.ts';
import { outcomeText, ProgressLine, viewText } from '../headless/progress-line.ts';
import { hostReport, invitationOf, reportOf } from '../headless/relay-host.ts';
import type { Host, Resumable } from '../host/state.ts';
import { type RunOutcome, until, watchHost, watchRun } from '../host/watch-run.ts';
import { backendChoices } from '../models/backend.ts';
import { ensureBuilt } from '../node/build.ts';
import { diskStore } from '../node/files/disk-store.ts';
import { lockFolder } from '../node/files/folder-lock.ts';
import { replaceFolder } from '../node/files/whole-files.ts';
import { type NodeHost, startNodeHost } from '../node/host.ts';
import { UsageError } from '../node/usage-error.ts';
import type { RunReport } from '../observe/run-report.ts';
import { dataFolder } from '../relay/certificate.ts';
import { type RunningServer, startServer } from '../relay/serve.ts';
import { type Command, numberOf, type OptionValues, wordOf } from './command-line.ts';
import { readExampleFile } from './example-file.ts';
import { experimentOptions, readExperiment } from './experiment-options.ts';
import { readJsonPath, writeJson } from './json-file.ts';
import { greeting, readRelay, relayOptions } from './serve-command.ts';
import { nextSignal } from './shutdown.ts';

/** An invite lasts a day: the last one on the terminal is good for another half. */
const NEW_LINK_MS = 12 * 3_600_000;

/** Serves the app and hosts a run in this process, until the run is over or the process gets a signal. */
export const hostCommand: Command = {
  name: 'serve --host',
  describe: 'serves the app and hosts a run in this process, with its checkpoints on disk; no tab is needed',
  options: {
    host: { describe: 'host a run here; without it, only serve' },
    workers: { value: 'count', describe: 'the run starts when this many are ready; later ones join as they come (1)' },
    'host-trains': { describe: 'this process trains too, as one of the workers' },
    resume: { describe: 'go on with the run that was interrupted, if there is one; else start the one given' },
    fresh: { describe: 'drop the run that was interrupted' },
    'link-only': { describe: 'let nobody in who has only the code, without the link' },
    stay: { describe: 'go on serving when the run is over' },
    json: { value: 'file', describe: 'write the whole report there' },
    ...experimentOptions,
    backend: { value: 'name', describe: `what tests and trains here: ${backendChoices.join(', ')} (auto)` },
    ...relayOptions,
  },
  run: (given) => hostRun(given),
};

async function hostRun(given: OptionValues): Promise<number> {
  const workers = numberOf(given, 'workers', { min: 1, max: 1000, isWhole: true }) ?? 1;
  const experiment = readExperiment(given, workers);
  const file = readExampleFile(given);
  const jsonPath = await readJsonPath(given);
  if (given.resume === true && given.fresh === true) {
    throw new UsageError('--resume goes on with the interrupted run, --fresh drops it: give one of them');
  }
  if (experiment.strategy === 'single' && workers > 1) {
    throw new UsageError('--strategy single trains in the host alone: leave out --workers');
  }
  const hostTrains = given['host-trains'] === true || experiment.strategy === 'single';
  const backend = wordOf(given, 'backend', backendChoices) ?? 'auto';
  const folder = typeof given['data-dir'] === 'string' ? given['data-dir'] : dataFolder();
  const { options, certificate } = await readRelay(given);
  const line = new ProgressLine(process.stderr);
  const note = (text: string) => line.note(text);
  const dist = await ensureBuilt(note);
  const unlock = await lockFolder(folder);
  let server: RunningServer | undefined;
  let node: NodeHost | undefined;
  try {
    const saved = await interrupted(folder, given, note);
    if (saved?.experiment.data === 'file' && file === null) {
      const what = saved.file == null ? 'a file' : `${saved.file.name} (${saved.file.sizeBytes} bytes)`;
      throw new UsageError(`the interrupted run was trained on ${what}: say where it is with --data`);
    }
    server = await startServer({ ...options, dist });
    const { hostKey } = options.signalling ?? {};
    const isEverywhere = options.host === '0.0.0.0' || options.host === '::';
    const net = {
      url: ownUrl(server, isEverywhere),
      isOwn: true,
      bindAddress: isEverywhere ? null : options.host,
      ...(hostKey ? { hostKey } : {}),
    };
    const allowsTyping = given['link-only'] !== true;
    node = await startNodeHost({ folder, app: dist, net, backend, allowsTyping, note });
    console.log(greeting(server, certificate, joinLinkOf(server, node)));
    console.log(`${joinWords(server, node, allowsTyping)}\n`);
    const interrupt = new AbortController();
    const told = nextSignal().then(() => interrupt.abort());
    const { host } = node;
    if (file !== null) {
      host.chooseExamples({ ...file, features: (saved?.experiment ?? experiment).features });
      await untilRead(watchHost(host), { note, progress: (text) => line.show(text, performance.now()) });
    }
    await begin(host, experiment, hostTrains, saved);
    const [relay, running] = [server, node];
    const links = setInterval(() => note(joinWords(relay, running, allowsTyping)), NEW_LINK_MS);
    const outcome = await watch(host, line, interrupt.signal).finally(() => clearInterval(links));
    line.end();
    const isInterrupted = outcome.kind === 'aborted';
    const report = isInterrupted ? reportOf(host) : await hostReport(host);
    if (report !== null && !isInterrupted) console.log(summaryTable(report));
    if (report !== null && jsonPath !== null) await writeJson(jsonPath, report);
    if (outcome.kind === 'finished' && report !== null)
      console.log(`\nfiles: ${await keepFiles(folder, host, report)}`);
    if (isInterrupted) note('Stopping: the run is brought to the disk; --resume goes on with it.');
    else if (given.stay === true) await told;
    return isInterrupted || outcome.kind === 'finished' ? 0 : 1;
  } finally {
    await node?.shutDown();
    await server?.close();
    await unlock();
  }
}

/** Writes what a finished run leaves, its model included, beside its log; says where. */
async function keepFiles(folder: string, host: Host, report: RunReport): Promise<string> {
  const trained = await host.parameters();
  const model = trained && { experiment: report.experiment, ...trained };
  const place = join(folder, 'runs', report.id);
  await replaceFolder(place, runFiles(report, model));
  return place;
}

/** The run that the folder holds, if it is to go on; a run that is neither to go on nor to be dropped is not lost. */
async function interrupted(
  folder: string,
  given: OptionValues,
  note: (text: string) => void,
): Promise<Resumable | null> {
  const store = diskStore(join(folder, 'checkpoints'), { onSaved() {}, onSkipped: note });
  const found = (await store.latest())?.resumable ?? null;
  if (found === null) {
    if (given.resume === true) note('Nothing to resume: a new run starts.');
    return null;
  }
  if (given.fresh === true) {
    await store.drop(found.id);
    return null;
  }
  if (given.resume === true) return found;
  const { version, experiment } = found;
  const what = `${experiment.model} on ${experiment.data}, at step ${version}`;
  throw new UsageError(`${folder} holds an interrupted run (${what}): add --resume to go on, or --fresh to drop it`);
}

/** Starts the run, or goes on with the saved one, once the server has found it. */
async function begin(host: Host, experiment: Experiment, trainsHere: boolean, saved: Resumable | null): Promise<void> {
  host.setTrainsHere(trainsHere);
  if (saved === null) return host.start(experiment);
  await until(watchHost(host), ({ state }) => state.resumable);
  host.resumeSaved();
}

/** Shows the run's progress until it is over or the signal comes, and why it failed. */
async function watch(host: Host, line: ProgressLine, signal: AbortSignal): Promise<RunOutcome> {
  const outcome = await watchRun(watchHost(host), {
    signal,
    giveUp: ({ state: { note } }, run) =>
      run === null && note?.kind === 'broken' ? `the run cannot start: ${note.text}` : null,
    onProgress(view, run) {
      const { note } = view.state;
      if (run !== null) line.show(`${viewText(view)}${note === null ? '' : ` (${note.text})`}`, performance.now());
    },
  });
  if (outcome.kind !== 'finished' && outcome.kind !== 'aborted') line.note(`manyhands: ${outcomeText(outcome)}`);
  return outcome;
}

const joinLinkOf = ({ url, addresses: [first = url] }: RunningServer, node: NodeHost): string =>
  `${first}#${invitationOf(node)}`;

function joinWords(server: RunningServer, node: NodeHost, allowsTyping: boolean): string {
  const [first = server.url] = server.addresses;
  const lines = [`  Join link       ${joinLinkOf(server, node)}`];
  if (allowsTyping) lines.push(`  or the code     ${node.code} at ${first}#join`);
  return lines.join('\n');
}

/** Where this process finds its own relay. */
function ownUrl({ url }: RunningServer, isEverywhere: boolean): string {
  const address = new URL(url);
  if (isEverywhere) address.hostname = '127.0.0.1';
  return address.href;
}
