import '../parts/base.css';
import './join.css';
import './code-page.css';
import { render } from 'preact';
import { useState } from 'preact/hooks';

/** What the page for typing a code needs from outside. */
export interface CodePageDeps {
  /** Goes to the room with this code, or says in words why it cannot be one. */
  onCode(code: string): string | null;
  readonly hostPageLink: string;
}

function CodePage({ deps }: { deps: CodePageDeps }) {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <div class="join">
      <main>
        <p class="brand">Manyhands</p>
        <h1>Join a run</h1>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setProblem(code.trim() === '' ? 'Type the code that the host’s page shows.' : deps.onCode(code.trim()));
          }}
        >
          <label for="code">The code on the host’s page</label>
          <input
            id="code"
            class="code"
            type="text"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            maxLength={64}
            value={code}
            aria-invalid={problem !== null}
            aria-describedby="code-problem"
            onInput={(event) => setCode(event.currentTarget.value)}
          />
          <p class="problem" id="code-problem" role="status">
            {problem}
          </p>
          <button type="submit" class="primary large">
            Continue
          </button>
          <p class="aside">Nothing runs yet: the next page says what it is and asks first.</p>
        </form>
        <p class="ways-out">
          <a href={deps.hostPageLink}>Start a run of your own</a>
        </p>
      </main>
    </div>
  );
}

/** Draws the page where a person types a room's short code. */
export function renderCodePage(root: HTMLElement, deps: CodePageDeps): () => void {
  document.title = 'Join a run · Manyhands';
  render(<CodePage deps={deps} />, root);
  return () => render(null, root);
}

/** Draws the page for a link that leads nowhere: why, and where to go instead. */
export function renderBadLinkPage(
  root: HTMLElement,
  deps: { readonly problem: string; readonly codePageLink: string; readonly hostPageLink: string },
): () => void {
  document.title = 'This link does not work · Manyhands';
  render(
    <div class="join">
      <main>
        <p class="brand">Manyhands</p>
        <h1>This link does not work</h1>
        <p class="lead">{deps.problem}</p>
        <p class="lead">Ask for the link again, or go on another way:</p>
        <p class="ways-out">
          <a href={deps.codePageLink}>Type the short code</a>
          <a href={deps.hostPageLink}>Start a run of your own</a>
        </p>
      </main>
    </div>,
    root,
  );
  return () => render(null, root);
}
