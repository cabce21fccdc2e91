import nodeDataChannel, { type IceServer as NativeServer } from 'node-datachannel';
import { WebSocket } from 'ws';
import type { Runtime } from '../../net/join/signal-socket.ts';
import type { OpenRtc } from '../../net/link/connection.ts';
import { MAX_FRAME_BYTES } from '../../net/link/link.ts';
import { socketOpener } from '../../net/link/relay-socket.ts';
import { fingerprintsOf, type IceServer } from '../../net/link/signal.ts';
import { NodeLink } from './link.ts';

/** How this process reaches a relay and its workers. */
export interface NodeNet {
  /** The relay's page, e.g. http://127.0.0.1:8080/. */
  readonly url: string;
  /** It is this very process: its certificate needs no judge. */
  readonly isOwn: boolean;
  /** The one address that data channels use; null: every address of the machine. */
  readonly bindAddress: string | null;
  /** What the relay asks of hosts, if it does. */
  readonly hostKey?: string;
}

/** What a Node process has to host or to join with. */
export const nodeRuntime = ({ isOwn, bindAddress }: NodeNet): Runtime => ({
  openSocket: socketOpener((url) => {
    const limits = { maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false };
    // It has a page's interface; the types of the two know only their own.
    return new WebSocket(url, { ...limits, rejectUnauthorized: !isOwn }) as unknown as globalThis.WebSocket;
  }),
  openRtc: openNodeRtc(bindAddress),
});

const openNodeRtc =
  (bindAddress: string | null): OpenRtc =>
  (iceServers, { onOpen, onCandidate, onFailed }) => {
    const connection = new nodeDataChannel.PeerConnection('manyhands', {
      iceServers: iceServers.map(nativeServer),
      disableAutoNegotiation: true,
      ...(bindAddress === null ? {} : { bindAddress }),
    });
    const channel = connection.createDataChannel('manyhands', { negotiated: true, id: 0 });
    channel.onOpen(onOpen);
    connection.onLocalCandidate((line) => onCandidate(line.replace(/^a=/, '')));
    connection.onStateChange((state) => {
      if (state === 'failed' || state === 'closed') onFailed();
    });
    return {
      describe: (kind) =>
        new Promise((resolve) => {
          connection.onLocalDescription(resolve);
          connection.setLocalDescription(kind);
        }),
      accept: async (kind, sdp) => connection.setRemoteDescription(sdp, kind),
      addCandidate(candidate) {
        try {
          if (candidate !== '') connection.addRemoteCandidate(candidate, '0');
        } catch {
          // The other ways count.
        }
      },
      fingerprints: () => fingerprintsOf(connection.localDescription()?.sdp, connection.remoteDescription()?.sdp),
      link: (onGone) => new NodeLink(connection, channel, onGone),
      close: () => connection.close(),
    };
  };

/** STUN as it is; a TURN server in parts, since its user name may hold any character. */
function nativeServer({ urls, username, credential }: IceServer): string | NativeServer {
  const turn = /^(turns?):([^?]+?)(?::(\d+))?(?:\?transport=(udp|tcp))?$/.exec(urls);
  if (turn === null) return urls;
  const [, scheme, hostname = '', port, transport] = turn;
  return {
    hostname,
    port: Number(port ?? (scheme === 'turns' ? 5349 : 3478)),
    relayType: scheme === 'turns' ? 'TurnTls' : transport === 'tcp' ? 'TurnTcp' : 'TurnUdp',
    ...(username === undefined ? {} : { username }),
    ...(credential === undefined ? {} : { password: credential }),
  };
}
