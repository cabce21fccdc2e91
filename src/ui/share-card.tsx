import { useEffect, useMemo, useState } from 'preact/hooks';
import { encode } from 'uqr';
import type { Room } from '../host/state.ts';
import type { HostModel } from './host-model.ts';

/** A link as a QR code; dark on light in every theme, as scanners want it. */
function QrCode({ text }: { text: string }) {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { ecc: 'M', border: 2 });
    const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
    return { size, path };
  }, [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code for joining">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

function CopyButton({ text }: { text: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-live="polite">
      {state === 'idle' ? 'Copy' : state === 'copied' ? 'Copied' : 'Select it'}
    </button>
  );
}

/** What others must know about this address before they can use it; null when they can. */
function reachWords(link: string): string | null {
  const { hostname, protocol } = new URL(link, location.href);
  if (hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.'))
    return 'This address works on this machine only. For others, open this page at the machine’s network address.';
  if (protocol === 'http:') return 'Over http, browsers on other machines switch WebGPU off and compute with wasm.';
  return null;
}

const signalWords: Record<Room['signalling'], string> = {
  connecting: 'Opening the room',
  open: 'Room is open',
  lost: 'Room is closed',
};

/** How others get in: link, QR and short code; and the two ways to add hands here. */
export function ShareCard({ model }: { model: HostModel }) {
  const { host, joinLink, openWorkerTab, networkWords } = model.deps;
  const { room, trainsHere } = model.state.value;
  const link = joinLink(room.code, model.experiment.value);
  const reach = reachWords(link);
  return (
    <section class="share" aria-label="Invite workers">
      <h2>Invite workers</h2>
      <div class="ways">
        <QrCode text={link} />
        <div>
          <p class="signal" data-signalling={room.signalling}>
            {signalWords[room.signalling]}
          </p>
          <p class="aside">Scan, send the link, or type the code on the join page.</p>
        </div>
      </div>
      <p class="code">
        <span class="hidden">Code </span>
        {room.code}
      </p>
      <div class="link">
        <input
          type="text"
          readOnly
          value={link}
          aria-label="Join link"
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={link} />
      </div>
      {reach !== null && <p class="aside">{reach}</p>}
      <button type="button" class="wide" onClick={openWorkerTab}>
        Open a worker tab
      </button>
      <label class="switch">
        <input
          type="checkbox"
          checked={trainsHere}
          onChange={(event) => host.setTrainsHere(event.currentTarget.checked)}
        />
        Train in this tab too
      </label>
      <details>
        <summary>How tabs reach each other</summary>
        <p class="aside">{networkWords}</p>
      </details>
    </section>
  );
}
