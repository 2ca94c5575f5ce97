import { describe, expect, test } from 'vitest';
import { describeAlertChanges } from '../../src/shell/announcement.ts';
import { alert } from '../fixtures.ts';

describe('announcement', () => {
  test('what fires when the page is opened is not read out', () => {
    expect(describeAlertChanges(undefined, [alert('a')])).toBeUndefined();
  });

  test('an alert that begins or ends is', () => {
    expect(describeAlertChanges([], [alert('a')])).toBe('Alert: Summary of a.');
    expect(describeAlertChanges([alert('a')], [alert('b')])).toBe('Alert: Summary of b. Resolved: Summary of a.');
  });

  test('pending and silenced ones are not, nor a new value of the same', () => {
    expect(describeAlertChanges([], [alert('a', { state: 'pending' }), alert('b', { silenced_by: ['s'] })])).toBeUndefined();
    expect(describeAlertChanges([alert('a')], [alert('a', { value: '2' })])).toBeUndefined();
    expect(describeAlertChanges([alert('a')], [alert('a', { silenced_by: ['s'] })])).toBeUndefined();
  });

  test('many are one sentence', () => {
    expect(
      describeAlertChanges(
        [],
        ['a', 'b', 'c', 'd'].map((name) => alert(name)),
      ),
    ).toBe('4\u00A0alerts fire.');
  });
});
