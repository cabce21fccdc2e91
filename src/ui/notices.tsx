import { render } from 'preact';
import { count, moment } from './format.ts';
import type { HostModel } from './host-model.ts';
import { runLabel, subject } from './words.ts';

/** Lines above the page for what a person should know or decide; nothing when all is well. */
export function Notices({ model }: { model: HostModel }) {
  const { experimentError, host } = model.deps;
  const { note, room, resumable, run } = model.state.value;
  return (
    <div class="notices" aria-live="polite">
      {resumable !== null && run === null && (
        <div class="notice ask">
          <p>
            <strong>A run was interrupted.</strong> {subject(resumable.experiment)}, {runLabel(resumable.experiment)}:
            saved at step {count(resumable.version)}, {moment(resumable.savedAtMs)}.
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

/** Says above a worker's page, as long as it is so, that its data takes the way through the relay. */
export function showRoute(page: HTMLElement, route: 'direct' | 'relayed'): void {
  const id = 'route';
  const place = document.getElementById(id) ?? document.createElement('div');
  place.id = id;
  page.before(place);
  const words =
    'No direct way to the host was found: data goes through the server of this page, which is slower and could read it.';
  render(
    route === 'relayed' ? (
      <p class="aside" role="note" style={{ padding: '8px 24px 0', textAlign: 'center' }}>
        {words}
      </p>
    ) : null,
    place,
  );
}
