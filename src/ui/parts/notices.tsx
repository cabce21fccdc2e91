import './notices.css';
import { count, moment } from '../../observe/format.ts';
import type { HostModel } from '../host/model.ts';
import { settingsTitle } from '../runs/run-title.ts';
import { subject } from '../words/words.ts';

/** Lines above the page for what a person should know or decide; nothing when all is well. */
export function Notices({ model }: { model: HostModel }) {
  const { experimentError, host } = model.deps;
  const { note, room, resumable, run } = model.state.value;
  return (
    <div class="notices" aria-live="polite">
      {resumable !== null && run === null && (
        <div class="notice ask">
          <p>
            <strong>A run was interrupted.</strong> {subject(resumable.experiment)},{' '}
            {settingsTitle(resumable.experiment)}: saved at step {count(resumable.version)},{' '}
            {moment(resumable.savedAtMs)}.
          </p>
          <button type="button" onClick={() => host.discardSaved()}>
            Discard it
          </button>
          <button type="button" class="primary" onClick={() => host.resumeSaved()}>
            Resume it
          </button>
        </div>
      )}
      {experimentError !== null && run === null && (
        <p class="notice broken">{experimentError} Shown are the usual settings.</p>
      )}
      {room.problem !== null && <p class="notice broken">{room.problem}</p>}
      {note !== null && <p class={`notice ${note.kind}`}>{note.text}</p>}
    </div>
  );
}
