import type { ToolHistory } from '@holdfast/gateway/contract';
import { describe, expect, test } from 'vitest';
import { groupFailures, outcomeSeries, groupStoppedRetries, trySeries } from '../../../src/screens/tool/history.model.ts';
import { failure } from '../../fixtures.ts';

const part: Pick<
  ToolHistory,
  'first_try' | 'recovered' | 'failed' | 'refused' | 'rejected' | 'skipped' | 'cancelled' | 'attempts' | 'retries'
> = {
  first_try: [5, 0],
  recovered: [1, 0],
  failed: [4, 3],
  refused: [1, 3],
  rejected: [0, 0],
  skipped: [0, 2],
  cancelled: [0, 1],
  attempts: [12, 0],
  retries: [2, 0],
};
const history = part as ToolHistory;
const valuesOf = (series: ReturnType<typeof outcomeSeries>) => Object.fromEntries(series.map(({ id, values }) => [id, values]));

test('a refused call is counted once, and series without values are omitted', () => {
  expect(valuesOf(outcomeSeries(history))).toEqual({
    first_try: [5, 0],
    recovered: [1, 0],
    failed: [3, 0],
    refused: [1, 3],
    skipped: [0, 2],
    cancelled: [0, 1],
  });
});

test('attempts are split into first attempts and retries', () => {
  expect(valuesOf(trySeries(history))).toEqual({ first: [10, 0], retries: [2, 0] });
});

describe('groupStoppedRetries', () => {
  test('sorts by frequency, each with its latest call', () => {
    const failures = [
      failure('old', { stopped_by: 'circuit', at: '2026-01-01T00:00:00.000Z' }),
      failure('new', { stopped_by: 'circuit', at: '2026-01-01T00:00:09.000Z' }),
      failure('repaired'),
    ];
    const stopped = groupStoppedRetries(
      [
        { name: 'attempts', count: 2 },
        { name: 'circuit', count: 9 },
        { name: 'budget', count: 0 },
      ],
      failures,
    );
    expect(stopped.map(({ reason, count, latest }) => [reason, count, latest?.call_id])).toEqual([
      ['circuit', 9, 'new'],
      ['attempts', 2, undefined],
    ]);
    expect(stopped[0]?.sentence).toContain('The circuit was open');
  });
});

describe('groupFailures', () => {
  test('merges consecutive equal failures, represented by the latest', () => {
    const groups = groupFailures([
      failure('1', { code: 'CIRCUIT_OPEN' }),
      failure('2', { code: 'CIRCUIT_OPEN' }),
      failure('3', { stopped_by: 'attempts' }),
      failure('4', { stopped_by: 'deadline' }),
      failure('5', { code: 'CIRCUIT_OPEN' }),
    ]);
    expect(groups.map(({ latest, count }) => [latest.call_id, count])).toEqual([
      ['1', 2],
      ['3', 1],
      ['4', 1],
      ['5', 1],
    ]);
  });
});
