import './offer.css';
import { useState } from 'preact/hooks';
import { defaultExperiment } from '../../experiment/experiment.ts';
import { type BackendChoice, backendChoices } from '../../models/backend.ts';
import { resolveExperiment } from '../../models/plan.ts';
import { bytes, count } from '../../observe/format.ts';
import { directWords } from '../words/strategy-words.ts';
import { backendWords, subject } from '../words/words.ts';
import type { JoinPageDeps } from './page.tsx';

/** As the protocol's hello takes it. */
const MAX_NAME = 24;

/** What the link's experiment costs a worker; null when the link does not say enough. */
type Cost =
  | { readonly kind: 'all'; readonly numbers: number; readonly downloadBytes: number }
  /** Only the numbers that its examples touch travel; `perExample` is null where the host's file decides. */
  | { readonly kind: 'touched'; readonly perExample: number | null };

function costOf({ model, data }: JoinPageDeps['invitation']): Cost | null {
  if (model === null || data === null) return null;
  try {
    const named = resolveExperiment({ ...defaultExperiment, model, data, batch: 1 });
    const { schema } = named;
    if (named.kind === 'layers') return { kind: 'all', numbers: schema.size, downloadBytes: named.data.downloadBytes };
    // How many features there are the link does not say.
    if (schema.keysPerExample === null) return null;
    return { kind: 'touched', perExample: named.data.entriesPerExample === null ? null : schema.keysPerExample };
  } catch {
    return null;
  }
}

function upWords(cost: Cost | null): string {
  if (cost === null) return 'Gradients';
  if (cost.kind === 'all') return `${count(cost.numbers)} numbers (${bytes(cost.numbers * 4)}) per step`;
  if (cost.perExample === null) return 'For each example, a number for each feature it has';
  return `At most ${count(cost.perExample)} numbers for each example of a step, and which ones they are`;
}

function downWords(cost: Cost | null): string {
  const software = 'under 1 MB of software; then';
  if (cost === null) return `Training data and ${software} parameters per step.`;
  if (cost.kind === 'touched') {
    return cost.perExample === null
      ? `No training data in advance. Only ${software} the examples of each step, from the host’s file, and the numbers they touch.`
      : `No training data: it is made here. Only ${software} the numbers that the examples of each step touch.`;
  }
  const step = `${bytes(cost.numbers * 4)} per step.`;
  if (cost.downloadBytes === 0) return `No training data: it is made here. Only ${software} ${step}`;
  return `${bytes(cost.downloadBytes)} of training data, once, and ${software} ${step}`;
}

function graphicsWords({ webgpu, isSecure }: JoinPageDeps['device']): string {
  if (webgpu) return 'WebGPU: the graphics processor is tried first';
  if (!isSecure) return 'No WebGPU: browsers allow it over https only, so the processor computes instead';
  return 'No WebGPU in this browser: the processor computes instead';
}

function DeviceCheck({ device }: { device: JoinPageDeps['device'] }) {
  const { webgpu, cores, memoryGb, isPhone } = device;
  const memory = memoryGb === null ? '' : `, ${memoryGb >= 8 ? 'at least 8' : memoryGb} GB of memory`;
  return (
    <ul class="checks" aria-label="Check of this device">
      <li class={webgpu ? 'good' : 'fair'}>{graphicsWords(device)}</li>
      <li class="good">
        {cores} processor {cores === 1 ? 'core' : 'cores'}
        {memory}; one is used
      </li>
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
        The host of room <b class="code">{invitation.code}</b> asks this tab to help train{' '}
        {what ?? 'a model; which one it says once you are connected'}.
      </p>
      <dl class="terms">
        <dt>Leaves this device</dt>
        <dd>
          {upWords(cost)}: how the model should change. Your name, the kind of browser, a random number by which this
          room knows the browser again, and every two seconds how busy this tab is. Nothing else.
          {invitation.connectsWorkers && ` ${directWords}`}
        </dd>
        <dt>Stays</dt>
        <dd>Your files, your other tabs, your history: this page cannot see them.</dd>
        <dt>Is downloaded</dt>
        <dd>{downWords(cost)}</dd>
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
