import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { iceServers, noIce, serverNames } from './ice-servers.ts';

const turn = ['turn:turn.example.org:3478'];
const stun = ['stun:stun.example.org'];

test('TURN credentials from a secret say when they run out, as coturn checks them', () => {
  const nowMs = 1_900_000_000_000;
  const [first, second] = iceServers({ stun, turn, auth: { kind: 'secret', secret: 's3' } }, 'worker', nowMs);
  expect(first).toEqual({ urls: stun[0] });
  expect(second?.username).toBe(`${1_900_000_000 + 12 * 3600}:worker`);
  expect(second?.credential).toBe(
    createHmac('sha1', 's3')
      .update(second?.username ?? '')
      .digest('base64'),
  );
});

test('fixed credentials are handed on, and names alone carry none', () => {
  const options = { stun, turn, auth: { kind: 'fixed', username: 'u', credential: 'p' } } as const;
  expect(iceServers(options, 'host', 0)[1]).toEqual({ urls: turn[0], username: 'u', credential: 'p' });
  expect(serverNames(options)).toEqual([{ urls: stun[0] }, { urls: turn[0] }]);
  expect(iceServers(noIce, 'host', 0)).toEqual([]);
});
