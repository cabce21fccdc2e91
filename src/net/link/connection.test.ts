import { expect, onTestFinished, test, vi } from 'vitest';
import { Connection, type RtcEvents } from './connection.ts';
import type { Signal } from './signal.ts';

/** A connection whose WebRTC is this test. */
function connection() {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const sent: string[] = [];
  const added: string[] = [];
  const ends: string[] = [];
  let rtc: RtcEvents | null = null;
  const made = new Connection(
    7,
    (_, events) => {
      rtc = events;
      return {
        describe: async (kind) => `our ${kind}`,
        async accept(_kind, sdp) {
          if (sdp === 'nonsense') throw new Error('not a description');
        },
        addCandidate: (candidate) => added.push(candidate),
        fingerprints: () => null,
        link: () => expect.unreachable('no channel opens here'),
        close: () => ends.push('closed'),
      };
    },
    [],
    {
      send: (signal) => sent.push('sdp' in signal ? signal.sdp : signal.candidate),
      onLink: () => expect.unreachable('no channel opens here'),
      onFailed: (code, why) => ends.push(`${code}: ${why}`),
      onGone: () => ends.push('gone'),
    },
  );
  const say = (kind: Signal['kind'], text: string) =>
    made.hear(kind === 'candidate' ? { kind, call: 7, candidate: text } : { kind, call: 7, sdp: text });
  return { made, sent, added, ends, say, found: (candidate: string) => rtc?.onCandidate(candidate) };
}

test('a caller tells no way to itself before it knows whom it called', async () => {
  const { made, sent, say, found } = connection();
  found('early');
  await made.offer();
  found('late');
  expect(sent).toEqual(['our offer']);
  await say('answer', 'theirs');
  found('last');
  expect(sent).toEqual(['our offer', 'early', 'late', 'last']);
});

test('who is called answers first, and tries the ways that came before the offer', async () => {
  const { sent, added, say, found } = connection();
  found('early');
  await say('candidate', 'one');
  expect(added).toEqual([]);
  await say('offer', 'theirs');
  await say('candidate', 'two');
  expect(added).toEqual(['one', 'two']);
  expect(sent).toEqual(['our answer', 'early']);
});

test('an answer that nobody asked for, or a second one, is ignored', async () => {
  const { made, ends, say } = connection();
  await say('answer', 'nonsense');
  await made.offer();
  await say('answer', 'theirs');
  await say('answer', 'nonsense');
  expect(ends).toEqual([]);
});

test('a description that cannot be used ends it, in words', async () => {
  const { ends, say } = connection();
  await say('offer', 'nonsense');
  expect(ends).toEqual(['closed', 'gone', 'no-way: the connection could not be set up: not a description']);
});

test.each([
  ['unanswered', false],
  ['no-way', true],
])('gives up after ten seconds as %s, if its offer was answered: %s', async (code, isAnswered) => {
  const { made, ends, say } = connection();
  await made.offer();
  if (isAnswered) await say('answer', 'theirs');
  vi.advanceTimersByTime(9_999);
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ends.at(-1)).toContain(code);
});

test('an end by this side is no failure', async () => {
  const { made, ends } = connection();
  await made.offer();
  made.end();
  made.abort();
  vi.advanceTimersByTime(10_000);
  expect(ends).toEqual(['closed', 'gone']);
});
