import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { checksum } from '../core/wire/checksum.ts';
import { dropFile, keepFile, readFile } from '../store/files.ts';
import { DataError } from './data-error.ts';
import { loadSplit } from './dataset.ts';
import { dataFiles } from './files.ts';

const baseUrl = `${location.origin}/`;
const { images, labels } = dataFiles.mnist.test;
const realFetch = globalThis.fetch;
const fetched = vi.fn<typeof fetch>();

/** The data server's answers; vitest's own requests pass by. */
function answerWith(answer: (url: string, call: number) => Promise<Response>): void {
  fetched.mockReset();
  fetched.mockImplementation((input) => answer(String(input), fetched.mock.calls.length));
  globalThis.fetch = (input, init) =>
    String(input).includes('/data/') ? fetched(input, init) : realFetch(input, init);
}

/** Servers differ in whether they let the browser unpack a `.gz` file. */
async function rawBytes(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await (await realFetch(url)).arrayBuffer());
  if (bytes[0] !== 0x1f) return bytes;
  const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
  return new Uint8Array(await unpacked.arrayBuffer());
}

beforeEach(async () => {
  await Promise.all([dropFile(images.path), dropFile(labels.path)]);
  answerWith((url) => realFetch(url));
});

afterEach(() => {
  globalThis.fetch = realFetch;
});

test('loads the whole test split, then has it without the network', async () => {
  const seen: number[] = [];
  const split = await loadSplit('mnist', 'test', { baseUrl, onProgress: (fraction) => seen.push(fraction) });
  expect(split.count).toBe(10_000);
  expect(split.images.length).toBe(10_000 * 784);
  expect([...split.labels.subarray(0, 5)]).toEqual([7, 2, 1, 0, 4]);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.at(-1)).toBe(1);
  expect(fetched).toHaveBeenCalledTimes(2);
  const again = await loadSplit('mnist', 'test', { baseUrl });
  expect(checksum(again.images)).toBe(checksum(split.images));
  expect(fetched).toHaveBeenCalledTimes(2);
});

test('fetches a damaged copy again', async () => {
  await loadSplit('mnist', 'test', { baseUrl });
  const copy = (await readFile(labels.path))?.slice() ?? new Uint8Array();
  copy.set([9], 5000);
  await keepFile(labels.path, copy);
  const split = await loadSplit('mnist', 'test', { baseUrl });
  expect(fetched.mock.calls.map(([url]) => String(url)).filter((url) => url.includes('labels'))).toHaveLength(2);
  expect([...split.labels.subarray(0, 5)]).toEqual([7, 2, 1, 0, 4]);
});

test('tries again after a lost connection and after wrong bytes', async () => {
  answerWith((url, call) => {
    if (call === 1) return Promise.reject(new TypeError('Failed to fetch'));
    if (call === 2) return Promise.resolve(new Response(new Uint8Array(images.sizeBytes)));
    return realFetch(url);
  });
  const split = await loadSplit('mnist', 'test', { baseUrl, pausesMs: [1, 1] });
  expect(split.count).toBe(10_000);
  expect(fetched).toHaveBeenCalledTimes(4);
});

test('gives up after three tries with words that help, and works the next time', async () => {
  answerWith(() => Promise.reject(new TypeError('Failed to fetch')));
  const loading = loadSplit('mnist', 'test', { baseUrl, pausesMs: [1, 1] });
  await expect(loading).rejects.toThrow(DataError);
  await expect(loading).rejects.toThrow(/in 3 tries: Failed to fetch\. Check the connection/);
  expect(fetched).toHaveBeenCalledTimes(3);
  answerWith((url) => realFetch(url));
  expect((await loadSplit('mnist', 'test', { baseUrl })).count).toBe(10_000);
});

test('a file that comes damaged each time says where to make it anew', async () => {
  answerWith(() => Promise.resolve(new Response(new Uint8Array(images.sizeBytes))));
  const loading = loadSplit('mnist', 'test', { baseUrl, pausesMs: [1, 1] });
  await expect(loading).rejects.toThrow(DataError);
  await expect(loading).rejects.toThrow(/t10k-images.*came damaged.*npm run build/);
  expect(fetched).toHaveBeenCalledTimes(3);
});

test('says at once when the server does not have the data', async () => {
  answerWith(() => Promise.resolve(new Response('', { status: 404 })));
  await expect(loadSplit('mnist', 'test', { baseUrl })).rejects.toThrow(/the server has no data\/mnist.*npm run build/);
  expect(fetched).toHaveBeenCalledTimes(1);
});

test('says how to get data that only comes when asked for', async () => {
  const asked = /the server has no data\/cifar10.*npx tsx scripts\/fetch-data\.ts cifar10/;
  answerWith(() => Promise.resolve(new Response('', { status: 404 })));
  await expect(loadSplit('cifar10', 'test', { baseUrl })).rejects.toThrow(asked);
  const page = new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } });
  answerWith(() => Promise.resolve(page));
  await expect(loadSplit('cifar10', 'test', { baseUrl })).rejects.toThrow(asked);
  expect(fetched).toHaveBeenCalledTimes(1);
});

test('makes generated data without the network', async () => {
  const split = await loadSplit('fake-28', 'test', { baseUrl });
  expect(split.images.length).toBe(split.count * 784);
  expect(fetched).not.toHaveBeenCalled();
});

test.each(['packed', 'unpacked'])('takes bytes that the browser hands over %s', async (kind) => {
  answerWith(async (url) => {
    const raw = new Response(await rawBytes(url));
    return kind === 'unpacked' ? raw : new Response(raw.body?.pipeThrough(new CompressionStream('gzip')));
  });
  expect((await loadSplit('mnist', 'test', { baseUrl })).count).toBe(10_000);
});

test('two at once share one download', async () => {
  const fractions: number[][] = [[], []];
  const both = fractions.map((seen) =>
    loadSplit('mnist', 'test', { baseUrl, onProgress: (fraction) => seen.push(fraction) }),
  );
  const [first, second] = await Promise.all(both);
  expect(first?.count).toBe(10_000);
  expect(second?.count).toBe(10_000);
  expect(fractions.map((seen) => seen.at(-1))).toEqual([1, 1]);
  expect(fetched).toHaveBeenCalledTimes(2);
});

test('a tab that holds the lock makes others wait and then use its copy', async () => {
  const path = images.path;
  let release = () => {};
  const held = navigator.locks.request(`manyhands ${path}`, () => new Promise<void>((resolve) => (release = resolve)));
  const loading = loadSplit('mnist', 'test', { baseUrl });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(fetched).not.toHaveBeenCalled();
  await keepFile(path, await rawBytes(`${baseUrl}${path}.gz`));
  release();
  await held;
  await loading;
  expect(fetched.mock.calls.some(([url]) => String(url).includes(path))).toBe(false);
});
