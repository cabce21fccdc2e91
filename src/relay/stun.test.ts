import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { answerStun, startStun } from './stun.ts';

// RFC 5769, sections 2.1 to 2.3: this transaction, and the two addresses as they are there on the wire.
const transaction = 'b7e7a701bc34d686fa87dfae';
const request = Buffer.from(`00010000 2112a442 ${transaction}`.replaceAll(' ', ''), 'hex');

test.each([
  ['192.0.2.1', '0020 0008 0001 a147 e112a643'],
  ['::ffff:192.0.2.1', '0020 0008 0001 a147 e112a643'],
  ['2001:db8:1234:5678:11:2233:4455:6677', '0020 0014 0002 a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9'],
])('the answer to %s is the standard’s', (address, attribute) => {
  const expected = attribute.replaceAll(' ', '');
  const answer = answerStun(request, { address, port: 32_853 })?.toString('hex');
  const length = (expected.length / 2).toString(16).padStart(4, '0');
  expect(answer).toBe(`0101${length}2112a442${transaction}${expected}`);
});

test('what is no question gets no answer, whatever its length', () => {
  const from = { address: '192.0.2.1', port: 1 };
  for (let length = 0; length < request.length; length++) {
    expect(answerStun(request.subarray(0, length), from)).toBeNull();
  }
  for (const at of [0, 1, 2, 3, 4, 7]) {
    const damaged = Buffer.from(request);
    damaged[at] = (damaged[at] ?? 0) ^ 0x40;
    expect(answerStun(damaged, from), `byte ${at}`).toBeNull();
  }
  expect(answerStun(Buffer.concat([request, Buffer.alloc(4)]), from)).toBeNull();
});

test('one that listens tells who asked; a port in use is left to its owner', async () => {
  const client = createSocket('udp4').bind(0, '127.0.0.1');
  await once(client, 'listening');
  const probe = createSocket('udp4').bind(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  expect(await startStun(port, '127.0.0.1')).toBeNull();
  await new Promise<void>((resolve) => probe.close(resolve));
  const stun = await startStun(port, '127.0.0.1');
  try {
    const heard = once(client, 'message') as Promise<[Buffer]>;
    client.send('nonsense', port, '127.0.0.1');
    client.send(request, port, '127.0.0.1');
    const [answer] = await heard;
    expect(answer).toEqual(answerStun(request, { address: '127.0.0.1', port: client.address().port }));
  } finally {
    stun?.close();
    client.close();
  }
});
