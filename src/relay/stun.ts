import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { addressName, ipv6Groups, Limiter } from './limits.ts';

/*
 * Browsers hide a page's own addresses behind names that only multicast on one network resolves. A page that asks here
 * learns, and may tell its peer, the address that the question came from. RFC 8489, big-endian:
 *
 *   0   type     binding request 0x0001, answer 0x0101      20  attribute  XOR-MAPPED-ADDRESS 0x0020
 *   2   length   of what follows the header                 22  length     8 or 20
 *   4   cookie   0x2112a442                                 24  family     1 or 2
 *   8   transaction, 12 bytes                               26  port       xor the cookie's first half
 *                                                           28  address    xor cookie and transaction
 */

const BINDING_REQUEST = 0x0001;
const BINDING_ANSWER = 0x0101;
const XOR_MAPPED_ADDRESS = 0x0020;
const COOKIE = 0x2112a442;
const HEADER_BYTES = 20;
/** A page asks a few times per connection, and repeats what gets lost; forged senders make nobody a target. */
const QUESTIONS = { burst: 1000, perSecond: 100 };

/** The answer to a STUN question from there: its sender as seen from here; null for anything else. */
export function answerStun(question: Buffer, from: Pick<RemoteInfo, 'address' | 'port'>): Buffer | null {
  if (question.length < HEADER_BYTES || question.readUInt16BE(0) !== BINDING_REQUEST) return null;
  if (question.readUInt32BE(4) !== COOKIE || question.readUInt16BE(2) !== question.length - HEADER_BYTES) return null;
  const address = addressBytes(from.address);
  const answer = Buffer.alloc(28 + address.length);
  answer.writeUInt16BE(BINDING_ANSWER, 0);
  answer.writeUInt16BE(answer.length - HEADER_BYTES, 2);
  question.copy(answer, 4, 4, HEADER_BYTES);
  answer.writeUInt16BE(XOR_MAPPED_ADDRESS, 20);
  answer.writeUInt16BE(4 + address.length, 22);
  answer.writeUInt16BE(address.length === 4 ? 1 : 2, 24);
  answer.writeUInt16BE(from.port ^ (COOKIE >>> 16), 26);
  for (const [i, byte] of address.entries()) answer[28 + i] = byte ^ answer.readUInt8(4 + i);
  return answer;
}

/** Answers STUN questions at this address until closed; null if the port is not to be had. */
export async function startStun(port: number, host: string): Promise<{ close(): void } | null> {
  const socket = createSocket(isIPv4(host) ? 'udp4' : 'udp6');
  const questions = new Limiter(QUESTIONS);
  socket.on('message', (question, from) => {
    const answer = answerStun(question, from);
    if (answer !== null && questions.take(addressName(from.address), performance.now())) {
      socket.send(answer, from.port, from.address, () => {});
    }
  });
  try {
    socket.bind(port, host);
    await once(socket, 'listening');
  } catch {
    socket.close();
    return null;
  }
  socket.on('error', () => {});
  return { close: () => socket.close() };
}

function addressBytes(address: string): number[] {
  const [plain = ''] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%');
  if (isIPv4(plain)) return plain.split('.').map(Number);
  return ipv6Groups(plain).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
