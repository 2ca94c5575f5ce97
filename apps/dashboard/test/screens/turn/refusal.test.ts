import type { CircuitChange } from '@holdfast/gateway/contract';
import { describe, expect, it, test } from 'vitest';
import { isByCircuit, openedBy, openingBefore, openingText, rangeOf, refusalText } from '../../../src/screens/turn/refusal.model.ts';

const dayMs = Date.parse('2026-03-04T00:00:00.000Z');
const sampleOf = (minute: number, code: string | undefined, counted: boolean): CircuitChange['samples'][number] => ({
  at: new Date(dayMs + minute * 60_000).toISOString(),
  outcome: code === undefined ? 'success' : 'transient',
  duration_ms: 3,
  turn_id: `turn-${minute}`,
  call_id: 'search',
  attempt: 1,
  counted,
  ...(code === undefined ? {} : { code }),
});
const changeOf = (id: number, minute: number, change: Partial<CircuitChange>): CircuitChange => ({
  id,
  at: new Date(dayMs + minute * 60_000).toISOString(),
  from: 'closed',
  to: 'open',
  reason: 'failure_threshold',
  message: '',
  samples: [],
  ...change,
});
const samples = [sampleOf(1, undefined, false), sampleOf(2, 'ECONNREFUSED', true), sampleOf(3, 'ECONNREFUSED', true)];
const first = changeOf(1, 3, { failure_count: 2, samples });
const changes = [
  first,
  changeOf(2, 4, { from: 'open', to: 'half_open', reason: 'open_period_elapsed' }),
  changeOf(3, 5, { from: 'half_open', to: 'open', reason: 'probe_failed' }),
  changeOf(4, 6, { from: 'open', to: 'half_open', reason: 'open_period_elapsed' }),
  changeOf(5, 7, { from: 'half_open', to: 'closed', reason: 'probe_succeeded' }),
  changeOf(6, 9, { failure_count: 1 }),
];
const openingAt = (minute: number): number | undefined => openingBefore(changes, dayMs + minute * 60_000)?.id;

describe('the opening of the circuit that refused a call', () => {
  it('is the first one since the circuit was last closed', () => {
    expect([2, 3, 3.5, 5.5, 6.5, 8, 10].map(openingAt)).toEqual([undefined, 1, 1, 1, 1, undefined, 6]);
  });

  it('has its time, its failures and their codes', () => {
    const now = dayMs + 600_000;
    const textOf = (change: CircuitChange): string => openingText(change, now).replaceAll('\u00A0', ' ');
    expect(textOf(first)).toMatch(/^Refused: circuit open since \d\d:\d\d:\d\d after 2 failures \(ECONNREFUSED\)$/u);
    const mixed = { ...first, samples: [...samples, sampleOf(3, 'TOOL_TIMEOUT', true)] };
    expect(textOf(mixed)).toContain('(ECONNREFUSED and TOOL_TIMEOUT)');
    expect(textOf(changeOf(1, 3, { failure_count: 1 }))).toMatch(/ after 1 failure$/u);
    expect(textOf(changeOf(1, 3, { reason: 'failure_rate' }))).toMatch(/: failure rate too high in the window$/u);
  });

  it('leads to the call that opened it', () => {
    expect(openedBy({ ...first, turn_id: 't', call_id: 'c' })).toEqual({ turnId: 't', callId: 'c' });
    expect(openedBy(first)).toEqual({ turnId: 'turn-3', callId: 'search' });
    expect(openedBy(changeOf(1, 3, { reason: 'manual' }))).toBeUndefined();
  });

  it('is searched in a day, or in all that is kept for an old refusal', () => {
    expect([rangeOf(dayMs, dayMs + 3_600_000), rangeOf(dayMs, dayMs + 86_400_000)]).toEqual(['24h', '14d']);
  });
});

test('a refusal names what refused', () => {
  const textOf = (rule: string, code = 'CIRCUIT_OPEN'): string => refusalText({ rule, code });
  expect(textOf('refused:circuit')).toBe('Refused: the circuit is open');
  expect(textOf('refused:forced_open')).toBe('Refused: an operator holds the circuit open');
  expect(textOf('refused:limiter', 'RATE_LIMITED')).toBe('Refused: the rate limit is reached');
  expect(textOf('refused:server_hint', 'RATE_LIMITED')).toBe('Refused: held by the server’s Retry-After');
  expect(textOf('refused:news', 'SOMETHING')).toBe('Refused: SOMETHING');
  const byCircuit = (rule: string, refused = true): boolean => isByCircuit({ refused, rule });
  expect([byCircuit('refused:circuit'), byCircuit('refused:probe_in_progress')]).toEqual([true, true]);
  expect([byCircuit('refused:forced_open'), byCircuit('refused:budget'), byCircuit('refused:circuit', false)]).toEqual([
    false,
    false,
    false,
  ]);
});
