import { describe, expect, test } from 'vitest';
import { describeAlertChanges } from '../../src/shell/announcement.ts';
import { alert } from '../fixtures.ts';

describe('describeAlertChanges', () => {
  test('does not announce alerts that fire when the page opens', () => {
    expect(describeAlertChanges(undefined, [alert('a')])).toBeUndefined();
  });

  test('announces an alert that starts or ends', () => {
    expect(describeAlertChanges([], [alert('a')])).toBe('Alert: Summary of a.');
    expect(describeAlertChanges([alert('a')], [alert('b')])).toBe('Alert: Summary of b. Resolved: Summary of a.');
  });

  test('ignores pending and silenced alerts, and new values', () => {
    expect(describeAlertChanges([], [alert('a', { state: 'pending' }), alert('b', { silenced_by: ['s'] })])).toBeUndefined();
    expect(describeAlertChanges([alert('a')], [alert('a', { value: '2' })])).toBeUndefined();
    expect(describeAlertChanges([alert('a')], [alert('a', { silenced_by: ['s'] })])).toBeUndefined();
  });

  test('summarizes many alerts in one sentence', () => {
    expect(
      describeAlertChanges(
        [],
        ['a', 'b', 'c', 'd'].map((name) => alert(name)),
      ),
    ).toBe('4\u00A0alerts firing.');
  });
});
