import type { IceServer } from '../link/signal.ts';

/** How tabs find each other: through which relay, and which servers help through routers. */
export interface NetSettings {
  /** The relay's page, e.g. http://192.168.1.5:8080/. */
  readonly relayUrl: string;
  /** Empty: no STUN or TURN server is asked, and only machines that reach each other directly connect. */
  readonly iceServers: readonly IceServer[];
}

type Origin = Readonly<Record<'hostname' | 'port' | 'protocol', string>>;

const MAX_SERVERS = 8;
/** A name or an address, and perhaps a port; one that a browser would throw at is none. */
const SERVER = String.raw`([^\s/?@:]+|\[[0-9a-f:.]+\])(:([0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?`;
const STUN = new RegExp(`^stuns?:${SERVER}$`, 'i');
const TURN = new RegExp(`^turns?:${SERVER}(\\?transport=(udp|tcp))?$`, 'i');

/** Signalling at the page's own server and no other server at all. */
export const lanSettings = ({ hostname, port, protocol }: Origin): NetSettings => ({
  relayUrl: `${protocol}//${hostname}${port === '' ? '' : `:${port}`}/`,
  iceServers: [],
});

/**
 * Adds the servers that URL parameters name: `ice=stun:host:port` and `turn=turn:host:port` (each may repeat), with
 * `turnUser` and `turnCredential` for the latter. Throws a RangeError that says what is wrong.
 */
export function withServersFromQuery(settings: NetSettings, query: URLSearchParams): NetSettings {
  const check = (name: 'ice' | 'turn') => (urls: string) => {
    const example = serverExample(name === 'ice' ? 'stun' : 'turn', urls);
    if (example === null) return urls;
    throw new RangeError(`"${name}=${urls}" in the address is not a server: write it like ${name}=${example}`);
  };
  const stun = query.getAll('ice').map((urls) => ({ urls: check('ice')(urls) }));
  const turn = query.getAll('turn').map((urls) => ({
    urls: check('turn')(urls),
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
export function describeSettings({ relayUrl, iceServers }: NetSettings): string[] {
  const urls = iceServers.map((server) => server.urls);
  const stun = urls.filter((url) => STUN.test(url));
  const turn = urls.filter((url) => TURN.test(url));
  return [
    `Tabs find each other through ${socketUrl(relayUrl, 'signal', {})}.`,
    stun.length > 0
      ? `${stun.join(', ')} tells each tab by which address others see it.`
      : 'No STUN server: tabs connect within one network, or where addresses are public.',
    turn.length > 0
      ? `${turn.join(', ')} passes data on, encrypted, where no direct way is found.`
      : 'No TURN server: data goes from tab to tab and nowhere else.',
    'Where no way is found, the relay that serves this page passes data on, and the page says so.',
  ];
}

/** The address of a WebSocket of the relay. */
export function socketUrl(relayUrl: string, path: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(path, relayUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.search = new URLSearchParams(query).toString();
  return url.href;
}

/** Null for the address of such a server; of anything else, how it is to be written. */
export function serverExample(kind: 'stun' | 'turn', value: string): string | null {
  if ((kind === 'stun' ? STUN : TURN).test(value)) return null;
  return kind === 'stun' ? 'stun:stun.example.org:3478' : 'turn:turn.example.org:3478?transport=udp';
}

function needed(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value !== null && value !== '') return value;
  throw new RangeError(`"turn" in the address needs "${name}" beside it: a TURN server asks who uses it`);
}
