import { randomBytes } from 'node:crypto';
import { dialer } from '../../net/join/dial.ts';
import { deviceFor, type ProvenLink } from '../../net/join/handshake.ts';
import { type NodeNet, nodeRuntime } from './runtime.ts';

/** Connects this process as a worker, on a device of its own, to the host that gave the invite. */
export const dialInNode = (code: string, invite: string, net: NodeNet): Promise<ProvenLink> =>
  dialer(
    nodeRuntime(net),
    { code, invite, device: deviceFor(randomBytes(16), code), transport: 'auto', onServers() {} },
    { relayUrl: net.url, iceServers: [] },
  )(new AbortController().signal);
