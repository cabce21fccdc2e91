import { expect, test } from 'vitest';
import { isLocalAddress, readCode } from './room.ts';

test.each([
  ...['localhost', '127.0.0.1', '[::1]', '10.1.2.3', '192.168.1.5', '172.16.0.1', '172.31.9.9', '169.254.1.1'],
  ...['[fd00::2]', '[fe80::1]', 'laptop', 'laptop.local', 'nas.home.arpa'],
])('%s is a local address', (hostname) => {
  expect(isLocalAddress(hostname)).toBe(true);
});

test.each(['example.org', '172.32.0.1', '8.8.8.8', '[2001:db8::1]', '10.example.org', 'local.example.org', '1.10.1.1'])(
  '%s is not: there the code alone lets nobody in at first',
  (hostname) => {
    expect(isLocalAddress(hostname)).toBe(false);
  },
);

test('a code is read however it was typed', () => {
  expect(readCode(' ABC-234 ')).toBe('abc234');
  expect(readCode('abc23')).toBeNull();
});
