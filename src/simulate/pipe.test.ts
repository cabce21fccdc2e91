import { describe, expect, it } from 'vitest';
import { Pipe } from './pipe.ts';

/** 125 bytes in a millisecond. */
const slow = () => new Pipe(1);
/** 1,250 bytes in a millisecond. */
const fast = () => new Pipe(10);

describe('a link', () => {
  it('sends one message after another', () => {
    const pipe = slow();
    expect([pipe.send(1250, 0), pipe.send(125, 0), pipe.send(125, 50)]).toEqual([0, 10, 50]);
    expect(pipe.bytes).toBe(1500);
    expect(pipe.busyMs).toBe(12);
  });

  it('passes bytes on as they come: two in a row take as long as the slower one', () => {
    expect(slow().pass(1250, 0, 1)).toBe(10);
    expect(fast().pass(1250, 0, 10)).toBe(10);
    expect(slow().pass(1250, 0, 10)).toBe(10);
  });

  it('has room for others while a slow one trickles in, and is full when they are too many', () => {
    const one = fast();
    expect([one.gather(1250, 0, 10), one.gather(1250, 0, 10.5), one.gather(1250, 0, 20)]).toEqual([10, 11, 20]);
    expect(slow().gather(1250, 5, 6)).toBe(15);
    const many = fast();
    for (let i = 0; i < 100; i++) many.gather(1250, 0, 10);
    // The first was through at 10, and each of the others took one millisecond more.
    expect(many.gather(1250, 0, 10)).toBe(110);
  });
});
