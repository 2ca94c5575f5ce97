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
    more: { readonly execution_time_ms?: number; readonly code?: string; readonly tool_id?: string; readonly served_by?: string } = {},
  ): this {
    for (let index = 0; index < count; index++) {
      this.monitor.observe({
        ...stamp,
        event_type: 'CallCompleted',
        status,
        served_by: more.tool_id ?? 'search',
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
    const watched = new Watched({ windowCalls: 20 }).calls(20, 'error');
    expect(watched.active).toEqual(['failure_rate']);
    expect(watched.calls(20).active).toEqual([]);
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

describe('a trip', () => {
  const tripped = (): Watched => {
    const watched = new Watched();
    watched.monitor.observe({ ...stamp, event_type: 'CircuitBreakerOpened', message: '', reason: '', failure_count: 5 });
    return watched;
  };

  it('ends with a success of the tool itself', () => {
    expect(tripped().calls(1).active).toEqual([]);
  });

  it.each([
    ['a failure', 'error', 'search'],
    ['an alternative that answered', 'success', 'search_backup'],
  ] as const)('is not ended by %s', (_name, status, served_by) => {
    expect(tripped().calls(1, status, { served_by }).active).toEqual(['circuit_breaker_trip']);
  });

  it('is not ended by what else happens to the tool', () => {
    const watched = tripped();
    watched.monitor.observe({ ...stamp, event_type: 'ToolTimeout', attempt: 1, timeout_ms: 30_000 });
    expect(watched.active).toEqual(['circuit_breaker_trip']);
  });
});

it('says what was measured, and against what', () => {
  const [rate, mean] = new Watched()
    .calls(3, 'error', { execution_time_ms: 20_000.4 })
    .calls(25, 'success', { execution_time_ms: 5_000 })
    .monitor.active();
  expect(rate?.message).toBe('Failure rate of search: 10.7 % (limit 5 %)');
  expect(mean?.message).toBe('Mean execution time of search: 6607 ms (limit 5000 ms)');
  const [invalid] = new Watched().calls(1, 'error', { code: 'INVALID_OUTPUT' }).monitor.active();
  expect(invalid?.message).toBe('Response validation failures of search: 1 (limit 0)');
});

describe('of a thousand tools and one', () => {
  const invalid = { code: 'INVALID_OUTPUT' };
  const named = (index: number): { readonly tool_id: string } => ({ tool_id: `tool-${index}` });
  const tools = (watched: Watched): readonly string[] => watched.monitor.active().map(({ toolName }) => toolName);

  it('the one that was not used for the longest time is forgotten, with its alerts', () => {
    const watched = new Watched();
    for (let index = 0; index < 1_000; index++)
      watched.calls(1, index < 2 ? 'error' : 'success', { ...named(index), ...(index < 2 ? invalid : {}) });
    expect(tools(watched)).toEqual(['tool-0', 'tool-1']);
    watched.calls(1, 'error', { ...named(0), ...invalid });
    expect(tools(watched)).toEqual(['tool-0', 'tool-1']);
    watched.calls(1, 'success', named(1_000));
    expect(tools(watched)).toEqual(['tool-0']);
  });
});

it.each(['INVALID_OUTPUT', 'INVALID_RESPONSE'])('an answer that is not what it had to be (%s) is told until the next that is', (code) => {
  const watched = new Watched().calls(1, 'error', { code });
  expect(watched.active).toEqual(['response_validation_failure']);
  expect(watched.calls(1).active).toEqual([]);
});
