import { LARGE_MODEL_BYTES } from '../../lab/run-order.ts';
import { bytes, moment } from '../../observe/format.ts';
import { Segments } from '../parts/choice.tsx';
import { LabAdjust, Repeats } from './adjust.tsx';
import { fileWords } from './examples.ts';
import { ExamplesForm } from './examples-form.tsx';
import type { LabModel } from './model.ts';
import type { Choice, Lab } from './plan.ts';
import type { LabRoom } from './room.ts';

const sizes = { quick: 'Quick', full: 'Full' };
const sizeHints = { quick: 'Minutes on a laptop', full: 'As the experiment was meant' };

function Size({ model, choice }: { model: LabModel; choice: Choice }) {
  if (choice.sweep.quick === undefined) return null;
  return (
    <div class="size">
      <Segments
        label="Size"
        name="size"
        options={sizes}
        hints={sizeHints}
        value={choice.isQuick ? 'quick' : 'full'}
        onChoose={(size) => model.adjust({ isQuick: size === 'quick' })}
      />
    </div>
  );
}

function OwnFile({ model }: { model: LabModel }) {
  const problem = model.fileProblem.value;
  const read = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (file) model.load(file.name, await file.text());
    // The same file, changed, can be given again.
    input.value = '';
  };
  return (
    <>
      <label class="file" title="As for the command line: name, base, cases, vary, repeats">
        <input
          type="file"
          class="hidden"
          accept=".json,application/json"
          onChange={(event) => void read(event.currentTarget)}
        />
        <span>Load a sweep from a JSON file…</span>
      </label>
      {problem !== null && (
        <div class="problem" role="alert">
          <p>{problem.file} cannot be run:</p>
          <ul class="rules">
            {problem.problems.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** What is to be run: a preset at one of its sizes, or a file. */
function Choosing({ model }: { model: LabModel }) {
  const choice = model.choice.value;
  const { presets } = model.deps;
  const isOwn = !presets.includes(choice.sweep);
  return (
    <>
      <h2>What to run</h2>
      <div role="radiogroup" aria-label="Sweep">
        {[...(isOwn ? [choice.sweep] : []), ...presets].map((sweep) => {
          const isChosen = sweep === choice.sweep;
          return (
            <label key={sweep.name} class="choice">
              <input type="radio" name="sweep" checked={isChosen} onChange={() => model.choose(sweep)} />
              <span>
                <b>{isOwn && isChosen ? choice.source : sweep.name}</b>
                {sweep.title}
              </span>
            </label>
          );
        })}
      </div>
      <OwnFile model={model} />
      <Size model={model} choice={choice} />
      <LabAdjust model={model} />
    </>
  );
}

function Labs({ model }: { model: LabModel }) {
  const labs = model.labs.value;
  const shown = model.lab.value;
  const isBusy = model.progress.value !== null;
  if (labs.length === 0) return null;
  return (
    <section class="labs" aria-label="Kept labs">
      <h2>
        Kept labs <span class="aside">in this browser</span>
      </h2>
      <ul class="rules">
        {labs.map(({ id, source, isQuick, startedAtMs }) => {
          const about = `${source}${isQuick ? ', quick' : ''}, ${moment(startedAtMs)}`;
          const name = (
            <>
              <b>{source}</b>
              <small>
                {moment(startedAtMs)}
                {isQuick && ' · quick'}
              </small>
            </>
          );
          return (
            <li key={id}>
              {shown?.id === id ? (
                <span class="name" aria-current="true">
                  {name}
                </span>
              ) : (
                <button
                  type="button"
                  class="text name"
                  disabled={isBusy}
                  title={isBusy ? 'Stop the lab that is running first' : 'Show its results; go on with it'}
                  onClick={() => void model.show(id)}
                >
                  {name}
                </button>
              )}
              <button
                type="button"
                class="quiet"
                disabled={isBusy}
                aria-label={`Delete ${about}`}
                title="Delete this lab and its results"
                onClick={() => {
                  if (confirm(`Delete ${about}, with all its results and models?`)) void model.remove(id);
                }}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** What was begun, in words. */
function Begun({ model, lab }: { model: LabModel; lab: Lab }) {
  const plan = model.plan.value;
  const isLarge = plan.ok && plan.modelBytes > LARGE_MODEL_BYTES;
  return (
    <>
      <h2>{lab.source}</h2>
      <p class="aside">
        {lab.isQuick ? 'Quick size' : 'Full size'}, begun {moment(lab.startedAtMs)}
        {lab.file !== null && `, on ${fileWords(lab.file)}`}
        {isLarge &&
          (lab.keepsLargeModels
            ? `; models of up to ${bytes(plan.modelBytes)} are kept`
            : `; models of more than ${bytes(LARGE_MODEL_BYTES)} are not kept`)}
      </p>
      <p class="about aside">{lab.sweep.about}</p>
      {plan.ok && (
        <fieldset disabled={model.progress.value !== null}>
          <Repeats
            key={lab.id}
            asked={plan.repeats}
            min={plan.repeats}
            onChange={(repeats) => model.repeatMore(repeats)}
          />
        </fieldset>
      )}
    </>
  );
}

/** The side of the page that says what is run: the choice, or the lab that was begun, its file, and the labs that are kept. */
export function LabChoice({ model, room }: { model: LabModel; room: LabRoom }) {
  const lab = model.lab.value;
  const plan = model.plan.value;
  return (
    <section class="experiment" aria-label="Sweep">
      {lab === null ? <Choosing model={model} /> : <Begun model={model} lab={lab} />}
      {!plan.ok &&
        plan.problems.map((line) => (
          <p key={line} class="problem">
            {line}
          </p>
        ))}
      {plan.ok && plan.needsFile && <ExamplesForm model={model} room={room} />}
      <Labs model={model} />
    </section>
  );
}
