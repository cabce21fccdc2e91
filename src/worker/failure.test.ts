import { expect, test } from 'vitest';
import type { ToHost } from '../core/wire/protocol.ts';
import { DataError } from '../data/data-error.ts';
import { defaultExperiment, type Experiment } from '../experiment/experiment.ts';
import { DeviceError } from '../ml/device-error.ts';
import { resolveExperiment } from '../models/plan.ts';
import { Messenger } from '../net/link/messenger.ts';
import { portLink } from '../net/link/port.ts';
import type { Compute } from './compute.ts';
import { SoftwareError } from './failure.ts';
import { sparseCompute } from './sparse-compute.ts';
import type { Trouble } from './state.ts';
import { workLoop } from './work-loop.ts';

const soundCompute: Compute = {
  prepare: async () => ({ name: 'plain', why: 'for tests' }),
  prefetch: () => undefined,
  step: () => new Promise(() => {}),
};

/** A worker with this compute and a host that only says what a test says; gives what the worker ended with. */
function join(
  compute: Partial<Compute>,
  experiment: Partial<Experiment> = {},
  answer: (message: ToHost, send: (head: object, body?: Uint8Array) => void) => void = () => {},
) {
  const { port1, port2 } = new MessageChannel();
  const said: ToHost[] = [];
  const send = (head: object, body?: Uint8Array) => host.send(body ? 'parameters' : 'control', 1, head, body);
  const host = new Messenger(portLink(port1), {
    onMessage({ head }) {
      const message = head as ToHost;
      said.push(message);
      if (message.type === 'hello') {
        send({ type: 'welcome', worker: 1, name: 'amber', token: 't' });
        send({ type: 'run', run: 1, schema: '', experiment: { ...defaultExperiment, ...experiment } });
      }
      answer(message, send);
    },
    onGarbled() {},
    onClose() {},
  });
  const ended = new Promise<Trouble | null>((resolve) => {
    const deps = { compute: { ...soundCompute, ...compute }, name: '', device: 'node', onStep() {} };
    const worker = workLoop({ ...deps, now: () => performance.now() }, '', (message) => {
      if (message.type === 'ended') resolve(message.trouble);
    });
    worker({ type: 'attach', port: port2 });
  });
  return { ended, said, host };
}

const work = (lease: number) => ({
  ...{ type: 'work', run: 1, version: 0, pauses: 0 },
  ...{ leases: [{ id: lease, from: 0, count: 10 }], due: lease },
});

test.each([
  ['data', new DataError('It could not be fetched.')],
  ['device', new DeviceError('memory', 'It has not enough memory.')],
  ['experiment', new DeviceError('non-finite', 'The loss is not finite.')],
  ['software', new SoftwareError('A script did not load.')],
  ['unexpected', new RangeError('Invalid typed array length')],
] as const)('a model that cannot be prepared for want of %s ends the worker with that', async (code, error) => {
  const { ended, said } = join({ prepare: () => Promise.reject(error) });
  expect(await ended).toEqual({ code, detail: error.message });
  await expect.poll(() => said).toContainEqual({ type: 'trouble', run: 1, lease: 0, text: error.message });
});

test('names that this page does not know are the experiment’s failure', async () => {
  const { ended } = join({}, { model: 'unheard-of' });
  expect(await ended).toEqual({
    code: 'experiment',
    detail: expect.stringContaining('"unheard-of" is not known here'),
  });
});

test('settings that do not go together are the experiment’s failure', async () => {
  const { ended } = join({}, { batch: 60_000, data: 'fake-28' });
  expect(await ended).toMatchObject({ code: 'experiment' });
});

test('a device that fails in a step ends the worker at once: there is none left to try', async () => {
  const error = new DeviceError('lost', 'the graphics processor went away');
  const params = new Uint8Array(4 * resolveExperiment(defaultExperiment).schema.size);
  const { ended, said } = join({ step: () => Promise.reject(error) }, {}, ({ type }, send) => {
    if (type === 'ready') send(work(3), params);
  });
  expect(await ended).toEqual({ code: 'device', detail: error.message });
  await expect
    .poll(() => said.filter(({ type }) => type === 'trouble'))
    .toEqual([{ type: 'trouble', run: 1, lease: 3, text: error.message }]);
});

test('examples that the host cannot read are a failure of data, once no lease came to anything', async () => {
  let leases = 0;
  const file = { model: 'sparse-logistic', data: 'file', features: 1000, examples: 100, entries: 5, batch: 10 };
  const { ended, said } = join(sparseCompute(), { ...file, optimizer: 'sgd' }, (message, send) => {
    if (message.type === 'ready' || message.type === 'trouble') send(work(++leases));
    if (message.type === 'want')
      send({ type: 'examples', run: 1, lease: message.lease, problem: 'clicks.svm has changed.' });
  });
  const detail = 'The host could not read its examples: clicks.svm has changed.';
  expect(await ended).toEqual({ code: 'data', detail });
  expect(said).toContainEqual({ type: 'trouble', run: 1, lease: 1, text: detail });
});

test('a link that ends without a word is lost; a host that sends a worker away says why', async () => {
  const lost = join({});
  await expect.poll(() => lost.said.map(({ type }) => type)).toContain('ready');
  lost.host.close();
  expect(await lost.ended).toEqual({ code: 'link-lost' });
  const full = join({}, {}, ({ type }, send) => type === 'hello' && send({ type: 'bye', reason: 'full' }));
  expect(await full.ended).toEqual({ code: 'full' });
});
