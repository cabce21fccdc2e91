import { ChannelLink } from './channel-link.ts';
import type { OpenRtc } from './connection.ts';
import { fingerprintsOf } from './signal.ts';

/** On a LAN all addresses are known within a few ms; those that a distant server tells follow one by one. */
const GATHER_MS = 200;

/** WebRTC as a page has it. */
export const openBrowserRtc: OpenRtc = (iceServers, { onOpen, onCandidate, onFailed, onLeave }) => {
  const connection = new RTCPeerConnection({ iceServers: [...iceServers] });
  // Made alike on both sides, so that neither has to take a channel as the other made it.
  const channel = connection.createDataChannel('manyhands', { negotiated: true, id: 0 });
  let isDescribed = false;
  channel.addEventListener('open', onOpen);
  connection.addEventListener('icecandidate', ({ candidate }) => {
    if (isDescribed && candidate !== null) onCandidate(candidate.candidate);
  });
  connection.addEventListener('connectionstatechange', () => {
    if (connection.connectionState === 'failed') onFailed();
  });
  // Without it a closed tab says nothing, and the other side waits for ICE to notice: more than ten seconds.
  addEventListener('pagehide', onLeave);
  return {
    async describe() {
      await connection.setLocalDescription();
      await gathered(connection);
      isDescribed = true;
      return connection.localDescription?.sdp ?? '';
    },
    accept: (type, sdp) => connection.setRemoteDescription({ type, sdp }),
    // One that this browser cannot use is no reason to give up the others.
    addCandidate: (candidate) => void connection.addIceCandidate({ candidate, sdpMLineIndex: 0 }).catch(() => {}),
    fingerprints: () => fingerprintsOf(connection.localDescription?.sdp, connection.remoteDescription?.sdp),
    link: (onGone) => new ChannelLink(connection, channel, onGone),
    close() {
      removeEventListener('pagehide', onLeave);
      connection.close();
    },
  };
};

function gathered(connection: RTCPeerConnection): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, GATHER_MS);
    const look = (): void => {
      if (connection.iceGatheringState !== 'complete') return;
      clearTimeout(timer);
      resolve();
    };
    connection.addEventListener('icegatheringstatechange', look);
    look();
  });
}
