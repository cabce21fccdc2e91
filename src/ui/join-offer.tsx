import { useState } from 'preact/hooks';
import { type BackendChoice, backendChoices } from '../models/backend.ts';
import { type DataSpec, dataSpecs } from '../models/data.ts';
import { type Model, misfit, modelSchema, models } from '../models/model.ts';
import { bytes, count } from './format.ts';
import type { JoinPageDeps } from './join-page.tsx';
import { directWords } from './strategy-words.ts';
import { backendWords, subject } from './words.ts';

/** As the protocol's hello takes it. */
const MAX_NAME = 24;

/** What the link's experiment costs a worker; null when the link does not name one we know. */
function costOf({ model, data }: JoinPageDeps['invitation']) {
  const modelFound = Object.values<Model>(models).find(({ name }) => name === model);
  const dataFound = Object.values<DataSpec>(dataSpecs).find(({ name }) => name === data);
  if (modelFound === undefined || dataFound === undefined || misfit(modelFound, dataFound) !== null) return null;
  const numbers = modelSchema(modelFound, dataFound.input, dataFound.classes).size;
  return { numbers, downloadBytes: dataFound.downloadBytes };
}

function dataWords(cost: ReturnType<typeof costOf>): string {
  if (cost === null) return 'Training data and';
  if (cost.downloadBytes === 0) return 'No training data: it is made here. Only';
  return `${bytes(cost.downloadBytes)} of training data, once, and`;
}

function graphicsWords({ webgpu, isSecure }: JoinPageDeps['device']): string {
  if (webgpu) return 'WebGPU: the graphics processor is tried first';
  if (!isSecure) return 'No WebGPU: browsers allow it over https only, so the processor computes instead';
  return 'No WebGPU in this browser: the processor computes instead';
}

function DeviceCheck({ device }: { device: JoinPageDeps['device'] }) {
  const { webgpu, cores, memoryGb, onBattery, isPhone } = device;
  const memory = memoryGb === null ? '' : `, ${memoryGb >= 8 ? 'at least 8' : memoryGb} GB of memory`;
  return (
    <ul class="checks" aria-label="Check of this device">
      <li class={webgpu ? 'good' : 'fair'}>{graphicsWords(device)}</li>
      <li class="good">
        {cores} processor {cores === 1 ? 'core' : 'cores'}
        {memory}; one is used
      </li>
      {onBattery === true && <li class="fair">On battery: plug it in, or choose a lower intensity</li>}
      {isPhone && <li class="fair">On a phone, keep this page in front and the screen on</li>}
    </ul>
  );
}

/** Before the click: who asks, what will run, what it costs, and one large button. */
export function JoinOffer({ deps }: { deps: JoinPageDeps }) {
  const { invitation, device, control } = deps;
  const [name, setName] = useState(deps.initialName);
  const [backend, setBackend] = useState(deps.initialBackend);
  const cost = costOf(invitation);
  const { model, data } = invitation;
  const what = model !== null && data !== null ? subject({ model, data }) : null;
  const contribute = () => {
    deps.setName(name.trim());
    deps.setBackend(backend);
    control.contribute();
  };
  return (
    <main>
      <p class="brand">Manyhands</p>
      <h1>Lend a hand</h1>
      <p class="lead">
        {invitation.by === null ? 'The host' : <b>{invitation.by}</b>} of room <b class="code">{invitation.code}</b>{' '}
        asks this tab to help train {what ?? 'a model; which one it says once you are connected'}.
      </p>
      <dl class="terms">
        <dt>Leaves this device</dt>
        <dd>
          {cost === null ? 'Gradients' : `${count(cost.numbers)} numbers (${bytes(cost.numbers * 4)}) per step`}: how
          the model should change. Your name, the kind of browser, and a random number by which this room knows the
          browser again. Nothing else.{invitation.connectsWorkers && ` ${directWords}`}
        </dd>
        <dt>Stays</dt>
        <dd>Your files, your other tabs, your history: this page cannot see them.</dd>
        <dt>Is downloaded</dt>
        <dd>
          {dataWords(cost)} under 1 MB of software; then {cost === null ? 'parameters' : bytes(cost.numbers * 4)} per
          step.
        </dd>
      </dl>
      <DeviceCheck device={device} />
      <form
        id="offer"
        class="inline"
        onSubmit={(event) => {
          event.preventDefault();
          contribute();
        }}
      >
        <label for="name">Your name</label>
        <input
          id="name"
          type="text"
          maxLength={MAX_NAME}
          autocomplete="nickname"
          placeholder="or the host picks one"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <label for="backend">Compute on</label>
        <select
          id="backend"
          value={backend}
          onChange={(event) => setBackend(event.currentTarget.value as BackendChoice)}
        >
          {backendChoices.map((choice) => (
            <option key={choice} value={choice}>
              {backendWords(choice)}
            </option>
          ))}
        </select>
      </form>
      <div class="actions">
        <button type="submit" form="offer" class="primary large">
          Contribute
        </button>
        <p class="aside">Nothing runs before the click. Leave at any time.</p>
      </div>
    </main>
  );
}
