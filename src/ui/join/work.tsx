import './work.css';
import { tallyBytes } from '../../core/wire/traffic.ts';
import { emulatedWords } from '../../experiment/emulated.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { bytes, count, counted, loss, NOTHING, percent, roughly } from '../../observe/format.ts';
import type { GroupProgress, WorkerControl, WorkerView } from '../../worker/state.ts';
import { Readout } from '../charts/readout.tsx';
import { TransferBar } from '../host/transfer.tsx';
import { TimeShares } from '../inspect/time-shares.tsx';
import { WorkerDot } from '../parts/worker-dot.tsx';
import { settingsTitle } from '../runs/run-title.ts';
import { directWords, waitWords, workWords } from '../words/strategy-words.ts';
import { stageWords, subject, troubleWords } from '../words/words.ts';
import type { JoinPageDeps } from './page.tsx';

const intensities = [0.25, 0.5, 0.75, 1];

function Group({ group, isOver }: { group: GroupProgress; isOver: boolean }) {
  return (
    <section aria-label="The group">
      <h2>The group{isOver && <span class="aside"> as this tab last heard</span>}</h2>
      <dl class="readouts">
        <Readout name="Step" value={count(group.version)} />
        <Readout name="Test loss" value={loss(group.loss)} />
        <Readout name="Accuracy" value={percent(group.accuracy)} />
        <Readout name="Workers" value={count(group.workers)} />
        <Readout name="Examples" value={count(group.examples)} />
        <Readout name="Left, about" value={group.phase === 'running' && !isOver ? roughly(group.leftMs) : NOTHING} />
      </dl>
    </section>
  );
}

function Own({ view }: { view: WorkerView }) {
  return (
    <section aria-label="Your part">
      <h2>Your part</h2>
      <dl class="readouts">
        <Readout name="Steps" value={count(view.steps)} />
        <Readout name="Examples" value={count(view.examples)} />
        <Readout name="Batch loss" value={loss(view.lastLoss)} />
        <Readout name="Sent" value={bytes(tallyBytes(view.traffic.sent))} />
        <Readout name="Received" value={bytes(tallyBytes(view.traffic.received))} />
        <Readout name="Came too late" value={count(view.stale)} />
      </dl>
      <p class="spent">
        <span class="key">
          <i class="compute" /> Compute <i class="wait" /> wait <i class="transfer" /> transfer, %
        </span>
        <TimeShares phases={view.phases} steps={view.steps} />
      </p>
      {view.backend !== null && <p class="aside">Computes with {view.backend.why}.</p>}
    </section>
  );
}

function Intensity({ control, intensity }: { control: WorkerControl; intensity: number }) {
  return (
    <fieldset class="intensity">
      <legend>Intensity</legend>
      <div class="segments">
        {intensities.map((choice) => (
          <label key={choice} title={choice === 1 ? 'Computes without a break' : 'Rests between steps'}>
            <input
              type="radio"
              name="intensity"
              checked={choice === intensity}
              onChange={() => control.setIntensity(choice)}
            />
            <span>{percent(choice, 0)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** How far loading is, as words and a bar; without a number where nobody knows. */
function PreparingBar({ fraction, title }: { fraction: number | null; title: string }) {
  const done = fraction === null ? null : percent(fraction, 0);
  return (
    <>
      <p class="aside">{done}</p>
      <progress
        class="bar"
        max={1}
        value={fraction ?? undefined}
        aria-label={done === null ? title : `${title}, ${done}`}
      />
    </>
  );
}

const isTakingPart = ({ kind }: WorkerView['stage']): boolean => kind !== 'broken' && kind !== 'left';

/** What the strategy asks of this tab: what it does, what it waits for, and to whom it is connected. */
function Together({ experiment, view }: { experiment: Experiment; view: WorkerView }) {
  const emulated = emulatedWords(experiment);
  return (
    <>
      <p>
        {workWords(experiment)} {waitWords(experiment, view.phases.waitMs, view.steps)}
      </p>
      {experiment.strategy === 'allreduce' && <p>{directWords}</p>}
      {emulated !== null && <p class="aside">The host makes conditions up for this run: {emulated}.</p>}
    </>
  );
}

interface ActionProps {
  readonly label: string;
  readonly title?: string;
  readonly isPrimary?: boolean;
  readonly isDisabled?: boolean;
  act(): void;
}

const Action = ({ label, title, isPrimary, isDisabled, act }: ActionProps) => (
  <button type="button" class={isPrimary ? 'primary' : undefined} title={title} disabled={isDisabled} onClick={act}>
    {label}
  </button>
);

/** Always there while something runs or could run; afterwards the one way back. */
function Actions({ deps, view }: { deps: JoinPageDeps; view: WorkerView }) {
  const { control } = deps;
  const { stage } = view;
  const contribute = () => control.contribute();
  if (stage.kind === 'left') return <Action label="Contribute again" act={contribute} />;
  if (stage.kind === 'broken') {
    const { action } = troubleWords(stage.trouble);
    if (action === 'retry') return <Action label="Try again" isPrimary act={contribute} />;
    if (action === 'reload') return <Action label="Reload" isPrimary act={() => location.reload()} />;
    return <a href={deps.hostPageLink}>Start a run of your own</a>;
  }
  const isDisabled = stage.kind === 'finishing';
  const pausing =
    stage.kind === 'paused'
      ? { label: 'Resume', act: () => control.resume() }
      : { label: 'Pause', act: () => control.pause() };
  const finishTitle = 'Complete this step, hand it in, then leave';
  return (
    <>
      <Action label="Leave" title="Stop at once" act={() => control.leave()} />
      <Action label="Finish" title={finishTitle} isDisabled={isDisabled} act={() => control.finish()} />
      <Action {...pausing} isPrimary isDisabled={isDisabled} />
    </>
  );
}

/** After the click: the one state this tab is in, its numbers, and the ways to stop. */
export function JoinWork({ deps, view }: { deps: JoinPageDeps; view: WorkerView }) {
  const { stage, identity, experiment, group } = view;
  const words = stageWords(stage);
  return (
    <main class="working">
      <p class="brand">
        Manyhands
        {identity !== null && (
          <span class="me">
            <WorkerDot worker={identity.worker} />
            <b>{identity.name}</b>
          </span>
        )}
      </p>
      <div class="stage" data-kind={stage.kind} role="status">
        <h1>{words.title}</h1>
        <p class="lead">{words.text}</p>
      </div>
      <div class="under-way">
        {stage.kind === 'preparing' && <PreparingBar fraction={stage.fraction} title={words.title} />}
        {stage.kind !== 'preparing' && view.transfer !== null && isTakingPart(stage) && (
          <TransferBar transfer={view.transfer} />
        )}
      </div>
      {deps.isRelayed() && isTakingPart(stage) && (
        <p class="aside" role="note">
          No direct way to the host was found: data goes through the server of this page, which is slower and could read
          it.
        </p>
      )}
      {experiment !== null && (
        <p class="aside">
          {subject(experiment)}, {settingsTitle(experiment)}
          {group !== null && `, with ${counted(Math.max(0, group.workers - 1), 'other')}`}.
        </p>
      )}
      {experiment !== null && isTakingPart(stage) && <Together experiment={experiment} view={view} />}
      {view.steps > 0 || stage.kind === 'training' ? <Own view={view} /> : null}
      {group !== null && <Group group={group} isOver={!isTakingPart(stage)} />}
      {isTakingPart(stage) && <Intensity control={deps.control} intensity={view.intensity} />}
      <div class="actions">
        <Actions deps={deps} view={view} />
      </div>
    </main>
  );
}
