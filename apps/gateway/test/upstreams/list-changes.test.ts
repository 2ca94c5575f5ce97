/** Notifications about changed lists: the first at once, later ones at growing intervals, never lost. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ListChanges } from '../../src/upstreams/list-changes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a flood is passed on a few times, and its end always', () => {
  const changes = new ListChanges();
  const passed: number[] = [];
  for (let time = 0; time < 3_000; time += 1) {
    changes.receive('a', () => passed.push(time));
    vi.advanceTimersByTime(1);
  }
  expect(passed[0]).toBe(0);
  expect(passed.length).toBeLessThan(6);
  vi.advanceTimersByTime(10_000);
  expect(passed.at(-1)).toBe(2_999);
});

test('servers do not wait for each other, and a quiet one is passed on at once again', () => {
  const changes = new ListChanges();
  const passed: string[] = [];
  changes.receive('a', () => passed.push('a'));
  changes.receive('b', () => passed.push('b'));
  vi.advanceTimersByTime(1_000);
  changes.receive('a', () => passed.push('again'));
  expect(passed).toEqual(['a', 'b', 'again']);
});

test('nothing follows after it is closed', () => {
  const changes = new ListChanges();
  const passed: number[] = [];
  for (let time = 0; time < 3; time += 1) changes.receive('a', () => passed.push(time));
  changes.close();
  vi.advanceTimersByTime(60_000);
  expect(passed).toEqual([0]);
});
