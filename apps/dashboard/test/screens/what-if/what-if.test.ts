import type { WhatIfAnswer, WhatIfSide } from '@holdfast/gateway/contract';
import { describe, expect, it } from 'vitest';
import { readState } from '../../../src/data/url-state.ts';
import { createTurnEvents } from '../../../src/screens/turn/turn-events.model.ts';
import { fieldProblem, requestOf, whatIfSearch, whatIfShape } from '../../../src/screens/what-if/change.model.ts';
import {
  describeCertainty,
  compareSides,
  sortByTime,
  describeObserved,
  describeSide,
} from '../../../src/screens/what-if/comparison.model.ts';
import { recordedFields } from '../../../src/screens/what-if/recorded.model.ts';
import { troubled } from '../turn/recorded-turns.ts';

const form = readState(whatIfShape, '');

describe('the change of a what-if', () => {
  it('goes from a decision’s link through the address to the gateway', () => {
    const read = readState(whatIfShape, whatIfSearch({ tool: 'flights', max_attempts: 4 }, 7));
    expect(read.run).toBe(7);
    expect(requestOf(read)).toEqual({ request: { tools: { flights: { retry_policy: { max_attempts: 4 } } } } });
  });

  it('speaks of every tool, of one, of the turn', () => {
    expect(requestOf({ ...form, timeout_ms: '500', failure_threshold: '9', accept_partial: true })).toEqual({
      request: { policy: { timeout_ms: 500, circuit_breaker: { failure_threshold: 9 }, accept_partial: true } },
    });
    expect(requestOf({ ...form, turn_timeout_ms: '9000', turn_max_retries: '0' })).toEqual({
      request: { turn: { timeout_ms: 9000, max_retries: 0 } },
    });
  });

  it('refuses what is no number of its kind, and asks nothing where nothing is changed', () => {
    expect(requestOf(form)).toEqual({ problem: 'Nothing is changed yet.' });
    for (const wrong of ['0', '1.5', 'many', '-1', '1e999']) expect(requestOf({ ...form, max_attempts: wrong })).toHaveProperty('problem');
    expect(fieldProblem('max_delay_ms', ' ')).toBeUndefined();
    expect(fieldProblem('max_delay_ms', '0.5')).toBeUndefined();
  });

  it('sends custom text as it is', () => {
    expect(requestOf({ ...form, max_attempts: '3', raw: 'turn: {timeout_ms: 5}' })).toEqual({ text: 'turn: {timeout_ms: 5}' });
  });

  it('shows what was recorded: of one tool, or what all have in common', async () => {
    const fold = createTurnEvents();
    fold.append(await troubled());
    expect(recordedFields(fold.view(), 'flights')).toMatchObject({ max_attempts: '3', initial_delay_ms: '100', turn_timeout_ms: '10000' });
    expect(recordedFields(fold.view(), '')).not.toHaveProperty('max_attempts');
    expect(recordedFields(fold.view(), '')).toHaveProperty('max_total_time_ms');
  });
});

const side = (more: Partial<WhatIfSide> = {}): WhatIfSide => ({
  outcome: 'partial',
  duration_ms: 1000,
  attempts: 5,
  retries: 3,
  calls_succeeded: 2,
  calls_failed: 1,
  ...more,
});
const answer = (more: Partial<WhatIfAnswer> = {}): WhatIfAnswer => ({
  turn_id: 't',
  recorded: side(),
  replayed: side(),
  bounds: { worst: side(), best: side() },
  unknown_attempts: 0,
  assumptions: [],
  differences: [],
  events: [],
  ...more,
});

describe('the comparison', () => {
  it('says what is better, worse, or only otherwise', () => {
    const rows = compareSides(answer({ replayed: side({ outcome: 'success', duration_ms: 400, attempts: 4, calls_failed: 2 }) }));
    const change = Object.fromEntries(rows.map(({ name, change: words, better }) => [name, [words, better]]));
    expect(change['Outcome']).toEqual(['another', true]);
    expect(change['Took']).toEqual(['600\u00A0ms less', true]);
    expect(change['Attempts']).toEqual(['1 fewer', undefined]);
    expect(change['Calls that failed']).toEqual(['1 more', false]);
    expect(change['Calls that succeeded']).toEqual(['', undefined]);
  });

  it('makes nothing of a difference that is only our own time', () => {
    expect(compareSides(answer({ replayed: side({ duration_ms: 996 }) })).find(({ name }) => name === 'Took')?.change).toBe('');
  });

  it('owns up to what nobody knows', () => {
    expect(describeCertainty(answer())).toMatch(/nothing had to be guessed/u);
    expect(
      describeCertainty(
        answer({ unknown_attempts: 2, bounds: { worst: side({ outcome: 'failed' }), best: side({ outcome: 'success' }) } }),
      ),
    ).toMatch(/2\sattempts were never made.*failed the outcome is failed, if all had succeeded success/u);
    expect(describeCertainty(answer({ unknown_attempts: 1 }))).toMatch(
      /1\sattempt was never made.*Whatever they would have done, the outcome is partial/u,
    );
  });

  it('shows what is not known as a range, and what is as a number', () => {
    const ranges = {
      observed_share: 0.5,
      whole: { low: 0, high: 1 },
      duration_ms: { low: 400, high: 30_000 },
      attempts: { low: 3, high: 5 },
      retries: { low: 2, high: 2 },
      calls_succeeded: { low: 1, high: 2 },
      calls_failed: { low: 0, high: 1 },
    };
    const within = (more: Partial<WhatIfAnswer>): unknown =>
      Object.fromEntries(compareSides(answer(more)).map((row) => [row.name, row.within]));
    expect(within({ ranges })).toEqual({
      Outcome: 'success or not',
      Took: '400\u00A0ms – 30\u00A0s',
      'Calls that succeeded': '1 – 2',
      'Calls that failed': '0 – 1',
      Attempts: '3 – 5',
      Retries: '2',
    });
    expect(within({})).toMatchObject({ Outcome: '', Attempts: '' });
    expect(describeObserved(answer({ ranges }))).toMatch(/^50\s?% of the calls depend on nothing unknown/u);
    expect(describeObserved(answer({ ranges: { ...ranges, observed_share: 1 } }))).toMatch(/each is a number/u);
    expect(describeObserved(answer())).toBeUndefined();
    const mixed = { ...ranges, whole: { low: 0, high: 1 } };
    expect(describeCertainty(answer({ ranges: mixed, unknown_attempts: 2 }))).toMatch(/if some had, it may be another/u);
    expect(describeCertainty(answer({ ranges }))).toMatch(/not at that moment/u);
  });

  it('puts differences in the order of time', async () => {
    const fold = createTurnEvents();
    fold.append(await troubled());
    const differences = [
      { where: "end of call 'flights'", call_id: 'flights' },
      { where: "decision 2 of call 'weather'", call_id: 'weather' },
      { where: "decision 1 of call 'flights'", call_id: 'flights' },
      { where: "decision 9 of call 'nobody'", call_id: 'nobody' },
    ];
    expect(sortByTime(differences, fold.view(), createTurnEvents().view()).map(({ where }) => where.slice(0, 12))).toEqual([
      'decision 1 o',
      'decision 2 o',
      'end of call ',
      'decision 9 o',
    ]);
  });

  it('leaves the names of tools as they are', () => {
    expect(describeSide({ action: 'use_alternative flight_search_backup', reason: 'r' })).toBe('use alternative flight_search_backup: r');
    expect(describeSide(undefined)).toBe('none');
  });
});
