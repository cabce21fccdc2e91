import nodeDataChannel, { type IceServer as NativeServer, type PeerConnection } from 'node-datachannel';
import { type IceServer, type Prints, printsOf } from '../../net/join/handshake.ts';

export type { PeerConnection } from 'node-datachannel';

/** A candidate as pages put it. */
export interface Candidate {
  readonly candidate?: unknown;
  readonly sdpMid?: unknown;
}

/** A connection of this process that tells its side of the negotiation as it comes about. Callbacks must not throw. */
export function openConnection(
  iceServers: readonly IceServer[],
  bindAddress: string | null,
  tell: (type: 'OFFER' | 'ANSWER' | 'CANDIDATE', part: object) => void,
): PeerConnection {
  const connection = new nodeDataChannel.PeerConnection('manyhands', {
    iceServers: iceServers.map(nativeServer),
    ...(bindAddress === null ? {} : { bindAddress }),
  });
  // The callbacks come in no order of their own, and a candidate before its description is lost on the other side.
  let isDescribed = false;
  const early: object[] = [];
  connection.onLocalDescription((sdp, type) => {
    if (type !== 'offer' && type !== 'answer') return;
    tell(type === 'offer' ? 'OFFER' : 'ANSWER', { sdp: { type, sdp } });
    isDescribed = true;
    for (const part of early.splice(0)) tell('CANDIDATE', part);
  });
  connection.onLocalCandidate((line, sdpMid) => {
    const part = { candidate: { candidate: line.replace(/^a=/, ''), sdpMid, sdpMLineIndex: 0 } };
    if (isDescribed) tell('CANDIDATE', part);
    else early.push(part);
  });
  return connection;
}

/** Tries one more way; what cannot be read is passed over. */
export function addCandidate(connection: PeerConnection | undefined, { candidate, sdpMid }: Candidate): void {
  if (typeof candidate !== 'string' || candidate === '') return;
  try {
    connection?.addRemoteCandidate(candidate, typeof sdpMid === 'string' ? sdpMid : '0');
  } catch {
    // The other ways count.
  }
}

/** What the other side says of itself; false if that is no session description. */
export function setRemote(connection: PeerConnection, sdp: string, type: 'offer' | 'answer'): boolean {
  try {
    connection.setRemoteDescription(sdp, type);
    return true;
  } catch {
    return false;
  }
}

/** The fingerprints of both ends. */
export const printsOn = (connection: PeerConnection): Prints | null =>
  printsOf(connection.localDescription()?.sdp, connection.remoteDescription()?.sdp);

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
