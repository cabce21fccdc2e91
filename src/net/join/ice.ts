import type { IceServer } from './handshake.ts';

/** What PeerJS calls a key: the name that all programs of one relay share. No secret. */
export const SIGNALLING_KEY = 'manyhands';

/** How tabs find each other: who carries the first messages, and which servers help through routers. */
export interface NetSettings {
  readonly signalling: {
    readonly host: string;
    readonly port: number;
    readonly path: string;
    readonly key: string;
    readonly secure: boolean;
  };
  /** Empty: no STUN or TURN server is asked, and only machines that reach each other directly connect. */
  readonly iceServers: readonly IceServer[];
}

type Origin = Readonly<Record<'hostname' | 'port' | 'protocol', string>>;

const MAX_SERVERS = 8;
/** A name or an address, and perhaps a port; one that a browser would throw at is none. */
const PLACE = String.raw`([^\s/?@:]+|\[[0-9a-f:.]+\])(:([0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?`;
const STUN = new RegExp(`^stuns?:${PLACE}$`, 'i');
const TURN = new RegExp(`^turns?:${PLACE}(\\?transport=(udp|tcp))?$`, 'i');

/** Signalling at the page's own server and no other server at all. */
export function lanSettings({ hostname, port, protocol }: Origin): NetSettings {
  const secure = protocol === 'https:';
  const signalling = { host: hostname, port: port === '' ? (secure ? 443 : 80) : Number(port), secure };
  return { signalling: { ...signalling, path: '/signal', key: SIGNALLING_KEY }, iceServers: [] };
}

/**
 * Adds the servers that URL parameters name: `ice=stun:host:port` and `turn=turn:host:port` (each may repeat), with
 * `turnUser` and `turnCredential` for the latter. Throws a RangeError that says what is wrong.
 */
export function withServersFromQuery(settings: NetSettings, query: URLSearchParams): NetSettings {
  const stun = query.getAll('ice').map((urls) => ({ urls: check('ice', urls, STUN, 'stun:stun.example.org:3478') }));
  const turn = query.getAll('turn').map((urls) => ({
    urls: check('turn', urls, TURN, 'turn:turn.example.org:3478?transport=udp'),
    username: needed(query, 'turnUser'),
    credential: needed(query, 'turnCredential'),
  }));
  const iceServers = [...settings.iceServers, ...stun, ...turn];
  if (iceServers.length > MAX_SERVERS) {
    throw new RangeError(`${iceServers.length} ICE servers are given, at most ${MAX_SERVERS} are used: remove some`);
  }
  return { ...settings, iceServers };
}

/** The parameters that give `withServersFromQuery` the same servers, for a link that others open. */
export function serversToQuery(settings: NetSettings): [string, string][] {
  const pairs = settings.iceServers.flatMap(({ urls, username, credential }): [string, string][] => {
    if (STUN.test(urls)) return [['ice', urls]];
    return [
      ['turn', urls],
      ['turnUser', username ?? ''],
      ['turnCredential', credential ?? ''],
    ];
  });
  const hasCome = new Set<string>();
  return pairs.filter(([key]) => key === 'ice' || key === 'turn' || (!hasCome.has(key) && hasCome.add(key)));
}

/** What the settings mean, one sentence per line, for the page. */
export function describeSettings({ signalling, iceServers }: NetSettings): string[] {
  const { host, port, path, secure } = signalling;
  const urls = iceServers.map((server) => server.urls);
  const stun = urls.filter((url) => STUN.test(url));
  const turn = urls.filter((url) => TURN.test(url));
  return [
    `Tabs find each other through ${secure ? 'wss' : 'ws'}://${host}:${port}${path}.`,
    stun.length > 0
      ? `${stun.join(', ')} tells each tab by which address others see it.`
      : 'No STUN server: tabs connect within one network, or where addresses are public.',
    turn.length > 0
      ? `${turn.join(', ')} passes data on, encrypted, where no direct way is found.`
      : 'No TURN server: data goes from tab to tab and nowhere else.',
    'Where no way is found, the relay that serves this page passes data on, and the page says so.',
  ];
}

/** Where a worker asks to be let in, and where the fallback link goes. */
export function relayUrls({ signalling: { host, port, path, secure } }: NetSettings): { join: string; relay: string } {
  const place = `${secure ? 's' : ''}://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
  return { join: `http${place}${path}/join`, relay: `ws${place}/relay` };
}

/** What a `--stun` or `--turn` option names, or an error that says how it is written. */
export function checkServer(kind: 'stun' | 'turn', value: string): string {
  if ((kind === 'stun' ? STUN : TURN).test(value)) return value;
  const example = kind === 'stun' ? 'stun:stun.example.org:3478' : 'turn:turn.example.org:3478?transport=udp';
  throw new RangeError(`--${kind} "${value}" is not a server: write it like ${example}`);
}

function check(name: string, value: string, pattern: RegExp, example: string): string {
  if (pattern.test(value)) return value;
  throw new RangeError(`"${name}=${value}" in the address is not a server: write it like ${name}=${example}`);
}

function needed(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value !== null && value !== '') return value;
  throw new RangeError(`"turn" in the address needs "${name}" beside it: a TURN server asks who uses it`);
}
