import { parseArgs } from 'node:util';
import type { Experiment } from '../src/experiment/experiment.ts';
import { openRelayHost } from '../src/headless/relay-host.ts';
import { startServer } from '../src/relay/serve.ts';
import { finishedReport } from './measured-run.ts';

/*
 * A relay that hosts one run, in a process of its own so that its memory is nobody else's:
 * relay-host.ts --app <folder> --experiment <JSON>. Prints where it is, then the report, a line of JSON each.
 */

const { values } = parseArgs({ options: { app: { type: 'string' }, experiment: { type: 'string' } } });
const { app = '', experiment = '{}' } = values;

const server = await startServer({ port: 0, host: '127.0.0.1', dist: app });
const host = await openRelayHost(server.url, app, 'wasm', (line) => console.error(line));
await host.start(JSON.parse(experiment) as Experiment, false);
console.log(JSON.stringify({ url: server.url, invitation: await host.invitation() }));
const report = await finishedReport(host);
await host.close();
await server.close();
// Native threads of data channels would keep the process.
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
