import { expect, test } from 'vitest';
import { isWelcome as isWelcomeTo, MAX_PENDING, readRelayed } from './offer-guard.ts';

const none = (): boolean => false;
const some = (): boolean => true;
const isWelcome = (message: unknown, pending: number, hasConnection: () => boolean): boolean =>
  isWelcomeTo(message, pending, hasConnection, (ticket) => ticket === 'good');
const offer = {
  type: 'OFFER',
  src: 'manyhands-worker-1',
  payload: {
    type: 'data',
    connectionId: 'dc_1',
    label: 'manyhands',
    reliable: true,
    serialization: 'raw',
    metadata: { ticket: 'good' },
    sdp: { type: 'offer', sdp: 'v=0' },
  },
};
const candidate = { type: 'CANDIDATE', src: 'w', payload: { connectionId: 'dc_1', type: 'data', candidate: {} } };

test('lets a new worker in, up to a number of unfinished ones', () => {
  expect(isWelcome(offer, 0, none)).toBe(true);
  expect(isWelcome(offer, MAX_PENDING, none)).toBe(false);
});

test.each([
  ['another ticket', { ticket: 'other' }],
  ['no ticket', {}],
  ['a ticket that is no text', { ticket: ['good'] }],
  ['nothing', undefined],
])('lets nobody in with %s', (_, metadata) => {
  expect(isWelcome({ ...offer, payload: { ...offer.payload, metadata } }, 0, none)).toBe(false);
});

test('reads who waits at the relay, and nothing else', () => {
  const payload = { link: '0123456789abcdef'.repeat(2), ticket: 'good' };
  expect(readRelayed({ type: 'RELAY', payload })).toEqual(payload);
  expect(readRelayed({ type: 'OFFER', payload })).toBeNull();
  expect(readRelayed({ type: 'RELAY', payload: { ...payload, link: '../x' } })).toBeNull();
  expect(isWelcome({ type: 'RELAY', payload }, 0, none)).toBe(false);
});

test('lets nobody replace a connection that exists', () => {
  expect(isWelcome(offer, 0, some)).toBe(false);
});

test.each([
  ['another serialization', { ...offer, payload: { ...offer.payload, serialization: 'binary' } }],
  ['media', { ...offer, payload: { ...offer.payload, type: 'media' } }],
  ['an unordered channel', { ...offer, payload: { ...offer.payload, reliable: false } }],
  ['no payload', { type: 'OFFER', src: 'w' }],
  ['an endless description', { ...offer, payload: { ...offer.payload, sdp: { type: 'offer', sdp: 'x'.repeat(1e5) } } }],
  ['an answer to no offer', { type: 'ANSWER', src: 'w', payload: { connectionId: 'dc_1' } }],
  ['a farewell that would close a link', { type: 'LEAVE', src: 'w' }],
  ['no object', 'OFFER'],
])('drops %s', (_, message) => {
  expect(isWelcome(message, 0, none)).toBe(false);
});

test('keeps candidates only for connections that exist', () => {
  expect(isWelcome(candidate, 0, some)).toBe(true);
  expect(isWelcome(candidate, 0, none)).toBe(false);
});

test.each(['OPEN', 'ERROR', 'ID-TAKEN', 'EXPIRE'])('passes the server’s own %s', (type) => {
  expect(isWelcome({ type }, 0, none)).toBe(true);
});
