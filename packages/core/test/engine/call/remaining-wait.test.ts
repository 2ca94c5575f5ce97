import { expect, it } from 'vitest';
import { waitLeftMs } from '../../../src/engine/call/remaining-wait.ts';

it.each([
  { what: 'a new call without a deadline: all of it', ageMs: 0, turnLeftMs: undefined, leftMs: 60_000 },
  { what: 'a call that has waited: what is left', ageMs: 45_000, turnLeftMs: undefined, leftMs: 15_000 },
  { what: 'a call that has waited long enough: none', ageMs: 60_000, turnLeftMs: 100_000, leftMs: 0 },
  { what: 'a turn that ends first: until a margin before', ageMs: 0, turnLeftMs: 30_000, leftMs: 29_000 },
  { what: 'the same, later', ageMs: 20_000, turnLeftMs: 10_000, leftMs: 9_000 },
  { what: 'a short turn: until a quarter before', ageMs: 0, turnLeftMs: 2_000, leftMs: 1_500 },
  { what: 'the same, later: it was as short before', ageMs: 1_000, turnLeftMs: 1_000, leftMs: 500 },
  { what: 'a turn that is nearly over: none', ageMs: 29_500, turnLeftMs: 500, leftMs: -500 },
])('$what', ({ ageMs, turnLeftMs, leftMs }) => {
  expect(waitLeftMs({ ageMs, turnLeftMs, maxWaitMs: 60_000, usualMs: 200 })).toBe(leftMs);
});

it.each([
  { what: 'a minute without a deadline', ageMs: 0, turnLeftMs: undefined, leftMs: 60_000 },
  { what: 'what is left of that minute', ageMs: 59_000, turnLeftMs: undefined, leftMs: 1_000 },
  { what: 'until the margin before the deadline, however far away', ageMs: 0, turnLeftMs: 300_000, leftMs: 299_000 },
])('a call that may wait for any time waits $what', ({ ageMs, turnLeftMs, leftMs }) => {
  expect(waitLeftMs({ ageMs, turnLeftMs, maxWaitMs: Infinity, usualMs: 200 })).toBe(leftMs);
});

it.each([
  { usualMs: 0, leftMs: 29_000 },
  { usualMs: 200, leftMs: 29_000 },
  { usualMs: 700, leftMs: 26_500 },
  { usualMs: 6_000, leftMs: 22_500 },
  { usualMs: 9_000, leftMs: 21_000 },
  { usualMs: 40_000, leftMs: 22_500 },
  { usualMs: undefined, leftMs: 30_000 },
])(
  'a call of a tool that usually takes $usualMs ms waits for $leftMs of 30,000 ms, so that its attempt can end in time',
  ({ usualMs, leftMs }) => {
    expect(waitLeftMs({ ageMs: 0, turnLeftMs: 30_000, maxWaitMs: 60_000, usualMs })).toBe(leftMs);
  },
);

it.each([
  { what: 'no longer than a minute: all of it', beganMs: 60_000, spanMs: 60_000, ageMs: 0, leftMs: 29_000 },
  { what: 'two minutes: half of it', beganMs: 120_000, spanMs: 120_000, ageMs: 0, leftMs: 14_500 },
  { what: 'ten minutes: a tenth of it', beganMs: 600_000, spanMs: 600_000, ageMs: 0, leftMs: 2_900 },
  {
    what: 'two minutes when the call began: the same, whenever it is asked',
    beganMs: 130_000,
    spanMs: 130_000,
    ageMs: 10_000,
    leftMs: 4_500,
  },
  { what: 'since this call: all of it', beganMs: 9_000, spanMs: 9_000, ageMs: 10_000, leftMs: 19_000 },
  { what: 'only once, an hour ago: all of it', beganMs: 3_600_000, spanMs: 0, ageMs: 0, leftMs: 29_000 },
])('a tool has failed for $what', ({ beganMs, spanMs, ageMs, leftMs }) => {
  expect(waitLeftMs({ ageMs, turnLeftMs: 30_000 - ageMs, maxWaitMs: 60_000, usualMs: 200, failures: { beganMs, spanMs } })).toBe(leftMs);
});

it.each([
  { what: 'without a deadline, the minute is shorter', turnLeftMs: undefined, maxWaitMs: 300_000, minutes: 2, leftMs: 30_000 },
  { what: 'a wait of ten seconds is not shorter after a minute', turnLeftMs: undefined, maxWaitMs: 10_000, minutes: 1, leftMs: 10_000 },
  { what: 'but after ten minutes', turnLeftMs: undefined, maxWaitMs: 10_000, minutes: 10, leftMs: 1_000 },
  {
    what: 'a wait of five minutes is not shorter after five minutes',
    turnLeftMs: 301_000,
    maxWaitMs: 300_000,
    minutes: 5,
    leftMs: 300_000,
  },
  { what: 'but after ten minutes', turnLeftMs: 301_000, maxWaitMs: 300_000, minutes: 10, leftMs: 150_000 },
])('$what', ({ turnLeftMs, maxWaitMs, minutes, leftMs }) => {
  const failures = { beganMs: minutes * 60_000, spanMs: minutes * 60_000 };
  expect(waitLeftMs({ ageMs: 0, turnLeftMs, maxWaitMs, usualMs: 200, failures })).toBe(leftMs);
});

it('a first attempt that waits only for its turn waits until the deadline, however long the tool has failed', () => {
  const failures = { beganMs: 120_000, spanMs: 120_000 };
  expect(waitLeftMs({ ageMs: 0, turnLeftMs: 30_000, maxWaitMs: 60_000, usualMs: undefined, failures })).toBe(30_000);
});
