/** Invalid input of replay: always a TypeError that names the event, the field, its value and the fix. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/index.ts';
import type { ReplayOptions } from '../../src/replay/index.ts';
import { replayTurn } from '../../src/replay/index.ts';
import { answer, down, scenario } from '../support/scenario.ts';

type Plain = Record<string, unknown>;

let recorded = '';

beforeAll(async () => {
  const { trace } = await scenario('refused', {
    tools: { search: [{ retry: { maxAttempts: 2 }, fallback: { value: undefined } }, down, answer(1)] },
    calls: [{ callId: 'a', toolName: 'search', policy: { timeoutMs: 500 } }],
  }).run();
  recorded = JSON.stringify(trace);
});

const asRecorded = 'Pass the events of one turn as they were recorded.';

function refusal(change: (events: Plain[]) => unknown, options?: ReplayOptions): unknown {
  const events = JSON.parse(recorded) as Plain[];
  const changed = change(events);
  try {
    replayTurn((Array.isArray(changed) ? changed : events) as never, options);
    return 'replayed';
  } catch (error) {
    return error instanceof TypeError ? error.message : error;
  }
}

/** The first event of a type. */
const of = (events: readonly Plain[], type: string): Plain => events.find(({ event_type }) => event_type === type) ?? {};
const started = ([first]: readonly Plain[]): { tools: Record<string, Plain>; calls: Plain[]; base: Plain } & Plain => first as never;

it('a valid record is replayed, including a fallback that JSON has lost', () => {
  expect(refusal(() => undefined)).toBe('replayed');
});

describe('events that are not of one turn', () => {
  it.each([
    [null, 'events must be an array, got null.'],
    ['text', "events must be an array, got 'text'."],
    [{ length: 1 }, 'events must be an array, got an object.'],
    [[], 'the events contain no TurnStarted. Only the trace of a whole turn can be replayed, or that of a single call with its settings'],
    [[null, 5, {}], 'the events contain no TurnStarted.'],
  ])('%j', (events, sentence) => {
    expect(() => replayTurn(events as never)).toThrow(TypeError);
    expect(() => replayTurn(events as never)).toThrow(`replay: ${sentence}`);
  });

  it.each<readonly [string, (events: Plain[]) => unknown, string]>([
    ['a null event', (events) => events.with(2, null as never), 'events[2] must be an event, got null.'],
    [
      'an event of another turn',
      (events) => void Object.assign(events[3] ?? {}, { turn_id: 'other' }),
      "events[3].turn_id must be 'turn', the value of the first event, got 'other'.",
    ],
    [
      'an event of a call that is not in the plan',
      (events) => void Object.assign(events[1] ?? {}, { call_id: 'z' }),
      "events[1].call_id must be a call of the plan in events[0], got 'z'.",
    ],
    [
      'a missing event',
      (events) => events.toSpliced(2, 1),
      'events[2].seq must be 3, got 4. Events are missing or out of order: pass all of the turn, as they were recorded.',
    ],
    ['a duplicate event', (events) => events.toSpliced(2, 0, events[2] ?? {}), 'events[3].seq must be 4, got 3.'],
    [
      'a start that is not first',
      (events) => [{ ...events[1], seq: 1 }, { ...events[0], seq: 2 }, ...events.slice(2)],
      "events[0].event_type must be 'TurnStarted', got 'CallStarted'.",
    ],
    ['a second start', (events) => [events[0], { ...events[0], seq: 2 }], "events[1] is a second 'TurnStarted'."],
    [
      'a time before that of the previous event',
      (events) => void Object.assign(events.at(-1) ?? {}, { elapsed_ms: 1 }),
      'elapsed_ms must be 100 or more, the value of the previous event, got 1.',
    ],
    [
      'a misspelled type',
      (events) => void Object.assign(events[1] ?? {}, { event_type: 'CallStartd' }),
      "events[1].event_type must be a known event type, got 'CallStartd'. Did you mean 'CallStarted'?",
    ],
    [
      'a type of a later version',
      (events) => void Object.assign(events[1] ?? {}, { event_type: 'Danced' }),
      "got 'Danced'. Replay a record with the version that wrote it, or a later one.",
    ],
    [
      'a type that is not a string',
      (events) => void Object.assign(events[1] ?? {}, { event_type: 7 }),
      'events[1].event_type must be a known event type, got 7.',
    ],
    [
      'a type with the name of an object member',
      (events) => void Object.assign(events[1] ?? {}, { event_type: 'toString' }),
      "got 'toString'.",
    ],
  ])('%s', (_what, change, sentence) => {
    expect(refusal(change)).toMatch(/^replay: /u);
    expect(refusal(change)).toContain(sentence);
    expect(refusal(change, { policy: {} })).toBe(refusal(change));
  });
});

describe('an invalid field', () => {
  it.each<readonly [string, string, unknown, string]>([
    ['CallStarted', 'call_id', '', "must be a non-empty string, got ''"],
    ['CallStarted', 'tool_id', undefined, 'must be a string, got undefined'],
    ['CallStarted', 'timestamp', 'yesterday', "must be a time in ISO 8601, got 'yesterday'"],
    ['CallStarted', 'elapsed_ms', -1, 'must be a number of milliseconds from 0 to 1e15, got -1'],
    ['CallStarted', 'elapsed_ms', 2e15, 'must be a number of milliseconds from 0 to 1e15, got 2000000000000000'],
    ['CallStarted', 'seq', 0, 'must be a whole number, 1 or more, got 0'],
    ['CallStarted', 'turn_id', 7, 'must be a non-empty string, got 7'],
    ['AttemptStarted', 'attempt', 1.5, 'must be a whole number, 1 or more, got 1.5'],
    ['AttemptStarted', 'attempt', 0, 'must be a whole number, 1 or more, got 0'],
    ['AttemptStarted', 'attempt', 1e300, 'must be a whole number, 1 or more, got 1e+300'],
    ['AttemptStarted', 'circuit_breaker_state', 'ajar', "must be one of closed, open, half_open, got 'ajar'"],
    ['AttemptStarted', 'probe', 'yes', "must be true or false, got 'yes'"],
    ['AttemptStarted', 'timeout_ms', -1, 'must be a number of milliseconds, 0 or more, or null for no limit, got -1'],
    ['ToolError', 'attempt', -1, 'must be a whole number, 0 or more, got -1'],
    ['ToolError', 'classification', 'odd', "must be one of transient, permanent, neutral, got 'odd'"],
    ['ToolError', 'status', '503', "must be a number, got '503'"],
    ['RecoveryDecided', 'inputs', null, 'must be an object, got null'],
    ['RecoveryDecided', 'decision', [], 'must be an object, got an array'],
    ['RecoveryDecided', 'decided_by', 'me', "must be one of built_in, handler, got 'me'"],
    ['RetryScheduled', 'delay_ms', Number.NaN, 'must be a number of milliseconds, 0 or more, or null for no limit, got NaN'],
    ['CallCompleted', 'attempts', '2', "must be a whole number, 0 or more, got '2'"],
    ['TurnCompleted', 'critical_path', 'a', "must be an array, got 'a'"],
    ['TurnCompleted', 'outcome', { so: 1 }, 'must be a string, got an object'],
    ['TurnStarted', 'timeout_ms', 0, 'must be a number of milliseconds above 0, or null, got 0'],
    ['TurnStarted', 'concurrency', 0, 'must be a whole number, 1 or more, or null, got 0'],
    ['TurnStarted', 'max_retries', 1.5, 'must be a whole number, 0 or more, or null, got 1.5'],
    ['TurnStarted', 'on_deadline', 'panic', "must be one of detach, abort, got 'panic'"],
    ['TurnStarted', 'recovery_rules', {}, 'must be an array, got an object'],
    ['TurnStarted', 'circuits', [], 'must be an object, got an array'],
    ['TurnStarted', 'tools', { search: 5 }, "['search'] must be an object, got 5"],
    ['TurnStarted', 'seed', () => 1, 'must be a string, got a function'],
    ['TurnStarted', 'seed', ['x'], 'must be a string, got an array'],
  ])('%s.%s = %j', (type, field, value, sentence) => {
    const change = (events: Plain[]): void => void Object.assign(of(events, type), { [field]: value });
    const message = refusal(change);
    const index = (JSON.parse(recorded) as Plain[]).findIndex(({ event_type }) => event_type === type);
    const mark = sentence.startsWith('[') ? '' : ' ';
    expect(message).toBe(`replay: events[${index}].${field}${mark}${sentence}. ${asRecorded}`);
  });

  it('may be nested, and long strings are truncated', () => {
    const inputs =
      (change: Plain) =>
      (events: Plain[]): void =>
        void Object.assign(of(events, 'RecoveryDecided')['inputs'] as Plain, change);
    expect(refusal(inputs({ alternatives: [{ tool_id: 'x', circuit_breaker_state: 'closed', available: 1 }] }))).toBe(
      `replay: events[4].inputs.alternatives[0].available must be true or false, got 1. ${asRecorded}`,
    );
    expect(refusal(inputs({ failure: 'x'.repeat(90) }))).toBe(
      `replay: events[4].inputs.failure must be one of error, timeout, refused, got '${'x'.repeat(80)}…'. ${asRecorded}`,
    );
    expect(refusal(inputs({ max_total_time_ms: null, new_in_a_later_version: 1 }), { policy: {} })).toBe('replayed');
  });
});

describe('invalid settings', () => {
  it.each<readonly [string, (events: Plain[]) => unknown, string]>([
    [
      'of a tool',
      (events) => void ((started(events).tools['search'] ?? {})['timeoutMs'] = -1),
      "events[0].tools['search'].timeoutMs must be a number of milliseconds above 0, got -1.",
    ],
    [
      'of a tool, missing',
      (events) => void delete (started(events).tools['search'] ?? {})['alternatives'],
      "events[0].tools['search'].alternatives must be present, got undefined.",
    ],
    [
      'of a tool, a part missing',
      (events) => void delete ((started(events).tools['search'] ?? {})['retry'] as Plain)['jitter'],
      "events[0].tools['search'].retry.jitter must be present, got undefined.",
    ],
    [
      'of a tool, a part of the breaker missing',
      (events) => void delete ((started(events).tools['search'] ?? {})['breaker'] as Plain)['openMs'],
      "events[0].tools['search'].breaker.openMs must be present, got undefined.",
    ],
    [
      'of a tool, an invalid fallback',
      (events) => void ((started(events).tools['search'] ?? {})['fallback'] = 5),
      "events[0].tools['search'].fallback must be an object { value } with the output to use instead, got 5.",
    ],
    [
      'of other tools',
      (events) => void (started(events).base['retry'] = { maxAttempts: 0 }),
      'events[0].base.retry.strategy must be present, got undefined.',
    ],
    [
      'of other tools, out of range',
      (events) => void ((started(events).base['retry'] as Plain)['maxAttempts'] = 0),
      'events[0].base.retry.maxAttempts must be a whole number, 1 or more, got 0.',
    ],
    [
      'of a call',
      (events) => void ((started(events).calls[0] ?? {})['policy'] = { timeoutMs: 'soon' }),
      "events[0].calls[0].policy.timeoutMs must be a number of milliseconds above 0, got 'soon'.",
    ],
    [
      'of a call that only its tool may have',
      (events) => void ((started(events).calls[0] ?? {})['policy'] = { breaker: false }),
      "events[0].calls[0].policy cannot set 'breaker'",
    ],
    [
      'a circular plan',
      (events) => void ((started(events).calls[0] ?? {})['depends_on'] = ['a']),
      'events[0].calls is not a valid plan: Calls depend on each other in a cycle: a → a. Break the cycle.',
    ],
  ])('%s', (_what, change, sentence) => {
    const message = refusal(change);
    expect(message).toContain(`replay: ${sentence}`);
    expect(message).toMatch(/ Pass the events of one turn as they were recorded\.$/u);
  });

  it('do not include unknown fields', () => {
    expect(refusal((events) => void ((started(events).tools['search'] ?? {})['later'] = 5))).toBe('replayed');
  });
});

describe('an invalid what-if', () => {
  it.each<readonly [unknown, string]>([
    [null, 'options must be an object, got null. Leave it out for an exact replay.'],
    [{ policy: 5 }, 'options.policy must be an object of settings, got 5. Leave it out to keep what was recorded.'],
    [{ policy: null }, 'options.policy must be an object of settings, got null.'],
    [{ policy: { retry: { maxAttempts: 0 } } }, 'options.policy.retry.maxAttempts must be a whole number, 1 or more, got 0.'],
    [{ tools: 5 }, 'options.tools must be an object of settings by tool, got 5.'],
    [{ tools: { search: 5 } }, "options.tools['search'] must be an object of settings, got 5."],
    [{ tools: { search: { effect: 'odd' } } }, "options.tools['search'].effect must be one of read, idempotent, unsafe, got 'odd'."],
    [{ turn: 5 }, 'options.turn must be an object of settings, got 5.'],
    [{ turn: { timeoutMs: 0 } }, 'options.turn.timeoutMs must be a number of milliseconds above 0, got 0.'],
    [{ recoveryRules: {} }, 'options.recoveryRules must be an array of rules, got an object.'],
    [{ recoveryRules: [{}] }, 'options.recoveryRules[0].name must be a non-empty string, got undefined.'],
    [{ recoveryRules: [{ name: 'r', deny: 'retries' }] }, 'options.recoveryRules[0].deny must be one of retry,'],
    [{ recoveryRules: [null] }, 'options.recoveryRules[0] must be an object, got null.'],
    [{ policies: [] }, "options has no setting 'policies'. Did you mean 'recoveryRules'?"],
    [{ policy: { timoutMs: 5 } }, "options.policy has no setting 'timoutMs'. Did you mean 'timeoutMs'?"],
    [{ tools: { search: { timoutMs: 5 } } }, "options.tools['search'] has no setting 'timoutMs'. Did you mean 'timeoutMs'?"],
    [{ turn: { timoutMs: 5 } }, "options.turn has no setting 'timoutMs'. Did you mean 'timeoutMs'?"],
  ])('%j', (options, sentence) => {
    expect(refusal(() => undefined, options as never)).toContain(`replay: ${sentence}`);
    expect(refusal(() => undefined, options as never)).toMatch(/\.$/u);
  });

  it('does not include whole tools, or undefined for a tool', () => {
    expect(refusal(() => undefined, { tools: { search: { name: 'search', run: 5 } as never, nowhere: undefined as never } })).toBe(
      'replayed',
    );
  });
});

describe('a record that does not lead to its end', () => {
  it('is rejected at the first difference, with the cause', () => {
    const events = JSON.parse(recorded) as TraceEvent[];
    const index = events.findIndex(({ event_type }) => event_type === 'ToolSucceeded');
    const without = events.toSpliced(index, 1).map((event, place) => ({ ...event, seq: place + 1 }));
    const error = (() => {
      try {
        return replayTurn(without);
      } catch (thrown) {
        return thrown as Error;
      }
    })() as Error;
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(
      `replay: the record does not lead to its end: events[${index}] (CallCompleted of call 'a'): recorded 'CallCompleted', replayed undefined. ${asRecorded}`,
    );
    expect(error.cause).toMatchObject({ message: expect.stringContaining('no task is left') });
  });

  it('is rejected as unreadable when reading it throws', () => {
    const event = new Proxy(
      {},
      {
        get: () => {
          throw new Error('not today');
        },
      },
    );
    expect(() => replayTurn([event as never])).toThrow(new TypeError(`replay: the record cannot be read: not today. ${asRecorded}`));
  });

  it('is rejected by an exact replay and continued by a what-if if it is truncated', () => {
    expect(refusal((events) => events.slice(0, 4))).toBe(
      'replay: the recorded turn was interrupted, so there is no end to replay to: its last event is events[3] (ToolError). Use a what-if, such as { policy: {} }, to see how it might have continued.',
    );
    const { report, interrupted, assumptions } = replayTurn((JSON.parse(recorded) as TraceEvent[]).slice(0, 6), { policy: {} });
    expect({ interrupted, outcome: report.outcome, results: report.results.length }).toEqual({
      interrupted: true,
      outcome: 'failed',
      results: 1,
    });
    expect(assumptions).toEqual(["Attempt 2 of search in call 'a' was never made; it is assumed to fail like the last one seen."]);
  });
});
