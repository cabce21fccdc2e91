import './share-card.css';
import type { ReadonlySignal } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import { encode } from 'uqr';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Host, HostState, Room } from '../../host/state.ts';
import { counted } from '../../observe/format.ts';
import { Check } from '../parts/choice.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import type { HostPageDeps } from './page.tsx';

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

/** What others must know about this address before they can use it; null when they can. */
function reachWords(link: string): string | null {
  const { hostname, protocol } = new URL(link, location.href);
  if (hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.'))
    return 'This address works on this machine only. For others, open this page at the machine’s network address.';
  if (protocol === 'http:')
    return 'Over http, browsers on other machines switch WebGPU off and compute with wasm; start the server with --https.';
  return null;
}

/** What a page that keeps the room itself can do about who comes in. */
export interface Sharing {
  /** Whether the code alone lets people in, or only the link. */
  allowsTyping(): boolean;
  setAllowsTyping(on: boolean): void;
  /** Makes every link given out so far worthless; workers that are connected stay. */
  renewInvite(): void;
  /** How many workers are connected through the relay instead of directly. */
  relayedLinks(): number;
}

/** What can be done about who comes in; `onChange` is called after every change. */
function Invitations({ sharing, onChange }: { sharing: Sharing; onChange(): void }) {
  const [isRenewed, setRenewed] = useState(false);
  const relayed = sharing.relayedLinks();
  return (
    <>
      {relayed > 0 && (
        <p class="aside" role="status">
          {counted(relayed, 'worker')} found no direct way here and {relayed === 1 ? 'is' : 'are'} connected through
          this page’s server, which is slower.
        </p>
      )}
      <Check
        class="switch"
        isOn={sharing.allowsTyping()}
        onChange={(isOn) => {
          sharing.setAllowsTyping(isOn);
          onChange();
        }}
      >
        The code alone lets people in
      </Check>
      <details>
        <summary>The link is valid for a day</summary>
        <p class="aside">
          {isRenewed
            ? 'Links given out before no longer work. Workers that are connected stay; whoever was removed is out.'
            : 'If it got into the wrong hands, make a new one: the old link and QR code stop working.'}
        </p>
        <button
          type="button"
          class="wide"
          onClick={() => {
            sharing.renewInvite();
            setRenewed(true);
            onChange();
          }}
        >
          New invite link
        </button>
      </details>
    </>
  );
}

const signalWords: Record<Room['signalling'], string> = {
  connecting: 'Opening the room',
  open: 'Room is open',
  lost: 'Room is closed',
};

interface ShareCardProps {
  readonly model: {
    readonly deps: Pick<HostPageDeps, 'joinLink' | 'openWorkerTab' | 'networkWords' | 'sharing'> & {
      readonly host: Pick<Host, 'setTrainsHere'>;
    };
    readonly state: ReadonlySignal<Pick<HostState, 'room' | 'trainsHere'>>;
    readonly experiment: ReadonlySignal<Experiment>;
  };
  /** Whether people decide if this tab trains too; else the page does. */
  readonly asksTrainsHere: boolean;
}

/** How others get in: link, QR and short code; and the ways to add hands here. */
export function ShareCard({ model, asksTrainsHere }: ShareCardProps) {
  const { host, joinLink, openWorkerTab, networkWords, sharing } = model.deps;
  const { room, trainsHere } = model.state.value;
  const [, redraw] = useState(0);
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
          <p class="aside">
            {sharing?.allowsTyping() === false
              ? 'Scan or send the link; the code alone lets nobody in.'
              : 'Scan, send the link, or type the code on the join page.'}
          </p>
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
        <CopyButton label="Copy" failed="Select it" class="copy" text={() => link} />
      </div>
      {reach !== null && <p class="aside">{reach}</p>}
      <button type="button" class="wide" onClick={openWorkerTab}>
        Open a worker tab
      </button>
      {asksTrainsHere && (
        <Check class="switch" isOn={trainsHere} onChange={(isOn) => host.setTrainsHere(isOn)}>
          Train in this tab too
        </Check>
      )}
      {sharing !== undefined && <Invitations sharing={sharing} onChange={() => redraw((times) => times + 1)} />}
      <details>
        <summary>How tabs reach each other</summary>
        <p class="aside">{networkWords}</p>
      </details>
    </section>
  );
}
