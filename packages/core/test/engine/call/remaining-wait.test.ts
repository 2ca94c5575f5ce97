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
  { what: 'no longer than it may wait: all of it', beganMs: 29_000, spanMs: 29_000, ageMs: 0, leftMs: 29_000 },
  { what: 'twice as long: half of it', beganMs: 58_000, spanMs: 58_000, ageMs: 0, leftMs: 14_500 },
  { what: 'ten times as long: a tenth of it', beganMs: 290_000, spanMs: 290_000, ageMs: 0, leftMs: 2_900 },
  {
    what: 'twice as long when the call began: the same, whenever it is asked',
    beganMs: 68_000,
    spanMs: 68_000,
    ageMs: 10_000,
    leftMs: 4_500,
  },
  { what: 'since this call: all of it', beganMs: 9_000, spanMs: 9_000, ageMs: 10_000, leftMs: 19_000 },
  { what: 'only once, an hour ago: all of it', beganMs: 3_600_000, spanMs: 0, ageMs: 0, leftMs: 29_000 },
])('a tool has failed for $what', ({ beganMs, spanMs, ageMs, leftMs }) => {
  expect(waitLeftMs({ ageMs, turnLeftMs: 30_000 - ageMs, maxWaitMs: 60_000, usualMs: 200, failures: { beganMs, spanMs } })).toBe(leftMs);
});

it('without a deadline, the minute is shorter too after failures for longer than a minute', () => {
  const failures = { beganMs: 120_000, spanMs: 120_000 };
  expect(waitLeftMs({ ageMs: 0, turnLeftMs: undefined, maxWaitMs: 300_000, usualMs: 200, failures })).toBe(30_000);
  expect(waitLeftMs({ ageMs: 0, turnLeftMs: 30_000, maxWaitMs: 60_000, usualMs: undefined, failures })).toBe(30_000);
});
