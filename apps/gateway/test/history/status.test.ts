import { emptyCounts } from '@holdfast/core/internal';
import { describe, expect, test } from 'vitest';
import { failureShare, retrySuccess } from '../../src/history/describe-counts.ts';
import { statusOf, type StatusFacts } from '../../src/history/status.ts';

const facts = ({
  counts,
  ...more
}: Partial<Omit<StatusFacts, 'counts'>> & { readonly counts?: Partial<StatusFacts['counts']> }): StatusFacts => ({
  counts: { ...emptyCounts(), ...counts },
  circuit: 'closed',
  mode: 'auto',
  retryAfterMs: undefined,
  heldMs: undefined,
  isDegraded: false,
  alerts: [],
  failureLimit: 0.05,
  ...more,
});

const alert = (name: string) => ({ name, summary: `${name} of t`, value: '6.5 s', limit: '5 s' });

describe('the status of a tool', () => {
  test('never contradicts an alert that fires for it', () => {
    const calm = { counts: { first_try: 26 } };
    expect(statusOf(facts(calm)).status).toBe('ok');
    expect(statusOf(facts({ ...calm, alerts: [alert('ToolExecutionTimeHigh')] }))).toEqual({
      status: 'degraded',
      status_reason: 'ToolExecutionTimeHigh of t: 6.5 s, the limit is 5 s.',
    });
    expect(statusOf(facts({ ...calm, alerts: [alert('ToolFailureRateHigh')] })).status).toBe('failing');
    // A half-open circuit is recovering, whatever the alert about its opening says.
    expect(statusOf(facts({ circuit: 'half_open', alerts: [alert('CircuitOpen')] })).status).toBe('recovering');
  });

  test('does not follow the circuit in shadow mode, whose alert fires too', () => {
    const shadow = { circuit: 'open', mode: 'shadow', counts: { first_try: 3 } } as const;
    expect(statusOf(facts({ ...shadow, alerts: [alert('CircuitOpen')] })).status).toBe('ok');
    expect(statusOf(facts({ ...shadow, alerts: [alert('CircuitOpen'), alert('ToolDown')] })).status).toBe('failing');
  });

  test('has the limit of the alert rules', () => {
    const some = { counts: { first_try: 90, failed: 10 } };
    expect(statusOf(facts(some)).status).toBe('failing');
    expect(statusOf(facts({ ...some, failureLimit: 0.2 })).status).toBe('ok');
  });

  test('is failing only where callers lose calls, or would', () => {
    expect(statusOf(facts({ circuit: 'open', counts: { recovered: 203 } }))).toEqual({
      status: 'degraded',
      status_reason:
        'Its circuit is open: calls are refused until it is reset. No call was lost: 203 calls got an alternative, a default or a retry.',
    });
    expect(statusOf(facts({ circuit: 'open', counts: { recovered: 203, failed: 1 } })).status).toBe('failing');
    expect(statusOf(facts({ circuit: 'open' })).status).toBe('failing');
    expect(statusOf(facts({ circuit: 'open', mode: 'shadow', counts: { first_try: 3 } })).status).toBe('ok');
  });

  test('names the calls that a tool has answered for others', () => {
    expect(statusOf(facts({ counts: { attempts: 1_893, served: 1_893 } }))).toEqual({
      status: 'ok',
      status_reason: 'It answered 1893 calls of other tools in the last 5 minutes.',
    });
  });
});

test('skipped, cancelled and rejected calls are not part of any share', () => {
  const counts = { ...emptyCounts(), first_try: 5, recovered: 2, failed: 3, retried_calls: 4, retried_successes: 2 };
  const others = { ...counts, skipped: 100, cancelled: 100, rejected: 100 };
  expect(failureShare(others)).toEqual(failureShare(counts));
  expect(failureShare(others)).toMatchObject({ part: 3, whole: 10 });
  expect(retrySuccess(others)).toMatchObject({ part: 2, whole: 4 });
});
