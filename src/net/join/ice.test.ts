import { expect, test } from 'vitest';
import { describeSettings, lanSettings, serversToQuery, socketUrl, withServersFromQuery } from './ice.ts';

const lan = lanSettings({ hostname: '192.168.1.5', port: '8080', protocol: 'http:' });

test('a page signals through its own server and asks no other', () => {
  expect(lan).toEqual({ relayUrl: 'http://192.168.1.5:8080/', iceServers: [] });
  const { relayUrl } = lanSettings({ hostname: 'a.org', port: '', protocol: 'https:' });
  expect(socketUrl(relayUrl, 'relay', { link: 'a b' })).toBe('wss://a.org/relay?link=a+b');
  expect(describeSettings(lan).join(' ')).toMatch(/ws:\/\/192\.168\.1\.5:8080\/signal.*No STUN.*No TURN/);
});

test('servers in the address are used, named, and passed on in links', () => {
  const query = new URLSearchParams(
    'ice=stun:a.org:3478&ice=stuns:b.org&turn=turn:c.org:3478?transport=tcp&turnUser=u&turnCredential=p&batch=100',
  );
  const settings = withServersFromQuery(lan, query);
  expect(settings.iceServers).toEqual([
    { urls: 'stun:a.org:3478' },
    { urls: 'stuns:b.org' },
    { urls: 'turn:c.org:3478?transport=tcp', username: 'u', credential: 'p' },
  ]);
  expect(describeSettings(settings).join(' ')).toMatch(/stun:a\.org:3478, stuns:b\.org.*turn:c\.org/);
  const again = withServersFromQuery(lan, new URLSearchParams(serversToQuery(settings)));
  expect(again).toEqual(settings);
});

test.each([
  ['ice=turn:a.org', 'not a server'],
  ['ice=http://a.org', 'not a server'],
  ['ice=stun:', 'not a server'],
  ['turn=turn:a.org?transport=smoke', 'not a server'],
  ['turn=turn:a.org', 'needs "turnUser"'],
  ['turn=turn:a.org&turnUser=u', 'needs "turnCredential"'],
  [Array.from({ length: 9 }, (_, i) => `ice=stun:a${i}.org`).join('&'), 'at most 8'],
])('refuses %s with words', (query, words) => {
  expect(() => withServersFromQuery(lan, new URLSearchParams(query))).toThrow(words);
});
