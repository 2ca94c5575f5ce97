import { describe, expect, it } from 'vitest';
import type { AlertMonitor, AlertOptions } from '../../src/alerts/alert-conditions.ts';
import { createAlertMonitor } from '../../src/alerts/alert-conditions.ts';

const stamp = { turn_id: 'turn', seq: 1, timestamp: '2025-11-05T10:30:45.000Z', elapsed_ms: 0, call_id: 'call', tool_id: 'search' };

class Watched {
  readonly monitor: AlertMonitor;

  constructor(options?: AlertOptions) {
    this.monitor = createAlertMonitor(options);
  }

  calls(
    count: number,
    status: 'success' | 'error' = 'success',
    more: { readonly execution_time_ms?: number; readonly code?: string } = {},
  ): this {
    for (let index = 0; index < count; index++) {
      this.monitor.observe({
        ...stamp,
        event_type: 'CallCompleted',
        status,
        served_by: 'search',
        attempts: 1,
        execution_time_ms: 10,
        ...more,
      });
    }
    return this;
  }

  get active(): readonly string[] {
    return this.monitor.active().map(({ condition }) => condition);
  }
}

describe('by default', () => {
  it('a rate needs its volume, and falls well below its limit to end', () => {
    const watched = new Watched({ windowCalls: 100 }).calls(1, 'error');
    expect(watched.active).toEqual([]);
    watched.calls(18);
    expect(watched.active).toEqual([]);
    // 2 of 20 are 10 %.
    expect(watched.calls(1, 'error').active).toEqual(['failure_rate']);
    // 2 of 48 are 4.2 %: under the limit, not under what ends it.
    expect(watched.calls(28).active).toEqual(['failure_rate']);
    expect(watched.calls(3).active).toEqual([]);
  });

  it('exactly the limit is none', () => {
    expect(new Watched().calls(1, 'error').calls(19).active).toEqual([]);
  });

  it('a mean of more than 5 s is one', () => {
    expect(new Watched().calls(20, 'success', { execution_time_ms: 5_000 }).active).toEqual([]);
    expect(new Watched().calls(20, 'success', { execution_time_ms: 5_001 }).active).toEqual(['execution_time']);
  });

  it('cancelled calls are no failures', () => {
    expect(new Watched().calls(100, 'error', { code: 'CANCELLED' }).active).toEqual([]);
  });

  it('looks at the latest calls only', () => {
    expect(new Watched({ windowCalls: 20 }).calls(20, 'error').calls(20).active).toEqual([]);
  });
});

describe('strict: true is the literal rule', () => {
  it('one failure is more than 5 %', () => {
    const watched = new Watched({ strict: true }).calls(1, 'error');
    expect(watched.active).toEqual(['failure_rate']);
    expect(watched.calls(19).active).toEqual([]);
  });
});

it('a trip begins with the opening and ends with the closing', () => {
  const watched = new Watched();
  watched.monitor.observe({ ...stamp, event_type: 'CircuitBreakerOpened', message: '', reason: '', failure_count: 5 });
  expect(watched.monitor.active()).toMatchObject([
    {
      condition: 'circuit_breaker_trip',
      toolName: 'search',
      since: stamp.timestamp,
      message: 'Circuit breaker trips of search: 1 (limit 0)',
    },
  ]);
  watched.monitor.observe({ ...stamp, event_type: 'CircuitBreakerClosed', message: '', reason: '' });
  expect(watched.active).toEqual([]);
});

it.each(['INVALID_OUTPUT', 'INVALID_RESPONSE'])('an answer that is not what it had to be (%s) is told until the next that is', (code) => {
  const watched = new Watched().calls(1, 'error', { code });
  expect(watched.active).toEqual(['response_validation_failure']);
  expect(watched.calls(1).active).toEqual([]);
});
