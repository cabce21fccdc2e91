import { expect, it } from 'vitest';
import { patientClock } from './patient-clock.ts';

it('stands still while a lab waits for people', () => {
  let nowMs = 100;
  const clock = patientClock(() => nowMs);
  expect(clock.nowMs()).toBe(100);
  clock.setWaiting(true);
  nowMs = 500;
  clock.setWaiting(true);
  expect(clock.nowMs()).toBe(100);
  clock.setWaiting(false);
  nowMs = 600;
  expect(clock.nowMs()).toBe(200);
});
