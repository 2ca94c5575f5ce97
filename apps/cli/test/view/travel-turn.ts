/**
 * The events of one recorded turn: flight_search fails twice and uses an alternative, the hotel service sends a Retry-After,
 * activity_search times out, compare_prices uses a default, create_itinerary and email_plan are skipped.
 */
import type { DecisionInputs, Guard, TraceEvent } from '@holdfast/core';
import type { TraceEventBody } from '@holdfast/core/trace';
import { recordInputs, type RecoveryDecided } from '@holdfast/core/trace';

const turnId = 'travel-7f3a';
const startedAt = Date.parse('2026-03-09T10:00:00.000Z');

export type At = readonly [atMs: number, body: TraceEventBody];

/** Adds turn id, sequence numbers and times to events. */
export const recorded = (steps: readonly At[], id: string = turnId): TraceEvent[] =>
  steps.map(([atMs, body], index) => ({
    ...body,
    turn_id: id,
    seq: index + 1,
    timestamp: new Date(startedAt + atMs).toISOString(),
    elapsed_ms: atMs,
  }));

const on = (tool: string, call = tool): { call_id: string; tool_id: string } => ({ call_id: call, tool_id: tool });

const baseInputs = (tool: string): DecisionInputs => ({
  turnId,
  toolName: tool,
  classification: 'transient',
  category: 'unavailable',
  rule: 'status:503',
  failure: 'error',
  ambiguous: false,
  circuit: 'closed',
  probe: false,
  attempts: 1,
  maxAttempts: 5,
  retryCount: 0,
  nextDelayMs: 104,
  retryElapsedMs: 0,
  maxTotalTimeMs: 2000,
  turnTimeLeftMs: 29_880,
  alternatives: [],
  partialAvailable: false,
  acceptPartial: false,
  fallbackAvailable: false,
  optional: false,
  recoveryRules: [],
  evidence: [],
});

/** The checks that the decision function runs before a retry. */
function checks(inputs: DecisionInputs): Guard[] {
  const startsAfter = inputs.retryElapsedMs + inputs.nextDelayMs;
  return [
    { guard: 'timed_out', passed: inputs.failure === 'timeout', value: inputs.failure },
    { guard: 'partial_accepted', passed: false, value: inputs.partialAvailable },
    { guard: 'transient', passed: inputs.classification === 'transient', value: inputs.classification },
    { guard: 'circuit_closed', passed: inputs.circuit === 'closed', value: inputs.circuit },
    { guard: 'safe_to_repeat', passed: true, value: 'undeclared' },
    { guard: 'attempts_left', passed: inputs.attempts < inputs.maxAttempts, value: inputs.attempts, limit: inputs.maxAttempts },
    { guard: 'retry_time_left', passed: startsAfter < inputs.maxTotalTimeMs, value: startsAfter, limit: inputs.maxTotalTimeMs },
    { guard: 'turn_time_left', passed: true, value: inputs.nextDelayMs, limit: inputs.turnTimeLeftMs ?? 0 },
  ];
}

export function decided(
  tool: string,
  attempt: number,
  given: Partial<DecisionInputs>,
  decision: Partial<RecoveryDecided['decision']>,
  call: string = tool,
): RecoveryDecided {
  const inputs = { ...baseInputs(tool), attempts: attempt, retryCount: attempt - 1, ...given };
  const reason = decision.reason ?? 'Transient error + circuit closed + retries available';
  return {
    event_type: 'RecoveryDecided',
    ...on(tool, call),
    attempt,
    inputs: recordInputs(inputs),
    decision: { action: 'retry', guards: checks(inputs), ...decision, reason },
    decided_by: 'built_in',
    message: reason,
  };
}

export const attempt = (tool: string, number: number, timeoutMs = 30_000, call: string = tool): TraceEventBody => ({
  event_type: 'AttemptStarted',
  ...on(tool, call),
  attempt: number,
  timeout_ms: timeoutMs,
  circuit_breaker_state: 'closed',
});

export const failed = (
  tool: string,
  number: number,
  status: number | 'timeout',
  error: string,
  decision: 'retry' | 'use_alternative' | 'fail',
  durationMs: number,
): TraceEventBody => ({
  event_type: 'ToolError',
  ...on(tool),
  error,
  classification: 'transient',
  circuit_breaker_state: 'closed',
  retry_count: number - 1,
  decision,
  attempt: number,
  ambiguous: false,
  duration_ms: durationMs,
  ...kindOf(status),
});

const kindOf = (status: number | 'timeout') =>
  status === 'timeout'
    ? ({ code: 'TOOL_TIMEOUT', category: 'timeout', rule: 'tool timeout' } as const)
    : ({ code: `HTTP_${status}`, category: status === 429 ? 'rate_limit' : 'unavailable', rule: `status:${status}`, status } as const);

export const succeeded = (tool: string, number: number, durationMs: number, call: string = tool): TraceEventBody => ({
  event_type: 'ToolSucceeded',
  ...on(tool, call),
  attempt: number,
  duration_ms: durationMs,
});

export const completed = (call: string, fields: Partial<Extract<TraceEventBody, { event_type: 'CallCompleted' }>>): TraceEventBody => ({
  event_type: 'CallCompleted',
  ...on(call),
  status: 'success',
  served_by: call,
  attempts: 1,
  execution_time_ms: 100,
  ...fields,
});

export const started = (call: string): TraceEventBody => ({ event_type: 'CallStarted', ...on(call) });

export const turnStarted = (
  calls: readonly { call_id: string; depends_on?: readonly string[]; optional?: boolean; defaults?: readonly string[] }[],
  timeoutMs: number | null = 30_000,
): TraceEventBody => ({
  event_type: 'TurnStarted',
  seed: '42',
  profile: 'spec',
  timeout_ms: timeoutMs,
  concurrency: 8,
  on_deadline: 'detach',
  max_retries: null,
  calls: calls.map((call) => ({ tool_id: call.call_id, depends_on: [], ...call })),
  tools: {},
  base: {},
  recovery_rules: [],
  circuits: {},
});

const unavailable = '503 Service Unavailable';
const exhausted = 'Attempts exhausted (2 of 2); alternative flight_search_backup available';

const exhaustedChecks: readonly Guard[] = [
  ...checks({
    ...baseInputs('flight_search'),
    attempts: 2,
    maxAttempts: 2,
    nextDelayMs: 207,
    retryElapsedMs: 404,
    turnTimeLeftMs: 29_275,
  }),
  { guard: 'not_cancelled', passed: true, value: 'transient' },
  { guard: 'safe_to_replace', passed: true, value: 'undeclared' },
  { guard: 'alternative_available:flight_search_backup', passed: true, value: 'closed' },
];

const steps: readonly At[] = [
  [
    0,
    turnStarted([
      { call_id: 'flight_search' },
      { call_id: 'hotel_search' },
      { call_id: 'activity_search', optional: true },
      { call_id: 'compare_prices', depends_on: ['flight_search', 'hotel_search', 'activity_search'], defaults: ['activity_search'] },
      { call_id: 'create_itinerary', depends_on: ['activity_search'], optional: true },
      { call_id: 'email_plan', depends_on: ['create_itinerary'], optional: true },
    ]),
  ],
  [1, started('flight_search')],
  [1, attempt('flight_search', 1)],
  [1, started('hotel_search')],
  [1, attempt('hotel_search', 1)],
  [1, started('activity_search')],
  [1, attempt('activity_search', 1, 3000)],
  [91, failed('hotel_search', 1, 429, '429 Too Many Requests', 'retry', 90)],
  [
    91,
    decided('hotel_search', 1, { category: 'rate_limit', rule: 'status:429', nextDelayMs: 1500, retryAfterMs: 1500 }, { delay_ms: 1500 }),
  ],
  [91, { event_type: 'RetryScheduled', ...on('hotel_search'), attempt: 2, delay_ms: 1500 }],
  [321, failed('flight_search', 1, 503, unavailable, 'retry', 320)],
  [321, decided('flight_search', 1, { maxAttempts: 2 }, { delay_ms: 104 })],
  [321, { event_type: 'RetryScheduled', ...on('flight_search'), attempt: 2, delay_ms: 104 }],
  [425, attempt('flight_search', 2)],
  [725, failed('flight_search', 2, 503, unavailable, 'use_alternative', 300)],
  [
    725,
    decided(
      'flight_search',
      2,
      {
        maxAttempts: 2,
        nextDelayMs: 207,
        retryElapsedMs: 404,
        turnTimeLeftMs: 29_275,
        alternatives: [{ toolName: 'flight_search_backup', circuit: 'closed', available: true }],
      },
      {
        action: 'use_alternative',
        reason: exhausted,
        alternative: 'flight_search_backup',
        stopped_by: 'attempts',
        guards: exhaustedChecks,
      },
    ),
  ],
  [726, { event_type: 'AlternativeUsed', ...on('flight_search'), alternative: 'flight_search_backup', message: 'Used alternative tool' }],
  [726, attempt('flight_search_backup', 3, 30_000, 'flight_search')],
  [1590, succeeded('flight_search_backup', 3, 864, 'flight_search')],
  [1590, completed('flight_search', { served_by: 'flight_search_backup', attempts: 3, execution_time_ms: 1589, fallback_used: true })],
  [1591, attempt('hotel_search', 2)],
  [2105, succeeded('hotel_search', 2, 514)],
  [2105, completed('hotel_search', { attempts: 2, execution_time_ms: 2104 })],
  [3001, { event_type: 'ToolTimeout', ...on('activity_search'), timeout_ms: 3000, attempt: 1 }],
  [3001, failed('activity_search', 1, 'timeout', 'Tool timeout after 3s', 'fail', 3000)],
  [
    3001,
    decided(
      'activity_search',
      1,
      { failure: 'timeout', category: 'timeout', rule: 'tool timeout', maxAttempts: 1, optional: true, turnTimeLeftMs: 26_999 },
      { action: 'fail', reason: 'Attempts exhausted (1 of 1)', stopped_by: 'attempts' },
    ),
  ],
  [
    3001,
    completed('activity_search', {
      status: 'timeout',
      execution_time_ms: 3000,
      code: 'TOOL_TIMEOUT',
      error: 'Tool timeout after 3s',
      stopped_by: 'attempts',
    }),
  ],
  [
    3002,
    {
      event_type: 'DefaultUsed',
      ...on('compare_prices'),
      dependency: 'activity_search',
      message: 'Used default value for activity_search',
    },
  ],
  [3002, started('compare_prices')],
  [3002, attempt('compare_prices', 1)],
  [
    3002,
    {
      event_type: 'ToolSkipped',
      ...on('create_itinerary'),
      optional: true,
      caused_by: ['activity_search'],
      decision: 'skip',
      message: 'Optional tool skipped due to dependency failure',
    },
  ],
  [3002, completed('create_itinerary', { status: 'error', attempts: 0, execution_time_ms: 0, skipped: true, code: 'SKIPPED' })],
  [
    3002,
    {
      event_type: 'ToolSkipped',
      ...on('email_plan'),
      optional: true,
      caused_by: ['create_itinerary', 'activity_search'],
      decision: 'skip',
      message: 'Optional tool skipped due to dependency failure',
    },
  ],
  [3002, completed('email_plan', { status: 'error', attempts: 0, execution_time_ms: 0, skipped: true, code: 'SKIPPED' })],
  [3400, { event_type: 'LateResult', ...on('activity_search'), attempt: 1, result: 'late_success', duration_ms: 3399 }],
  [3485, succeeded('compare_prices', 1, 483)],
  [3485, completed('compare_prices', { execution_time_ms: 483 })],
  [
    3486,
    {
      event_type: 'TurnCompleted',
      outcome: 'partial',
      summary: 'Completed flight search, hotel search and compare prices, but activity search timed out',
      escalated: false,
      duration_ms: 3486,
      critical_path: ['activity_search', 'compare_prices'],
      message: 'Turn completed: partial',
    },
  ],
];

export const travelTurn = (): TraceEvent[] => recorded(steps);

/** The events of the turn up to a given time. */
export const travelTurnUntil = (atMs: number): TraceEvent[] => travelTurn().filter((event) => event.elapsed_ms <= atMs);
