import { randomBytes } from 'node:crypto';
import { deviceFor, greetHost, type IceServer, type JoinAnswer, type ProvenLink } from '../../net/join/handshake.ts';
import { type Invite, readInvite } from '../../net/join/invite.ts';
import {
  addCandidate,
  type Candidate,
  openConnection,
  type PeerConnection,
  printsOn,
  setRemote,
} from './connection.ts';
import { NodeLink } from './link.ts';
import { type RelayAddress, SignalSocket } from './signal.ts';

/** How long everything up to an open channel may take. */
const CONNECT_MS = 15_000;

/** Connects this process as a worker to the host that gave the invite; rejects in words. */
export async function dialInNode(
  code: string,
  inviteText: string,
  relay: RelayAddress & { readonly bindAddress: string | null },
): Promise<ProvenLink> {
  const invite = readInvite(inviteText);
  if (invite === null) throw new RangeError('the join link has no invite: ask the host for a new one');
  const { ticket, proof } = invite;
  const body = JSON.stringify({ code, ticket });
  const asked = await fetch(new URL('signal/join', relay.url), { method: 'POST', body });
  const answer = (await asked.json()) as JoinAnswer;
  if (answer.kind === 'refused') throw new Error(`the relay refuses: ${answer.why}`);
  const [link, connection] = await connect(code, invite, relay, answer.iceServers);
  const device = deviceFor(randomBytes(16), code);
  return greetHost(link, { proof, prints: printsOn(connection), route: 'direct', device });
}

function connect(
  code: string,
  { ticket }: Invite,
  relay: RelayAddress & { readonly bindAddress: string | null },
  iceServers: readonly IceServer[],
): Promise<readonly [NodeLink, PeerConnection]> {
  const who = { id: `manyhands-worker-${randomBytes(12).toString('hex')}`, token: `${code}.${ticket}` };
  const connectionId = `dc_${randomBytes(8).toString('hex')}`;
  const host = `manyhands-host-${code}`;
  return new Promise((resolve, reject) => {
    let connection: PeerConnection | null = null;
    // A host that knows where we are may begin DTLS before we know its fingerprint, and would be taken for a stranger.
    const held: object[] = [];
    let isAnswered = false;
    let release = () => {};
    const fail = (words: string) => {
      clearTimeout(patience);
      socket.close();
      connection?.close();
      reject(new Error(words));
    };
    const patience = setTimeout(() => fail('the host does not answer'), CONNECT_MS);
    const socket = new SignalSocket(relay, who, {
      onEnd: (why) => fail(why === 'refused' ? 'the relay does not take the invite' : 'the relay cannot be reached'),
      onOpen() {
        const offer = { label: 'manyhands', reliable: true, serialization: 'raw', metadata: { ticket } };
        const tell = (type: 'OFFER' | 'ANSWER' | 'CANDIDATE', part: object) =>
          socket.send(type, host, { ...part, ...offer, type: 'data', connectionId });
        const made = openConnection(iceServers, relay.bindAddress, (type, part) => {
          if (type === 'CANDIDATE' && !isAnswered) held.push(part);
          else tell(type, part);
        });
        release = () => {
          isAnswered = true;
          for (const part of held) tell('CANDIDATE', part);
        };
        connection = made;
        made.onStateChange((state) => {
          if (state === 'failed' || state === 'closed') fail('no way to the host was found');
        });
        const channel = made.createDataChannel('manyhands');
        channel.onOpen(() => {
          clearTimeout(patience);
          socket.close();
          resolve([new NodeLink(made, channel), made]);
        });
      },
      onSignal({ type, payload }) {
        if (type === 'EXPIRE') return fail('the host is not there');
        const part = payload as { connectionId: string; sdp: { sdp: string }; candidate: Candidate };
        if (connection === null || part?.connectionId !== connectionId) return;
        if (type === 'CANDIDATE') addCandidate(connection, part.candidate);
        else if (type !== 'ANSWER') return;
        else if (setRemote(connection, part.sdp.sdp, 'answer')) release();
        else fail('the host answered nonsense');
      },
    });
  });
}
