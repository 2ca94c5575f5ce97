import type { AlertItem, AlertRuleItem, Silence } from '@holdfast/gateway/contract';
import { expect, test } from 'vitest';
import {
  firingCount,
  furtherLabels,
  groupsOf,
  mayAcknowledge,
  maySilence,
  suppressionReasons,
  rulesInOrder,
  ruleTitle,
  sinceOf,
  stateIndicator,
  summaryOf,
} from '../../../src/screens/alerts/alerts.model.ts';

const alert = (name: string, more: Partial<AlertItem> = {}): AlertItem => ({
  fingerprint: name,
  name,
  severity: 'critical',
  state: 'firing',
  labels: { alertname: name, severity: 'critical', tool: 'search' },
  summary: `${name} at search`,
  description: '',
  value: '1',
  limit: '0',
  active_since: '2026-11-22T10:00:00.000Z',
  fired_at: '2026-11-22T10:00:30.000Z',
  silenced_by: [],
  inhibited_by: [],
  tool_id: 'search',
  ...more,
});

const acknowledged = { at: '2026-11-22T10:01:00.000Z', by: 'ada' };
const all = [
  alert('A'),
  alert('B', { state: 'pending' }),
  alert('C', { acknowledged }),
  alert('D', { silenced_by: ['s1'], acknowledged }),
  alert('E', { inhibited_by: ['A'] }),
  alert('F', { state: 'resolved', resolved_at: '2026-11-22T10:05:00.000Z', silenced_by: ['s1'] }),
];

test('each alert is in one group, and empty groups are omitted', () => {
  expect(groupsOf(all).map(({ id, alerts }) => `${id}: ${alerts.map(({ name }) => name).join(' ')}`)).toEqual([
    'firing: A',
    'acknowledged: C',
    'quiet: D E',
    'pending: B',
    'resolved: F',
  ]);
  expect(groupsOf([])).toEqual([]);
  expect(all.map((each) => stateIndicator(each).label)).toEqual([
    'firing',
    'pending',
    'acknowledged',
    'suppressed',
    'suppressed',
    'resolved',
  ]);
});

test('the summary counts active alerts only', () => {
  expect(summaryOf(all)).toBe('4 firing, of which 1 acknowledged and 2 suppressed; 1 pending');
  // The same number as on the tab and in the navigation, and the sum of the groups that fire.
  expect(firingCount(all)).toBe(4);
  const firing = groupsOf(all).filter(({ title }) => title.startsWith('Firing'));
  expect(firing.reduce((sum, { alerts }) => sum + alerts.length, 0)).toBe(firingCount(all));
  expect(summaryOf([alert('G', { state: 'pending', silenced_by: ['s1'] })])).toBe('1 pending');
  expect(summaryOf(all.slice(-1))).toBe('');
});

test('lists each reason for suppressed notifications', () => {
  const silence: Silence = {
    id: 's1',
    matchers: [],
    starts_at: '',
    ends_at: '',
    created_by: 'ben',
    comment: 'maintenance',
    state: 'active',
  };
  const [first, , third, fourth, fifth] = all;
  expect(suppressionReasons(first as AlertItem, all, [silence])).toEqual([]);
  expect(suppressionReasons(third as AlertItem, all, [silence])).toEqual(['Acknowledged by ada.']);
  expect(suppressionReasons(fourth as AlertItem, all, [silence])).toEqual(['Silenced by ben: maintenance', 'Acknowledged by ada.']);
  expect(suppressionReasons(fourth as AlertItem, all, [])[0]).toBe('Covered by a silence.');
  expect(suppressionReasons(fifth as AlertItem, all, [])).toEqual(['Inhibited by: A at search.']);
  expect(suppressionReasons(fifth as AlertItem, [], [])).toEqual(['Inhibited by: another alert.']);
});

test('resolved, acknowledged and silenced alerts cannot be acknowledged or silenced again', () => {
  expect(all.map(mayAcknowledge)).toEqual([true, true, false, false, true, false]);
  expect(all.map(maySilence)).toEqual([true, true, true, false, true, false]);
});

test('the time of an alert is when it entered its current state', () => {
  expect(all.map((each) => `${sinceOf(each).label} ${sinceOf(each).at.slice(14, 19)}`)).toEqual([
    'fired 00:30',
    'condition met 00:00',
    'fired 00:30',
    'fired 00:30',
    'fired 00:30',
    'resolved 05:00',
  ]);
});

test('labels shown elsewhere are omitted', () => {
  expect(furtherLabels(alert('A', { labels: { alertname: 'A', severity: 'info', tool: 'x', team: 'ops' } }))).toEqual([['team', 'ops']]);
});

test('firing rules come first, and placeholders in titles are replaced', () => {
  const rule = (name: string, firing: number): AlertRuleItem => ({
    name,
    severity: 'warning',
    summary: '{tool} is slow',
    condition: '',
    for_ms: 0,
    keep_firing_for_ms: 0,
    expression: '',
    firing,
  });
  expect(rulesInOrder([rule('B', 0), rule('C', 1), rule('A', 0), rule('D', 9)]).map(({ name }) => name)).toEqual(['C', 'D', 'A', 'B']);
  expect(ruleTitle(rule('A', 0))).toBe('A tool is slow');
});
