import type { WhatIfAnswer, WhatIfSide } from '@holdfast/gateway/contract';
import { describe, expect, it } from 'vitest';
import { readState } from '../../../src/data/url-state.ts';
import { createTurnEvents } from '../../../src/screens/turn/turn-events.model.ts';
import { fieldProblem, requestOf, whatIfSearch, whatIfShape } from '../../../src/screens/what-if/change.model.ts';
import {
  describeCertainty,
  compareSides,
  sortByTime,
  describeLateness,
  describeObserved,
  describeSide,
} from '../../../src/screens/what-if/comparison.model.ts';
import { recordedFields } from '../../../src/screens/what-if/recorded.model.ts';
import { troubled } from '../turn/recorded-turns.ts';

const form = readState(whatIfShape, '');

describe('the change of a what-if', () => {
  it('is passed from the link of a decision through the URL to the gateway', () => {
    const read = readState(whatIfShape, whatIfSearch({ tool: 'flights', max_attempts: 4 }, 7));
    expect(read.run).toBe(7);
    expect(requestOf(read)).toEqual({ request: { tools: { flights: { retry_policy: { max_attempts: 4 } } } } });
  });

  it('covers all tools, one tool, or the turn', () => {
    expect(requestOf({ ...form, timeout_ms: '500', failure_threshold: '9', accept_partial: true })).toEqual({
      request: { policy: { timeout_ms: 500, circuit_breaker: { failure_threshold: 9 }, accept_partial: true } },
    });
    expect(requestOf({ ...form, turn_timeout_ms: '9000', turn_max_retries: '0' })).toEqual({
      request: { turn: { timeout_ms: 9000, max_retries: 0 } },
    });
  });

  it('rejects invalid numbers, and sends nothing if nothing is changed', () => {
    expect(requestOf(form)).toEqual({ problem: 'No settings are changed.' });
    for (const invalid of ['0', '1.5', 'many', '-1', '1e999'])
      expect(requestOf({ ...form, max_attempts: invalid })).toHaveProperty('problem');
    expect(fieldProblem('max_delay_ms', ' ')).toBeUndefined();
    expect(fieldProblem('max_delay_ms', '0.5')).toBeUndefined();
  });

  it('sends custom text unchanged', () => {
    expect(requestOf({ ...form, max_attempts: '3', raw: 'turn: {timeout_ms: 5}' })).toEqual({ text: 'turn: {timeout_ms: 5}' });
  });

  it('shows the recorded settings: of one tool, or those that all tools share', async () => {
    const turnEvents = createTurnEvents();
    turnEvents.append(await troubled());
    expect(recordedFields(turnEvents.view(), 'flights')).toMatchObject({
      max_attempts: '3',
      initial_delay_ms: '100',
      turn_timeout_ms: '10000',
    });
    expect(recordedFields(turnEvents.view(), '')).not.toHaveProperty('max_attempts');
    expect(recordedFields(turnEvents.view(), '')).toHaveProperty('max_total_time_ms');
  });
});

const side = (more: Partial<WhatIfSide> = {}): WhatIfSide => ({
  outcome: 'partial',
  duration_ms: 1000,
  attempts: 5,
  retries: 3,
  calls_succeeded: 2,
  calls_failed: 1,
  calls_skipped: 0,
  ...more,
});
const answer = (more: Partial<WhatIfAnswer> = {}): WhatIfAnswer => ({
  turn_id: 't',
  recorded: side(),
  unchanged: side(),
  replayed: side(),
  bounds: { worst: side(), best: side() },
  unknown_attempts: 0,
  assumptions: [],
  differences: [],
  events: [],
  ...more,
});

describe('the comparison', () => {
  it('reports what is better, worse, or just different', () => {
    const rows = compareSides(answer({ replayed: side({ outcome: 'success', duration_ms: 400, attempts: 4, calls_failed: 2 }) }));
    const change = Object.fromEntries(rows.map(({ name, change: text, better }) => [name, [text, better]]));
    expect(change['Outcome']).toEqual(['changed', true]);
    expect(change['Duration']).toEqual(['600\u00A0ms less', true]);
    expect(change['Attempts']).toEqual(['1 fewer', undefined]);
    expect(change['Failed calls']).toEqual(['1 more', false]);
    expect(change['Successful calls']).toEqual(['', undefined]);
  });

  it('compares two replays: a record that took longer has gained nothing', () => {
    const late = answer({
      recorded: side({ duration_ms: 627 }),
      unchanged: side({ duration_ms: 375 }),
      replayed: side({ duration_ms: 375 }),
    });
    expect(compareSides(late).map(({ change }) => change)).toEqual(['', '', '', '', '', '', '']);
    expect(describeLateness(late)).toContain('252\u00A0ms longer than its replay with the same settings');
    expect(describeLateness(answer())).toBeUndefined();
  });

  it('ignores insignificant differences in duration', () => {
    expect(compareSides(answer({ replayed: side({ duration_ms: 996 }) })).find(({ name }) => name === 'Duration')?.change).toBe('');
  });

  it('reports what is unknown', () => {
    expect(describeCertainty(answer())).toMatch(/so the result is certain/u);
    expect(
      describeCertainty(
        answer({ unknown_attempts: 2, bounds: { worst: side({ outcome: 'failed' }), best: side({ outcome: 'success' }) } }),
      ),
    ).toMatch(/2\sattempts were never recorded.*failed, the outcome would be failed; if all succeeded, success/u);
    expect(describeCertainty(answer({ unknown_attempts: 1 }))).toMatch(
      /1\sattempt was never recorded.*In either case the outcome would be partial/u,
    );
  });

  it('shows uncertain values as a range, and exact ones as a number', () => {
    const ranges = {
      observed_share: 0.5,
      whole: { low: 0, high: 1 },
      duration_ms: { low: 400, high: 30_000 },
      attempts: { low: 3, high: 5 },
      retries: { low: 2, high: 2 },
      calls_succeeded: { low: 1, high: 2 },
      calls_failed: { low: 0, high: 1 },
      calls_skipped: { low: 0, high: 0 },
    };
    const within = (more: Partial<WhatIfAnswer>): unknown =>
      Object.fromEntries(compareSides(answer(more)).map((row) => [row.name, row.within]));
    expect(within({ ranges })).toEqual({
      Outcome: 'success or not',
      Duration: '400\u00A0ms – 30\u00A0s',
      'Successful calls': '1 – 2',
      'Failed calls': '0 – 1',
      'Skipped calls': '0',
      Attempts: '3 – 5',
      Retries: '2',
    });
    expect(within({})).toMatchObject({ Outcome: '', Attempts: '' });
    expect(describeObserved(answer({ ranges }))).toMatch(/^50\s?% of the calls are known exactly/u);
    expect(describeObserved(answer({ ranges: { ...ranges, observed_share: 1 } }))).toMatch(/values are exact/u);
    expect(describeObserved(answer())).toBeUndefined();
    const mixed = { ...ranges, whole: { low: 0, high: 1 } };
    expect(describeCertainty(answer({ ranges: mixed, unknown_attempts: 2 }))).toMatch(/otherwise it may differ/u);
    expect(describeCertainty(answer({ ranges }))).toMatch(/at another time/u);
  });

  it('sorts differences by time', async () => {
    const turnEvents = createTurnEvents();
    turnEvents.append(await troubled());
    const differences = [
      { where: "end of call 'flights'", call_id: 'flights' },
      { where: "decision 2 of call 'weather'", call_id: 'weather' },
      { where: "decision 1 of call 'flights'", call_id: 'flights' },
      { where: "decision 9 of call 'unknown'", call_id: 'unknown' },
    ];
    expect(sortByTime(differences, turnEvents.view(), createTurnEvents().view()).map(({ where }) => where.slice(0, 12))).toEqual([
      'decision 1 o',
      'decision 2 o',
      'end of call ',
      'decision 9 o',
    ]);
  });

  it('keeps tool names unchanged', () => {
    expect(describeSide({ action: 'use_alternative flight_search_backup', reason: 'r' })).toBe('use alternative flight_search_backup: r');
    expect(describeSide(undefined)).toBe('none');
  });
});
