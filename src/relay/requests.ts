import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const MAX_BODY_BYTES = 1024;

/**
 * The address that a request asks for, with the path and query it was sent, or null where it has none: `//`, which the
 * URL parser takes for a missing host, `*`, or an absolute address that cannot be read.
 */
export function requestUrl({ url = '' }: Pick<IncomingMessage, 'url'>): URL | null {
  const isPath = url.startsWith('/');
  if (isPath && url.startsWith('//')) return null;
  const address = isPath ? `http://any${url}` : url;
  return /^https?:/i.test(address) && URL.canParse(address) ? new URL(address) : null;
}

/**
 * Whether a Range header asks for bytes that a file can have. One that names several ranges, or none that we can read,
 * is not an error: the caller then sends the whole file.
 */
export function readRange(header: string): 'one' | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(header) ?? [];
  if (first === '') return 'whole';
  const [start, end] = [Number(first), last === '' ? Number.MAX_SAFE_INTEGER : Number(last)];
  return start <= end && Number.isSafeInteger(end) ? 'one' : 'unsatisfiable';
}

/** A browser says which page opened the connection: any other site the user visits must not reach a host tab here. */
export function isSameHost({ headers: { origin, host } }: IncomingMessage): boolean {
  if (origin === undefined) return true;
  const page = URL.canParse(origin) ? new URL(origin).hostname : null;
  return page !== null && page === hostnameOf(host);
}

/** The name in a Host header, without its port; null if it cannot be read. */
export function hostnameOf(host: string | undefined): string | null {
  return host !== undefined && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : null;
}

/** The value of a request's JSON, null if it is none; rejects one that is too long. */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of req) {
    text += String(chunk);
    if (text.length > MAX_BODY_BYTES) throw new RangeError('the request is too long');
  }
  return parseJson(text);
}

/** The value of a text; null if it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Answers with JSON that nobody keeps. */
export function answerJson(res: ServerResponse, status: number, value: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  res.end(JSON.stringify(value));
}

const refusals = { 400: 'Bad Request', 403: 'Forbidden', 429: 'Too Many Requests' };

/** Refuses a WebSocket before it is one. */
export function refuseUpgrade(socket: Duplex, status: keyof typeof refusals): void {
  const words = refusals[status];
  socket.end(`HTTP/1.1 ${status} ${words}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
