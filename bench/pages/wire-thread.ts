import { portLink } from '../../src/net/link/port.ts';
import { type Arrival, type MessengerEndpoint, messengerEndpoint } from './wire-endpoint.ts';

/* A thread as the server and trainer are: the link comes through a port, messages are put together here. */

export type ToThread =
  | { readonly type: 'attach'; readonly port: MessagePort }
  | { readonly type: 'send'; readonly messages: number; readonly bytes: number }
  | { readonly type: 'receive'; readonly messages: number }
  | { readonly type: 'ping' };

let endpoint: MessengerEndpoint | null = null;

self.onmessage = async ({ data }: MessageEvent<ToThread>) => {
  if (data.type === 'attach') endpoint = messengerEndpoint(portLink(data.port));
  else if (data.type === 'send') await endpoint?.send(data.messages, data.bytes);
  else reply(await (data.type === 'ping' ? endpoint?.ping() : endpoint?.receive(data.messages)));
};

const reply = (message: Arrival | number | undefined) => self.postMessage(message);
