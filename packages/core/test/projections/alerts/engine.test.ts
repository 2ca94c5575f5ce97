import { describe, expect, it } from 'vitest';
import type { AlertRule } from '../../../src/projections/alerts/rule.ts';
import { createAlertEngine } from '../../../src/projections/alerts/engine.ts';
import { defaultAlertRules } from '../../../src/projections/alerts/default-rules.ts';
import { started, Watched } from './watched-service.ts';

describe('the failure rate, by default', () => {
  it('fires at three failures of twenty, since two may be chance', () => {
    expect(new Watched().calls(18).calls(2, 'error').after(60).firing).toEqual([]);
    expect(new Watched().calls(17).calls(3, 'error').after(60).firing).toEqual(['ToolFailureRateHigh']);
  });

  it.each([
    [19, 3],
    [5, 2],
    [20, 3],
    [50, 6],
    [100, 10],
    [200, 17],
    [1000, 64],
  ])('of %i calls it needs %i failures', (volume, failures) => {
    const fires = (failed: number): boolean =>
      new Watched()
        .calls(volume - failed)
        .calls(failed, 'timeout')
        .after(60).firing.length > 0;
    expect([fires(failures - 1), fires(failures)]).toEqual([false, volume >= 5]);
  });

  it('is pending for half a minute and shows the confidence interval', () => {
    const watched = new Watched().calls(17).calls(3, 'error').after(45);
    expect(watched.log).toEqual(['15 ToolFailureRateHigh pending', '45 ToolFailureRateHigh firing']);
    expect(watched.engine.active()).toMatchObject([
      {
        severity: 'critical',
        labels: { alertname: 'ToolFailureRateHigh', severity: 'critical', tool: 'search' },
        annotations: {
          summary: 'Calls of search fail',
          description: 'Failed calls of search: 3 of 20 (15 %, 95 % CI 5.2-36 %). The limit is 5 %.',
        },
        value: 0.15,
        limit: 0.05,
        limitText: '5 %',
        activeAtEpochMs: started + 15_000,
        firedAtEpochMs: started + 45_000,
      },
    ]);
  });

  it('ends only well below its limit, and two minutes later', () => {
    const watched = new Watched().calls(17).calls(3, 'error').after(45).calls(60);
    // 3 of 80 are 3.75 %: below 5 %, not below 3 %.
    expect(watched.after(15).firing).toEqual(['ToolFailureRateHigh']);
    watched.calls(40).after(15);
    expect(watched.after(105).firing).toEqual(['ToolFailureRateHigh']);
    expect(watched.after(15).firing).toEqual([]);
    expect(watched.log.at(-1)).toBe('195 ToolFailureRateHigh resolved');
  });

  it('ignores calls that never ran', () => {
    expect(new Watched().calls(20).calls(20, 'skipped').after(60).firing).toEqual([]);
  });

  it('covers the last five minutes', () => {
    const watched = new Watched().calls(20, 'error').after(300);
    expect(watched.firing).toEqual(['ToolFailureRateHigh']);
    expect(watched.after(15 + 120).firing).toEqual([]);
  });
});

describe('strict', () => {
  const rules = defaultAlertRules({ strict: true });
  it('uses the raw share of any number of calls, fires immediately and ends at the limit', () => {
    const watched = new Watched({ rules }).calls(18).calls(1, 'error').after(15);
    expect(watched.firing).toEqual(['ToolFailureRateHigh']);
    expect(watched.engine.active()[0]?.measured).toBe('1 of 19 (5.26 %)');
    expect(watched.calls(1).after(15).firing).toEqual([]);
  });
});

describe('the time of attempts', () => {
  const attempts = (watched: Watched, count: number, each: number): Watched => {
    watched.counters.add('holdfast_tool_attempt_duration_seconds_sum', { tool: 'search' }, count * each);
    watched.counters.add('holdfast_tool_attempt_duration_seconds_count', { tool: 'search' }, count);
    return watched;
  };

  it('fires for a mean of more than 5 s over twenty attempts', () => {
    expect(attempts(new Watched(), 20, 5).after(90).firing).toEqual([]);
    expect(attempts(new Watched(), 19, 6).after(90).firing).toEqual([]);
    expect(attempts(new Watched(), 20, 5.25).after(90).firing).toEqual(['ToolExecutionTimeHigh']);
  });

  const call = (watched: Watched, seconds: number): Watched => {
    watched.counters.add('holdfast_tool_call_duration_seconds_sum', { tool: 'search' }, seconds);
    watched.counters.add('holdfast_tool_call_duration_seconds_count', { tool: 'search' }, 1);
    return watched;
  };

  it('shows the duration of calls beside it', () => {
    const watched = call(attempts(new Watched(), 20, 6), 14.5);
    expect(watched.after(90).engine.active()[0]?.measured).toBe('6 s over 20 (calls with their retries and waits: 14.5 s)');
  });

  it('of calls is the literal condition', () => {
    const literal = (): Watched => new Watched({ rules: defaultAlertRules({ strict: true }) });
    expect(call(attempts(literal(), 2, 6), 4.9).after(15).firing).toEqual([]);
    const slow = call(attempts(literal(), 2, 3), 6.1).after(15);
    expect(slow.firing).toEqual(['ToolExecutionTimeHigh']);
    expect(slow.engine.active()[0]?.measured).toBe('6.1 s over 1 (attempts: 3 s)');
  });
});

it.each([
  ['holdfast_tool_responses_invalid_total', { tool: 'search', kind: 'schema' }, 'ResponseInvalid', 300],
  ['holdfast_tool_retries_denied_total', { tool: 'search', reason: 'retry_budget' }, 'RetryBudgetExhausted', 300],
  ['holdfast_tool_orphans_total', { tool: 'search', result: 'abandoned' }, 'WorkAbandoned', 900],
  ['holdfast_turn_deadlines_reached_total', {}, 'TurnDeadlineMissed', 300],
  ['holdfast_trace_dropped_total', {}, 'TraceEventsLost', 300],
  ['holdfast_response_validation_failures_total', { stage: 'response' }, 'ResponseValidationFailed', 300],
])('%s: one event fires the alert until the window has passed', (name, labels, alert, windowS) => {
  const watched = new Watched();
  watched.counters.add(name, labels, 1);
  expect(watched.after(15).firing).toEqual([alert]);
  expect(watched.after(windowS - 15).firing).toEqual([alert]);
  expect(watched.after(15).firing).toEqual([]);
});

describe('an open circuit', () => {
  const opened = (): Watched => {
    const watched = new Watched().calls(20, 'error');
    watched.counters.set('holdfast_circuit_state', { tool: 'search', state: 'open' }, 1);
    return watched.after(60);
  };

  it('inhibits the alerts that follow from it, for its own tool only', () => {
    const watched = opened();
    watched.counters.tool('book').calls('book', 20, 'error');
    watched.after(60);
    const circuit = watched.engine.active().find(({ name }) => name === 'CircuitOpen');
    const rates = watched.engine.active().filter(({ name }) => name === 'ToolFailureRateHigh');
    expect(rates.map(({ labels, inhibitedBy }) => [labels['tool'], inhibitedBy])).toEqual([
      ['search', [circuit?.fingerprint]],
      ['book', []],
    ]);
    expect(circuit?.inhibitedBy).toEqual([]);
  });

  it('keeps firing while the circuit is half-open and ends when it has been closed for five minutes', () => {
    const watched = opened();
    watched.counters.set('holdfast_circuit_state', { tool: 'search', state: 'open' }, 0);
    watched.counters.set('holdfast_circuit_state', { tool: 'search', state: 'half_open' }, 1);
    expect(watched.after(15).firing).toContain('CircuitOpen');
    watched.counters.set('holdfast_circuit_state', { tool: 'search', state: 'half_open' }, 0);
    expect(watched.after(285).firing).toContain('CircuitOpen');
    expect(watched.after(30).firing).not.toContain('CircuitOpen');
  });

  it('is one alert while the circuit flaps', () => {
    const watched = opened();
    for (let index = 0; index < 20; index++) {
      watched.counters.set('holdfast_circuit_state', { tool: 'search', state: 'open' }, index % 2);
      watched.after(60);
    }
    expect(watched.log.filter((line) => line.includes('CircuitOpen'))).toEqual([expect.stringContaining('firing')]);
  });
});

describe('a tool that is down', () => {
  const inRow = (watched: Watched, failures: number): Watched => {
    watched.counters.set('holdfast_tool_failures_in_a_row', { tool: 'search' }, failures);
    return watched;
  };

  it('is reported within a minute after its fifth failed call, however few calls it has', () => {
    const watched = new Watched();
    for (let failures = 1; failures <= 4; failures++) expect(inRow(watched, failures).after(1_200).firing).toEqual([]);
    expect(inRow(watched, 5).after(15).firing).toEqual(['ToolDown']);
    expect(watched.engine.active()[0]?.annotations).toEqual({
      summary: 'Every call of search fails',
      description: 'Failed calls of search since the last one that succeeded: 5.',
    });
    inRow(watched, 0);
    expect(watched.after(105).firing).toEqual(['ToolDown']);
    expect(watched.after(30).firing).toEqual([]);
  });

  it('inhibits the failure rate of its tool, and is inhibited by its open circuit', () => {
    const watched = inRow(new Watched(), 20).calls(20, 'error').after(60);
    const [down, rate] = ['ToolDown', 'ToolFailureRateHigh'].map((name) => watched.engine.active().find((alert) => alert.name === name));
    expect(rate?.inhibitedBy).toEqual([down?.fingerprint]);
    watched.counters.set('holdfast_circuit_state', { tool: 'search', state: 'open' }, 1);
    watched.after(15);
    expect(watched.engine.active().find(({ name }) => name === 'ToolDown')?.inhibitedBy).toHaveLength(1);
  });

  it('does not exist in strict rules, which fire for each failure', () => {
    expect(defaultAlertRules({ strict: true }).map(({ name }) => name)).not.toContain('ToolDown');
  });
});

describe('rules and limits', () => {
  it('a rule without a matching series has no data', () => {
    const watched = new Watched();
    const states = Object.fromEntries(watched.engine.rules().map(({ rule, state }) => [rule, state]));
    expect(states).toMatchObject({ CircuitOpen: 'inactive', TraceEventsLost: 'no_data' });
    expect(states).toMatchObject({ ToolFailureRateHigh: 'no_data' });
    watched.after(15);
    expect(watched.engine.rules()[0]?.state).toBe('inactive');
  });

  it('the number of alerts is limited', () => {
    const watched = new Watched({ maxAlerts: 5 });
    for (let index = 0; index < 10; index++) watched.counters.set('holdfast_circuit_state', { tool: `t${index}`, state: 'open' }, 1);
    expect(watched.after(15).engine.active()).toHaveLength(5);
    for (let index = 0; index < 10; index++) watched.counters.set('holdfast_circuit_state', { tool: `t${index}`, state: 'open' }, 0);
    expect(watched.after(330).firing).toEqual([]);
  });

  it.each([
    [{ name: 'a b' }, 'name'],
    [{ by: ['a-b'] }, 'by'],
    [{ by: ['__name__'] }, 'by'],
    [{ labels: { 'a b': '' } }, 'labels'],
    [{ condition: { kind: 'value', of: { metric: 'a b', what: '' }, above: 0 } }, 'metric'],
    [{ condition: { kind: 'value', of: { metric: 'a', labels: { 'b"': '' }, what: '' }, above: 0 } }, 'labels of a'],
    [{ windowMs: 0 }, 'windowMs'],
    [{ forMs: -1 }, 'forMs'],
    [{ keepFiringForMs: 0.5 }, 'keepFiringForMs'],
  ])('rejects a rule with %j', (part, field) => {
    const rules = defaultAlertRules().map((rule) => ({ ...rule, ...part }) as AlertRule);
    expect(() => createAlertEngine({ rules })).toThrow(field);
  });

  it('treats names of object members like any other name', () => {
    const names = ['constructor', 'toString', '__proto__'];
    const rules = names.map((name) => ({
      name,
      severity: 'info' as const,
      by: ['tool'],
      condition: { kind: 'value' as const, of: { metric: 'm', what: 'm' }, above: 0 },
      summary: '{constructor} {tool}',
      description: '{toString}',
    }));
    const watched = new Watched({ rules });
    watched.counters.set('m', { tool: 'x' }, 1);
    expect(watched.after(15).firing).toEqual(names);
    expect(watched.engine.active()[0]?.annotations).toEqual({ summary: '{constructor} x', description: '{toString}' });
    watched.engine.restore(new Watched({ rules: [] }).engine.save());
    expect(watched.firing).toEqual([]);
  });

  it('rejects duplicate rule names and limits out of range', () => {
    expect(() => createAlertEngine({ rules: [...defaultAlertRules(), ...defaultAlertRules()] })).toThrow('unique');
    for (const options of [{ failureRate: 5 }, { executionTimeMs: 0 }, { minimumCalls: -1 }, { windowMs: 1 }])
      expect(() => defaultAlertRules(options)).toThrow(RangeError);
  });
});
