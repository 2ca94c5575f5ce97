import type { AlertItem, AlertRuleItem, Silence } from '@holdfast/gateway/contract';
import { expect, test } from 'vitest';
import {
  furtherLabels,
  groupsOf,
  mayAcknowledge,
  maySilence,
  quietReasons,
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
  tool: 'search',
  ...more,
});

const known = { at: '2026-11-22T10:01:00.000Z', by: 'ada' };
const all = [
  alert('A'),
  alert('B', { state: 'pending' }),
  alert('C', { acknowledged: known }),
  alert('D', { silenced_by: ['s1'], acknowledged: known }),
  alert('E', { inhibited_by: ['A'] }),
  alert('F', { state: 'resolved', resolved_at: '2026-11-22T10:05:00.000Z', silenced_by: ['s1'] }),
];

test('each alert is in one group, and empty groups are left out', () => {
  expect(groupsOf(all).map(({ id, alerts }) => `${id}: ${alerts.map(({ name }) => name).join(' ')}`)).toEqual([
    'firing: A',
    'pending: B',
    'acknowledged: C',
    'quiet: D E',
    'resolved: F',
  ]);
  expect(groupsOf([])).toEqual([]);
  expect(all.map((each) => stateIndicator(each).label)).toEqual(['firing', 'waiting', 'acknowledged', 'kept quiet', 'kept quiet', 'over']);
});

test('the summary counts what is open, and says nothing of what is over', () => {
  expect(summaryOf(all)).toBe('1 firing, 1 waiting, 1 acknowledged, 2 kept quiet');
  expect(summaryOf(all.slice(-1))).toBe('');
});

test('why nobody is told is said for each reason', () => {
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
  expect(quietReasons(first as AlertItem, all, [silence])).toEqual([]);
  expect(quietReasons(third as AlertItem, all, [silence])).toEqual(['ada looks after it.']);
  expect(quietReasons(fourth as AlertItem, all, [silence])).toEqual(['Silenced by ben: maintenance', 'ada looks after it.']);
  expect(quietReasons(fourth as AlertItem, all, [])[0]).toBe('A silence covers it.');
  expect(quietReasons(fifth as AlertItem, all, [])).toEqual(['Needless to tell, because of: A at search.']);
  expect(quietReasons(fifth as AlertItem, [], [])).toEqual(['Needless to tell, because of: another alert.']);
});

test('what can be done depends on what was done', () => {
  expect(all.map(mayAcknowledge)).toEqual([true, true, false, false, true, false]);
  expect(all.map(maySilence)).toEqual([true, true, true, false, true, false]);
});

test('since when is the time of what it is now', () => {
  expect(all.map((each) => `${sinceOf(each).label} ${sinceOf(each).at.slice(14, 19)}`)).toEqual([
    'fired 00:30',
    'began to wait 00:00',
    'fired 00:30',
    'fired 00:30',
    'fired 00:30',
    'ended 05:00',
  ]);
});

test('labels that are told anyway are not told again', () => {
  expect(furtherLabels(alert('A', { labels: { alertname: 'A', severity: 'info', tool: 'x', team: 'ops' } }))).toEqual([['team', 'ops']]);
});

test('rules that fire come first, and speak of a tool', () => {
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
