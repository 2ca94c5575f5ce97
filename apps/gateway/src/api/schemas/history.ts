/** Owns the schemas of the overview, the series, the timelines of circuits and the failures. */
import { z } from '@hono/zod-openapi';
import type { HistoryRange } from '../../contract.ts';
import type { FailureFilter } from '../../history/history.ts';
import { rangeNames } from '../../history/ranges.ts';
import { alertItem } from './alerts.ts';
import { time, wholeNumber } from './parameters.ts';
import { turnOutcome } from './results.ts';
import { source } from './tools.ts';

const moment = z.iso.datetime();
const count = z.int().nonnegative();
const part = z.number().min(0).max(1);
const circuitState = z.enum(['closed', 'open', 'half_open']);

const counts = z
  .object({
    calls: count,
    first_try: count.openapi({ description: 'Succeeded at the first attempt.' }),
    recovered: count.openapi({ description: 'Succeeded after a retry, by an alternative or by a default.' }),
    failed: count,
    cancelled: count,
    skipped: count.openapi({ description: 'Not run: a call they depend on was lost, or no time was left.' }),
    rejected: count.openapi({ description: 'The request itself was at fault: arguments that do not fit, a tool that is not there.' }),
    refused: count.openapi({ description: 'Refused by our own admission; they are among `failed`.' }),
  })
  .openapi('CallCounts');

const share = z
  .object({
    part: count,
    whole: count,
    share: part,
    low: part.openapi({ description: 'Wilson 95 % bound, as `high`.' }),
    high: part,
  })
  .openapi('Share');

const failurePointer = z
  .object({
    at: moment,
    turn_id: z.string(),
    call_id: z.string(),
    attempt: count.openapi({ description: '0: no attempt was made.' }),
    code: z.string(),
    message: z.string(),
    stopped_by: z.string().optional().openapi({ description: 'Why nothing more was tried; absent where the call succeeded in the end.' }),
    signature: z.string().optional(),
  })
  .openapi('FailurePointer');

const tile = z
  .object({
    name: z.string(),
    source,
    status: z.enum(['failing', 'recovering', 'degraded', 'ok', 'idle']),
    status_reason: z.string(),
    degraded: z.boolean(),
    circuit: circuitState.nullable(),
    mode: z.enum(['auto', 'forced_open', 'disabled', 'shadow']),
    retry_after_ms: z.number().optional(),
    in_flight: count,
    orphaned: count,
    queued: count,
    counts: counts.openapi({ description: 'Of the last five minutes.' }),
    failure: share,
    retry_success: share,
    latency: z.object({ p50_ms: z.number(), p95_ms: z.number(), p99_ms: z.number(), mean_ms: z.number() }).optional(),
    recent: z.array(z.array(count).length(3)).openapi({
      description: 'First-try, recovered and failed calls of the last two minutes, in steps of five seconds, the oldest first.',
    }),
    recent_until: moment,
    last_failure: failurePointer.optional(),
  })
  .openapi('ToolTile');

const change = z
  .object({
    id: count,
    at: moment,
    kind: z.enum([
      'circuit_opened',
      'circuit_half_opened',
      'circuit_closed',
      'alert_firing',
      'alert_resolved',
      'new_failure',
      'tool_added',
      'tool_removed',
      'upstream_down',
      'upstream_up',
      'operator_action',
    ]),
    text: z.string(),
    tool_id: z.string().optional(),
    turn_id: z.string().optional(),
    call_id: z.string().optional(),
    signature: z.string().optional(),
    fingerprint: z.string().optional(),
  })
  .openapi('ChangeItem');

export const turnFacts: z.ZodType = z
  .object({
    tools: z.array(z.string()),
    codes: z.array(z.string()),
    duration_ms: z.number(),
    retries: count,
    failed_calls: count,
    skipped_calls: count,
    used_alternative: z.boolean(),
    deadline_missed: z.boolean(),
    repaired: z.boolean(),
  })
  .openapi('TurnFacts', { description: 'What the history knows of a turn.' });

const turnBrief = z
  .object({
    turn_id: z.string(),
    started_at: moment,
    ended_at: moment.optional(),
    state: z.enum(['running', 'completed', 'interrupted']),
    outcome: turnOutcome.optional(),
    summary: z.string().optional(),
    calls: count,
    events: count,
    facts: turnFacts.optional(),
  })
  .openapi('TurnBrief');

const totals = z
  .object({
    tools: count,
    turns_per_minute: z.number(),
    calls: counts,
    deadlines_missed: count,
    alerts_firing: count,
    circuits_open: count,
    started_at: moment,
    version: z.string(),
    store: z.object({ ok: z.boolean(), dropped: count, problem: z.string().optional() }).optional(),
    history: z.object({ bytes: count, retention_days: z.number() }).optional(),
  })
  .openapi('Totals', { description: 'Of the last five minutes.' });

export const overviewSchema: z.ZodType = z
  .object({
    at: moment,
    cursor: z.string().openapi({ description: 'The live stream continues from here.' }),
    totals,
    tools: z.array(tile).openapi({ description: 'Failing ones first, then by name.' }),
    changes: z.array(change).openapi({ description: 'The latest 50, newest first.' }),
    alerts: z.array(alertItem),
    turns: z.array(turnBrief).openapi({ description: 'The latest 20, newest first.' }),
  })
  .openapi('Overview');

const range = z.enum(rangeNames);

export const rangeQuery: z.ZodType<{ readonly range: HistoryRange }> = z.strictObject({
  range: range.default('1h').openapi({ description: 'Up to now.', default: '1h' }),
}) as unknown as z.ZodType<{ readonly range: HistoryRange }>;

const numbers = z.array(z.number());
const perhapsNumbers = z.array(z.number().nullable()).openapi({ description: 'Milliseconds; `null` in a step without calls.' });
const counted = z.array(z.object({ name: z.string(), count }));

export const toolHistorySchema: z.ZodType = z
  .object({
    tool_id: z.string(),
    range,
    step_ms: count,
    at: numbers.openapi({ description: 'The begin of each step, seconds since 1970.' }),
    first_try: numbers,
    recovered: numbers,
    failed: numbers,
    cancelled: numbers,
    skipped: numbers,
    rejected: numbers,
    refused: numbers,
    attempts: numbers,
    retries: numbers,
    p50_ms: perhapsNumbers,
    p95_ms: perhapsNumbers,
    p99_ms: perhapsNumbers,
    attempt_p95_ms: perhapsNumbers,
    work_ms: numbers.openapi({ description: 'Where the time of the calls went, in all of the step.' }),
    backoff_ms: numbers,
    queue_ms: numbers,
    totals: counts,
    failure: share,
    retry_success: share,
    retries_denied: counted.openapi({ description: 'Retries that were not made, by why.' }),
    errors: counted.openapi({ description: 'Failed attempts by their code.' }),
    slowest: z.array(
      z.object({
        at: moment,
        turn_id: z.string(),
        call_id: z.string(),
        duration_ms: z.number(),
        attempts: count,
        status: z.enum(['success', 'error', 'timeout']),
      }),
    ),
    latest_failures: z.array(failurePointer),
  })
  .openapi('ToolHistory');

const sample = z
  .object({
    at: moment,
    outcome: z.enum(['success', 'transient', 'permanent', 'neutral']),
    duration_ms: z.number(),
    turn_id: z.string(),
    call_id: z.string(),
    attempt: count,
    probe: z.literal(true).optional(),
    code: z.string().optional(),
    error: z.string().optional(),
    counted: z.boolean().openapi({ description: 'It is one of those that made the circuit change.' }),
  })
  .openapi('CircuitSample');

export const circuitTimelineSchema: z.ZodType = z
  .object({
    tool_id: z.string(),
    range,
    since: moment,
    until: moment,
    state: circuitState.openapi({ description: 'At `since`.' }),
    changes: z.array(
      z
        .object({
          id: count,
          at: moment,
          from: circuitState,
          to: circuitState,
          reason: z.string(),
          message: z.string(),
          failure_count: count.optional(),
          open_for_ms: z.number().optional(),
          turn_id: z.string().optional(),
          call_id: z.string().optional(),
          samples: z.array(sample).openapi({ description: 'What the circuit had seen before, the oldest first.' }),
        })
        .openapi('CircuitChange'),
    ),
    samples: z.array(sample).openapi({ description: 'The latest outcomes, the oldest first.' }),
    rule: z.string().openapi({ description: 'What opens and closes it, in a sentence.' }),
  })
  .openapi('CircuitTimeline');

export const failureCluster: z.ZodType = z
  .object({
    signature: z.string(),
    tool_id: z.string(),
    code: z.string(),
    category: z.string(),
    classification: z.enum(['transient', 'permanent', 'neutral']),
    pattern: z.string().openapi({ description: 'The message with its changing parts left out.' }),
    sample: z.string().openapi({ description: 'The latest one as it was.' }),
    count,
    first_seen: moment,
    last_seen: moment,
    hourly: z.array(count).openapi({ description: 'The last 24 hours, the latest last.' }),
    strategies: z.array(z.object({ strategy: z.string(), tried: count, succeeded: count })),
    calls_recovered: count,
    calls_failed: count,
    is_new: z.boolean().openapi({ description: 'Not seen before the last hour.' }),
    examples: z.array(failurePointer).openapi({ description: 'The latest first.' }),
  })
  .openapi('FailureCluster');

export const failureList: z.ZodType = z.object({ clusters: z.array(failureCluster) }).openapi('FailureList');

export const failureQuery: z.ZodType<FailureFilter> = z.strictObject({
  tool_id: z.string().min(1).max(512).optional().openapi({ description: 'Only of this tool.' }),
  since: time.optional().openapi({ description: 'Only those seen then or later.' }),
  limit: wholeNumber(1, 1_000, 200).openapi({ description: 'At most so many.' }),
});

export const failureParams: z.ZodType<{ readonly signature: string }> = z.object({ signature: z.string().min(1).max(64) });
