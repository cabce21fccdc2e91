import { openBrowserRtc } from '../link/browser-rtc.ts';
import { openBrowserSocket } from '../link/browser-socket.ts';
import type { Runtime } from './signal-socket.ts';

/** What a page has to host or to join with. */
export const browserRuntime: Runtime = {
  openSocket: openBrowserSocket,
  openRtc: typeof RTCPeerConnection === 'undefined' ? null : openBrowserRtc,
};
