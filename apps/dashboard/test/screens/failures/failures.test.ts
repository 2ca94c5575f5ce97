import { describe, expect, test } from 'vitest';
import {
  endText,
  filterClusters,
  type FailureChoice,
  hourlyLabel,
  lostCalls,
  strategiesText,
  toolsOf,
} from '../../../src/screens/failures/failures.model.ts';
import { cluster } from '../../fixtures.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const clusters = [
  cluster('a', { last_seen: at(9), first_seen: at(1), count: 3, calls_failed: 1 }),
  cluster('b', { last_seen: at(5), first_seen: at(4), count: 40, tool_id: 'mails', code: 'HTTP_503', calls_failed: 2 }),
  cluster('c', { last_seen: at(7), first_seen: at(7), count: 1, pattern: 'connect ECONNREFUSED <address>', calls_failed: 1 }),
];
const order = (choice: Partial<FailureChoice>): string =>
  filterClusters(clusters, { q: '', tool: '', sort: 'latest', ...choice })
    .map(({ signature }) => signature)
    .join('');

describe('filterClusters', () => {
  test('sorts by each order', () => {
    expect([order({}), order({ sort: 'count' }), order({ sort: 'new' }), order({ sort: 'lost' })]).toEqual(['acb', 'bac', 'cba', 'bac']);
  });

  test('filters by tool, and by all words of the search', () => {
    expect([order({ tool: 'mails' }), order({ q: 'econn address' }), order({ q: 'http mails' }), order({ q: 'http address' })]).toEqual([
      'b',
      'c',
      'b',
      '',
    ]);
    expect(toolsOf(clusters)).toEqual(['mails', 'search']);
  });
});

test('says how a call ended only where that is known', () => {
  const example = { at: '', turn_id: 't', call_id: 'c', attempt: 1, code: 'X', message: '' };
  expect(endText(example)).toBe('not known yet');
  expect(endText({ ...example, call_ended: 'failed' })).toBe('failed');
  expect(endText({ ...example, call_ended: 'failed', stopped_by: 'attempts' })).toMatch(/^failed: /);
  expect(endText({ ...example, call_ended: 'recovered' })).toBe('recovered');
});

test('describes a failure cluster', () => {
  expect(strategiesText([])).toBe('no recovery attempted');
  expect(
    strategiesText([
      { strategy: 'retry', tried: 40, succeeded: 12 },
      { strategy: 'use_alternative', tried: 3, succeeded: 3 },
    ]),
  ).toBe('Retry 12 of 40, Alternative 3 of 3');
  expect(hourlyLabel([0, 2, 1]).replaceAll('\u00A0', ' ')).toBe('3 failures in the last 24 hours, 1 in the last hour');
  expect(lostCalls(cluster('x', { calls_failed: 1, calls_recovered: 3 }))).toMatchObject({ part: 1, whole: 4, share: 0.25 });
});
