import { describe, expect, test } from 'vitest';
import {
  formatBytes,
  pluralize,
  formatDayAndTime,
  formatDuration,
  formatDurations,
  formatHold,
  joinWords,
  formatNumber,
  formatPercent,
  formatRelative,
  formatShortNumber,
} from '../../src/ui/format.ts';

/** Replaces non-breaking spaces. */
const plain = (text: string): string => text.replaceAll('\u00A0', ' ');

test('a hold has whole seconds left, until it is over', () => {
  const until = '2026-01-01T00:00:08.000Z';
  const at = (leftMs: number): string => plain(formatHold(until, Date.parse(until) - leftMs));
  expect([at(8_000), at(7_001), at(1), at(0), at(-5_000)]).toEqual(['held for 8 s', 'held for 8 s', 'held for 1 s', '', '']);
  expect(formatHold(undefined, 0)).toBe('');
});

describe('duration', () => {
  test.each([
    [0, '0 ms'],
    [0.4, '0.4 ms'],
    [5, '5 ms'],
    [87.4, '87 ms'],
    [999.4, '999 ms'],
    [999.6, '1 s'],
    [1234, '1.23 s'],
    [30_000, '30 s'],
    [99_940, '99.9 s'],
    [99_960, '1 min 40 s'],
    [245_000, '4 min 5 s'],
    [3_599_600, '1 h'],
    [7_800_000, '2 h 10 min'],
    [200_000_000, '2 d 7 h'],
    [-5, '0 ms'],
    [null, '–'],
    [undefined, '–'],
    [Number.NaN, '–'],
  ])('%s is %s', (value, text) => {
    expect(plain(formatDuration(value))).toBe(text);
  });

  test('two durations share a common unit', () => {
    expect(plain(formatDurations(89, 284))).toBe('89 · 284 ms');
    expect(plain(formatDurations(850, 1200))).toBe('850 ms · 1.2 s');
    expect(plain(formatDurations(125_000, 185_000))).toBe('2 min 5 s · 3 min 5 s');
    expect(plain(formatDurations(undefined, 4))).toBe('– · 4 ms');
  });
});

describe('percent', () => {
  test.each([
    [0, '0 %'],
    [0.0001, '< 0.1 %'],
    [0.004, '0.4 %'],
    [0.05, '5 %'],
    [0.124, '12 %'],
    [0.9951, '99.5 %'],
    [0.99999, '> 99.9 %'],
    [1, '100 %'],
    [undefined, '–'],
  ])('%s is %s', (value, text) => {
    expect(plain(formatPercent(value))).toBe(text);
  });
});

test('numbers are grouped or shortened', () => {
  expect(formatNumber(1_204_500)).toBe('1,204,500');
  expect([formatShortNumber(9999), formatShortNumber(12_340), formatShortNumber(4_100_000)]).toEqual(['9,999', '12.3k', '4.1M']);
  expect([plain(pluralize(1, 'retry', 'retries')), plain(pluralize(1200, 'call'))]).toEqual(['1 retry', '1,200 calls']);
  expect([formatBytes(900), formatBytes(4_812_000), formatBytes(2_000_000_000)].map(plain)).toEqual(['900 B', '4.8 MB', '2 GB']);
});

describe('relative', () => {
  const now = Date.parse('2026-01-02T12:00:00Z');
  test.each([
    [0, 'now'],
    [12_000, '12 s ago'],
    [59_600, '1 min ago'],
    [300_000, '5 min ago'],
    [7_300_000, '2 h ago'],
    [180_000_000, '2 d ago'],
    [-5000, 'in 5 s'],
  ])('%s ms before', (away, text) => {
    expect(plain(formatRelative(now - away, now))).toBe(text);
  });

  test('an invalid time is a dash', () => {
    expect(formatRelative('yesterday', now)).toBe('–');
  });
});

test('the date is included if it is another day', () => {
  const noon = new Date(2026, 0, 2, 12, 0, 0).getTime();
  expect(formatDayAndTime(noon, noon + 1000)).toBe('12:00:00');
  expect(formatDayAndTime(noon - 86_400_000, noon)).toBe('1 Jan, 12:00:00');
});

test('words are joined with commas and "and"', () => {
  expect([joinWords([]), joinWords(['a']), joinWords(['a', 'b']), joinWords(['a', 'b', 'c'])]).toEqual(['', 'a', 'a and b', 'a, b and c']);
});
