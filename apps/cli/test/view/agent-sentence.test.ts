import type { TraceEvent } from '@holdfast/core';
import { agentEventTypes, type AgentEventBody } from '@holdfast/core/trace';
import { describe, expect, it, test } from 'vitest';
import { renderPlain } from '../../src/view/plain/plain.ts';
import { renderTrace } from '../../src/view/summary/trace.ts';
import { renderValidations, type FailedValidation } from '../../src/view/explain/validations.ts';

const stamped = <Body extends AgentEventBody>(body: Body, seq = 1): Body & TraceEvent =>
  ({ turn_id: '0a1b2c3d-control', seq, timestamp: '2026-03-09T10:00:00.000Z', elapsed_ms: 12, ...body }) as Body & TraceEvent;

const attempt = { attempt: 3, max_attempts: 3, error_type: 'ToolValidationError', error: "Required parameter 'city' missing" } as const;
const weather = { source: 'tool', tool_id: 'weather', call_id: 'c1' } as const;
const at = { retry_scheduled_at: '2026-03-09T10:00:02.000Z', feedback: true } as const;
const problem = (index: number) => ({ rule: 'result-missing', path: `messages.${index}`, message: `No result for call '${index}'.` });

const sentences: readonly (readonly [AgentEventBody, string])[] = [
  [
    { event_type: 'ArgumentsRepaired', call_id: 'c1', tool_id: 'weather', repairs: ['read JSON out of a code fence'] },
    'c1 (weather): arguments repaired: read JSON out of a code fence',
  ],
  [
    { event_type: 'ValidationRetryScheduled', ...weather, ...attempt, attempt: 1, delay_ms: 2_000, ...at },
    "c1 (weather): attempt 1 of 3 failed validation: Required parameter 'city' missing, the model may retry in 2.0s",
  ],
  [
    { event_type: 'ValidationRetryScheduled', source: 'structured_output', ...attempt, attempt: 2, delay_ms: 0, ...at },
    "structured output: attempt 2 of 3 failed validation: Required parameter 'city' missing, the model may retry",
  ],
  [
    { event_type: 'ValidationRetryExhausted', ...weather, ...attempt, stopped_by: 'time_budget', history: [], message: '', ...at },
    "c1 (weather): still invalid after 3 attempts: Required parameter 'city' missing, stopped by time budget",
  ],
  [{ event_type: 'ValidationRecovered', ...weather, attempts: 2 }, 'c1 (weather): valid on attempt 2'],
  [
    { event_type: 'AgentCallRefused', call_id: 'c1', tool_id: 'weather', code: 'REPEATED_FAILURE', error: 'Not run: it failed 3 times' },
    'c1 (weather): not called: REPEATED_FAILURE, Not run: it failed 3 times',
  ],
  [{ event_type: 'AgentRunStopped', reason: 'repeated_failure', message: 'too often' }, 'agent run stopped: too often'],
  [
    { event_type: 'ReducerFailed', reducer: 'plan', payload_type: 'CallCompleted', error_type: 'Error', error: 'no plan' },
    'reducer plan failed: no plan',
  ],
  [
    {
      event_type: 'TranscriptRepaired',
      format: 'openai-chat',
      profile: 'vllm',
      changes: [{ rule: 'result-missing', path: 'messages.2' }],
      message: '1 change to the transcript',
    },
    'transcript repaired (openai-chat, vllm): 1 change: result-missing at messages.2',
  ],
  [
    {
      event_type: 'ResponseValidationFailed',
      stage: 'request',
      format: 'openai-chat',
      problems: [1, 2, 3, 4, 5].map(problem),
      message: 'A request failed validation: 5 problems',
    },
    "A request failed validation: 5 problems (openai-chat): messages.1: No result for call '1'. (result-missing); messages.2: No result for call '2'. (result-missing); messages.3: No result for call '3'. (result-missing); and 2 more",
  ],
];

describe('events of the loop between a model and its tools', () => {
  test.each(sentences)('%o', (event, sentence) => {
    expect(renderPlain(stamped(event))).toBe(`10:00:00.000   +0.012s  ${sentence}`);
  });

  it('all have a sentence', () => {
    expect(new Set(sentences.map(([{ event_type: type }]) => type))).toEqual(new Set(agentEventTypes));
  });
});

const failed = (seq: number, rest: Partial<FailedValidation> = {}): FailedValidation =>
  stamped(
    {
      event_type: 'ResponseValidationFailed',
      stage: 'response',
      problems: [problem(seq)],
      message: 'A response failed validation: 1 problem',
      ...rest,
    },
    seq,
  );
const surface = { width: 80, glyphs: 'unicode', color: false } as const;

describe('events outside of turns', () => {
  it('have no waterfall, and are not interrupted', () => {
    expect(renderTrace([failed(1)], surface)).toEqual([
      ' 0a1b2c3d-control  events outside of turns',
      '',
      '   +0.012s  A response failed validation: 1 problem: messages.1: No result for',
      "            call '1'. (result-missing)",
      '',
      ' 1 event · 2026-03-09T10:00:00.000Z',
    ]);
  });

  it('explain each failed validation with all its problems', () => {
    const whole = { rule: 'request-shape', path: '', message: 'The request has no messages.' };
    const second = failed(2, { format: 'openai-chat', problems: [whole, ...[1, 2, 3, 4].map(problem)] });
    expect(renderValidations([failed(1), second], surface)).toEqual([
      ' 1 A response failed validation: 1 problem  +0.012s',
      "   No result for call '1'.",
      '     at messages.1, rule result-missing',
      '',
      ' 2 A response failed validation: 1 problem  +0.012s',
      '   format openai-chat',
      '   The request has no messages.',
      '     rule request-shape',
      ...[1, 2, 3, 4].flatMap((index) => [`   No result for call '${index}'.`, `     at messages.${index}, rule result-missing`]),
    ]);
  });
});

test.each([
  [{ event_type: 'CircuitBreakerOpened', reason: 'failure_threshold', failure_count: 5 }, 'circuit of alice opened (failure_threshold)'],
  [{ event_type: 'CircuitBreakerHalfOpened', reason: 'open_period_elapsed' }, 'circuit of alice half open, probing'],
  [{ event_type: 'CircuitBreakerClosed', reason: 'probe_succeeded' }, 'circuit of alice closed'],
] as const)('the circuit of a partition: %o', (change, sentence) => {
  const event = { turn_id: 't', seq: 1, timestamp: '2026-03-09T10:00:00.000Z', elapsed_ms: 12, tool_id: 'search', message: '', ...change };
  expect(renderPlain({ ...event, partition: 'alice' })).toContain(sentence);
  expect(renderPlain(event)).toContain(sentence.replace(' of alice', ''));
});
