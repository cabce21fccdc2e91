import type { IncomingMessage } from 'node:http';

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
