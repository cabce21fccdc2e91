/** An open WebSocket to the relay. */
export interface RelaySocket {
  send(data: ArrayBuffer | string): void;
  close(reason: string): void;
  /** Called once. `data` is an ArrayBuffer or a string; what came before the call is handed out first. */
  listen(onMessage: (data: unknown) => void, onClose: (reason: string) => void): void;
}

/** Opens a WebSocket to the relay; rejects with a SocketError, or with the signal's reason. */
export type OpenSocket = (url: string, signal: AbortSignal) => Promise<RelaySocket>;

/** Why a socket did not open. A browser does not tell a refusal from a relay that is not there. */
export class SocketError extends Error {
  readonly code: 'refused' | 'unreachable';

  constructor(code: 'refused' | 'unreachable', message: string) {
    super(message);
    this.code = code;
  }
}
