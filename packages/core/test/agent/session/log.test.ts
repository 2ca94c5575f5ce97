/** The log entries and metrics of a session. */
import { describe, expect, it } from 'vitest';
import type { SessionEvent, SessionEventBody, SessionLogger } from '../../../src/agent/index.ts';
import { emptyValidationMetrics, foldSession, foldValidationMetrics, Session } from '../../../src/agent/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const failure = {
  source: 'tool',
  tool_id: 'quote',
  call_id: 'c1',
  attempt: 2,
  max_attempts: 3,
  error_type: 'ToolValidationError',
  error: "Required parameter 'symbol' missing",
  retry_scheduled_at: '2025-11-05T10:30:46.500Z',
} as const;
const scheduled: SessionEventBody = { event_type: 'ValidationRetryScheduled', ...failure, delay_ms: 1_500, feedback: true };
const { retry_scheduled_at, attempt, max_attempts, error_type, error } = failure;
const exhausted: SessionEventBody = {
  event_type: 'ValidationRetryExhausted',
  ...failure,
  stopped_by: 'attempts',
  feedback: true,
  history: [{ retry_scheduled_at, attempt, max_attempts, error_type, error, delay_ms: 250 }],
  message: 'quote failed validation 2 times',
};
const recovered: SessionEventBody = { event_type: 'ValidationRecovered', source: 'structured_output', attempts: 4 };
const details = {
  toolName: 'quote',
  callId: 'c1',
  source: 'tool',
  attempt: 2,
  maxAttempts: 3,
  errorType: 'ToolValidationError',
  error: failure.error,
};

function recordingLogger(): { readonly logger: SessionLogger; readonly entries: unknown[] } {
  const entries: unknown[] = [];
  const level = (name: string) => (details: object, text: string) => void entries.push([name, details, text]);
  return { entries, logger: { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') } };
}

describe('the log', () => {
  const rows: readonly (readonly [SessionEventBody, readonly [string, object, string]])[] = [
    [scheduled, ['warn', { ...details, delaySeconds: 1.5 }, 'validation failed, the model may retry']],
    [exhausted, ['error', { ...details, stoppedBy: 'attempts' }, 'validation failed, no further attempt']],
    [recovered, ['info', { attempts: 4 }, 'validation succeeded after retries']],
    [
      { event_type: 'AgentCallRefused', call_id: 'c1', tool_id: 'quote', code: 'REPEATED_FAILURE', error: 'Not run' },
      ['warn', { toolName: 'quote', callId: 'c1', code: 'REPEATED_FAILURE', error: 'Not run' }, 'call refused'],
    ],
    [
      { event_type: 'AgentRunStopped', reason: 'too_many_refusals', message: 'too many' },
      ['error', { reason: 'too_many_refusals', error: 'too many' }, 'agent run stopped'],
    ],
    [
      { event_type: 'TranscriptRepaired', format: 'openai-chat', changes: [{ rule: 'r', path: 'p' }], message: '1 change' },
      ['info', { format: 'openai-chat', changes: 1 }, 'transcript repaired'],
    ],
    [
      { event_type: 'ArgumentsRepaired', call_id: 'c1', tool_id: 'quote', repairs: ['closed a brace'] },
      ['info', { toolName: 'quote', callId: 'c1', repairs: ['closed a brace'] }, 'arguments repaired'],
    ],
  ];
  it.each(rows)('$event_type is one entry with the correlation id', (event, [level, fields, text]) => {
    const { logger, entries } = recordingLogger();
    new Session({ system: manualSystem(), correlationId: 'k', logger }).append(event);
    expect(entries).toEqual([[level, { correlationId: 'k', ...fields }, text]]);
  });

  it('has no entries for successes', () => {
    const { logger, entries } = recordingLogger();
    const session = new Session({ system: manualSystem(), logger });
    session.append({ event_type: 'ToolInvoked', call_id: 'a', tool_id: 't', status: 'success' });
    session.append({ event_type: 'Custom', name: 'own' });
    expect(entries).toEqual([]);
  });

  it('has redacted entries for failing reducers and listeners, and one for too deep nesting', () => {
    const { logger, entries } = recordingLogger();
    const key = 'sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa';
    const reduce = (): never => {
      throw new RangeError(`no ${key}`);
    };
    const session = new Session({ system: manualSystem(), correlationId: 'k', logger, slices: { own: { initial: 0, reduce } } });
    const removeListener = session.onReducerError(() => reduce());
    session.append({ event_type: 'ToolInvoked', call_id: 'c1', tool_id: 'quote', status: 'success' });
    expect(entries).toEqual([
      [
        'error',
        { correlationId: 'k', toolName: 'quote', callId: 'c1', reducer: 'own', errorType: 'RangeError', error: 'no [redacted]' },
        'reducer failed',
      ],
      ['error', { correlationId: 'k', error: 'no [redacted]' }, 'reducer error listener failed'],
    ]);
    removeListener();
    session.onReducerError(() => session.append({ event_type: 'Custom', name: 'again' }));
    const before = entries.length;
    session.append({ event_type: 'Custom', name: 'again' });
    const texts = entries.slice(before).map((entry) => (entry as string[])[2]);
    expect(texts.filter((text) => text === 'reducer failed')).toHaveLength(9);
    expect(entries.at(-1)).toEqual([
      'error',
      { correlationId: 'k', reducer: 'own' },
      'reducer errors are nested too deeply; listeners are not called',
    ]);
    // The next one may be nested as deeply as the first.
    session.append({ event_type: 'Custom', name: 'again' });
    expect(entries).toHaveLength(before + 2 * texts.length);
  });
});

describe('the built-in state', () => {
  const stamped = (events: readonly SessionEventBody[]): readonly SessionEvent[] => {
    const session = new Session({ system: manualSystem(), correlationId: 'k' });
    return events.map((event) => session.append(event).event);
  };
  const feedback = {
    source: 'tool',
    toolName: 'quote',
    attempt: 2,
    maxAttempts: 3,
    errorType: 'ToolValidationError',
    message: failure.error,
    retryScheduledAt: failure.retry_scheduled_at,
  };

  it('has feedback of attempts, unless it is switched off, and the errors of exhausted ones', () => {
    const silent = { ...scheduled, feedback: false } as SessionEventBody;
    const { feedback: entries, exhausted: errors } = foldSession(stamped([scheduled, silent, recovered, exhausted]), {});
    expect(entries).toEqual([
      { ...feedback, nextDelaySeconds: 1.5 },
      { ...feedback, nextDelaySeconds: 0 },
    ]);
    expect(errors).toEqual([
      {
        name: 'RetryExhaustedError',
        code: 'RETRY_EXHAUSTED',
        message: 'quote failed validation 2 times',
        source: 'tool',
        toolName: 'quote',
        attempts: 2,
        maxAttempts: 3,
        stoppedBy: 'attempts',
        history: [{ ...feedback, nextDelaySeconds: 0.25 }],
      },
    ]);
  });

  it('has the latest feedback of one tool or of structured outputs', () => {
    const session = new Session({ system: manualSystem() });
    const { tool_id: _tool, ...output } = scheduled as typeof scheduled & { readonly tool_id: string };
    session.append(scheduled);
    session.append({ ...output, source: 'structured_output', attempt: 1 } as SessionEventBody);
    expect(session.latestFeedback()).toMatchObject({ toolName: null, attempt: 1 });
    expect(session.latestFeedback('quote')).toMatchObject({ toolName: 'quote', attempt: 2 });
    expect(session.latestFeedback(null)).toMatchObject({ source: 'structured_output' });
    expect(session.latestFeedback('other')).toBeUndefined();
  });

  it('has counters and histograms, including values above all bounds', () => {
    const late = { ...scheduled, delay_ms: 100_000 } as SessionEventBody;
    const onBound = { ...scheduled, delay_ms: 2_000 } as SessionEventBody;
    const many = { ...recovered, attempts: 11 } as SessionEventBody;
    const events = [scheduled, onBound, late, exhausted, recovered, many, { event_type: 'Custom', name: 'own' } as const];
    const metrics = events.reduce(foldValidationMetrics, emptyValidationMetrics);
    expect(metrics).toEqual({
      validation_retry_total: 3,
      reducer_error_total: 0,
      validation_exhausted_total: 1,
      validation_retry_delay_seconds: {
        bounds: [0, 0.1, 0.5, 1, 2, 5, 10, 30, 60],
        counts: [0, 0, 0, 0, 2, 0, 0, 0, 0, 1],
        count: 3,
        sum: 103.5,
      },
      validation_attempts: { bounds: [1, 2, 3, 4, 5, 10], counts: [0, 1, 0, 1, 0, 0, 1], count: 3, sum: 17 },
    });
    expect(emptyValidationMetrics.validation_attempts.count).toBe(0);
  });
});
