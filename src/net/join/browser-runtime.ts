import { openBrowserRtc } from '../link/browser-rtc.ts';
import { socketOpener } from '../link/relay-socket.ts';
import type { Runtime } from './signal-socket.ts';

/** What a page has to host or to join with. */
export const browserRuntime: Runtime = {
  openSocket: socketOpener((url) => new WebSocket(url)),
  openRtc: typeof RTCPeerConnection === 'undefined' ? null : openBrowserRtc,
};
