import type { AlertItem, Silence } from '@holdfast/gateway/contract';
import { expect, test } from 'vitest';
import {
  coveredBy,
  coverText,
  draftFor,
  emptyMatcher,
  matcherText,
  nextKey,
  problemsOf,
  requestOf,
  type SilenceDraft,
  silencesInOrder,
} from '../../../src/screens/alerts/silence.model.ts';

const alert = (name: string, tool: string, state: AlertItem['state'] = 'firing'): AlertItem =>
  ({ name, state, summary: `${name} at ${tool}`, labels: { alertname: name, severity: 'critical', tool } }) as unknown as AlertItem;

const alerts = [alert('Slow', 'search'), alert('Slow', 'search2'), alert('Open', 'search'), alert('Open', 'book', 'resolved')];

const draft = (...matchers: readonly (readonly [string, '=' | '!=' | '=~' | '!~', string])[]): SilenceDraft => ({
  matchers: matchers.map(([name, operator, value], key) => ({ key, name, operator, value })),
  time: '3600000',
  comment: 'maintenance',
});

test('a draft starts with the labels of the alert, without its severity', () => {
  expect(draftFor(alerts[0]).matchers.map(({ name, operator, value }) => name + operator + value)).toEqual([
    'alertname=Slow',
    'tool=search',
  ]);
  expect(draftFor(undefined).matchers).toEqual([emptyMatcher(0)]);
  expect(nextKey(draftFor(alerts[0]))).toBe(2);
});

test('covers alerts for which all matchers match the whole value', () => {
  const covered = (silence: SilenceDraft): readonly string[] => coveredBy(silence, alerts).map(({ summary }) => summary);
  expect(covered(draft(['tool', '=', 'search']))).toEqual(['Slow at search', 'Open at search']);
  expect(covered(draft(['tool', '=~', 'search']))).toEqual(['Slow at search', 'Open at search']);
  expect(covered(draft(['tool', '=~', 'search.*'], ['alertname', '!=', 'Open']))).toEqual(['Slow at search', 'Slow at search2']);
  expect(covered(draft(['tool', '!~', 'sea.*']))).toEqual([]);
  expect(covered(draft(['region', '=', '']))).toHaveLength(3);
  expect(covered(draft(['tool', '=~', '(']))).toEqual([]);
});

test('describes the covered alerts', () => {
  expect(coverText(draft(['tool', '=', 'search2']), alerts)).toBe('Covers 1 of 3 current alerts: Slow at search2.');
  expect(coverText(draft(['tool', '=', 'none']), alerts)).toBe('Covers no current alert, but may cover future ones.');
  expect(coverText(draft([' ', '=', '']), alerts)).toBe('Enter all labels to see what is covered.');
});

test('reports problems per field', () => {
  expect(problemsOf(draft(['tool', '=', 'x']))).toBeUndefined();
  const problems = problemsOf({ ...draft(['', '=', 'x'], ['tool', '=~', '('], ['tool', '=', '(']), comment: ' ' });
  expect([...(problems?.matchers ?? [])]).toEqual([
    [0, 'Enter a label, such as tool.'],
    [1, 'Invalid regular expression.'],
  ]);
  expect(problems?.comment).toContain('Give a reason');
});

test('builds the request for the gateway', () => {
  expect(requestOf({ ...draft([' tool ', '!~', 'a|b']), comment: ' why ' })).toEqual({
    matchers: [{ name: 'tool', value: 'a|b', is_regex: true, is_equal: false }],
    duration_ms: 3_600_000,
    comment: 'why',
  });
});

test('formats a matcher as Prometheus does', () => {
  expect(matcherText({ name: 'tool', value: 'a' })).toBe('tool = "a"');
  expect(matcherText({ name: 'tool', value: 'a', is_equal: false })).toBe('tool != "a"');
  expect(matcherText({ name: 'tool', value: 'a', is_regex: true })).toBe('tool =~ "a"');
  expect(matcherText({ name: 'tool', value: 'a', is_regex: true, is_equal: false })).toBe('tool !~ "a"');
});

test('active silences come first by end time, then pending, then expired ones, latest first', () => {
  const silence = (state: Silence['state'], ends_at: string): Silence => ({ state, ends_at }) as Silence;
  const given = [silence('expired', '1'), silence('active', '5'), silence('expired', '2'), silence('pending', '9'), silence('active', '4')];
  expect(silencesInOrder(given).map(({ state, ends_at }) => state + ends_at)).toEqual([
    'active4',
    'active5',
    'pending9',
    'expired2',
    'expired1',
  ]);
});
