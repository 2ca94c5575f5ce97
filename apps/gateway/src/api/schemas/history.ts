/** Owns the schemas of the overview, the time series, the timelines of circuits and the failures. */
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
    skipped: count.openapi({ description: 'Not run: a call they depend on failed, or no time was left.' }),
    rejected: count.openapi({ description: 'The request was wrong: invalid arguments or an unknown tool.' }),
    refused: count.openapi({ description: 'Refused by Holdfast before an attempt. Included in `failed`.' }),
    served: count.openapi({ description: 'Calls of other tools that this one answered, as their alternative. Not included in `calls`.' }),
  })
  .openapi('CallCounts');

const share = z
  .object({
    part: count,
    whole: count,
    share: part,
    low: part.openapi({ description: 'Lower bound of the 95 % Wilson interval; `high` is the upper bound.' }),
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
    stopped_by: z
      .string()
      .optional()
      .openapi({ description: 'Why no further attempt was made. Absent when nothing stopped the attempts.' }),
    call_ended: z
      .enum(['recovered', 'failed', 'cancelled'])
      .optional()
      .openapi({ description: 'How the call ended. Absent while it runs.' }),
    signature: z.string().optional(),
  })
  .openapi('FailurePointer');

const tile = z
  .object({
    name: z.string(),
    source,
    status: z.enum(['failing', 'recovering', 'degraded', 'ok', 'idle']),
    status_reason: z.string(),
    trouble_since: moment
      .optional()
      .openapi({ description: 'Since when it has been failing, recovering or degraded. Absent for other statuses.' }),
    degraded: z.boolean(),
    circuit: circuitState.nullable(),
    mode: z.enum(['auto', 'forced_open', 'disabled', 'shadow']),
    client_circuits_open: count.optional().openapi({
      description: 'Clients of an isolated server whose own circuit is open, or half-open. Absent when there are none.',
    }),
    retry_after_ms: z.number().optional(),
    held_until: moment.optional().openapi({
      description: "Until when a server's Retry-After holds calls, whatever the state of the circuit. Absent when it holds none.",
    }),
    in_flight: count,
    orphaned: count,
    queued: count,
    counts: counts.openapi({ description: 'Counts of the last five minutes.' }),
    failure: share,
    retry_success: share,
    latency: z.object({ p50_ms: z.number(), p95_ms: z.number(), p99_ms: z.number(), mean_ms: z.number() }).optional(),
    recent: z.array(z.array(count).length(3)).openapi({
      description: 'First-try, recovered and failed calls of the last two minutes, in steps of five seconds, oldest first.',
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
    waited_ms: z.number().openapi({
      description: 'The longest time that one of its calls has waited for a slot, a Retry-After, recovery or the retry budget.',
    }),
    used_alternative: z.boolean(),
    deadline_missed: z.boolean(),
    repaired: z.boolean(),
  })
  .openapi('TurnFacts', { description: 'Facts about a turn from the history.' });

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
    circuits_open: count.openapi({ description: 'Open and half-open circuits.' }),
    logins_required: z
      .array(z.object({ server: z.string(), reason: z.string() }))
      .optional()
      .openapi({ description: 'Servers at which someone has to log in, and how.' }),
    tools_withheld: count.optional().openapi({ description: 'Tools of servers that are not offered, because the lock file blocks them.' }),
    started_at: moment,
    version: z.string(),
    store: z.object({ ok: z.boolean(), dropped: count, problem: z.string().optional() }).optional(),
    history: z.object({ bytes: count, retention_days: z.number() }).optional(),
  })
  .openapi('Totals', { description: 'Counts of the last five minutes.' });

export const overviewSchema: z.ZodType = z
  .object({
    at: moment,
    cursor: z.string().openapi({ description: 'Cursor from which the live stream continues.' }),
    totals,
    tools: z.array(tile).openapi({ description: 'Failing tools first, then by name.' }),
    changes: z.array(change).openapi({ description: 'The latest 50, newest first.' }),
    alerts: z.array(alertItem),
    turns: z.array(turnBrief).openapi({ description: 'The latest 20, newest first.' }),
  })
  .openapi('Overview');

const range = z.enum(rangeNames);

export const rangeQuery: z.ZodType<{ readonly range: HistoryRange }> = z.strictObject({
  range: range.default('1h').openapi({ description: 'Length of the time range that ends now.', default: '1h' }),
}) as unknown as z.ZodType<{ readonly range: HistoryRange }>;

const numbers = z.array(z.number());
const nullableNumbers = z.array(z.number().nullable()).openapi({ description: 'Milliseconds; `null` in a step without calls.' });
const counted = z.array(z.object({ name: z.string(), count }));

export const toolHistorySchema: z.ZodType = z
  .object({
    tool_id: z.string(),
    range,
    step_ms: count,
    at: numbers.openapi({ description: 'The start of each step, in seconds since 1970.' }),
    first_try: numbers,
    recovered: numbers,
    failed: numbers,
    cancelled: numbers,
    skipped: numbers,
    rejected: numbers,
    refused: numbers,
    attempts: numbers,
    retries: numbers,
    p50_ms: nullableNumbers,
    p95_ms: nullableNumbers,
    p99_ms: nullableNumbers,
    attempt_p95_ms: nullableNumbers,
    work_ms: numbers.openapi({ description: 'Total time that calls spent in attempts that succeeded, during the step.' }),
    failed_ms: numbers.openapi({ description: 'The same of attempts that failed, timed out or were cut off.' }),
    backoff_ms: numbers,
    late_ms: numbers.openapi({ description: 'By how much retries started later than planned, because their process was busy.' }),
    queue_ms: numbers.openapi({ description: 'Waiting for a free slot of the tool.' }),
    hint_ms: numbers.openapi({ description: "Waiting for the rate limit or for a server's Retry-After." }),
    recovery_ms: numbers.openapi({ description: 'Waiting for the tool to recover.' }),
    totals: counts,
    failure: share,
    retry_success: share,
    attempts_per_call: z.number().optional().openapi({ description: 'Of the calls with at least one attempt. Absent without such calls.' }),
    retries_denied: counted.openapi({ description: 'Retries that were not made, by reason.' }),
    errors: counted.openapi({ description: 'Failed attempts, by code.' }),
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
    latest_failures: z.array(failurePointer).openapi({ description: 'The latest failed calls, without refused ones.' }),
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
    counted: z.boolean().openapi({ description: 'Whether it is one of the outcomes that caused the change.' }),
  })
  .openapi('CircuitSample');

export const circuitTimelineSchema: z.ZodType = z
  .object({
    tool_id: z.string(),
    range,
    since: moment,
    until: moment,
    state: circuitState.nullable().openapi({ description: 'State at `since`. `null`: the tool has no circuit breaker.' }),
    known_since: moment.openapi({ description: 'From when on the state is known: the gateway may be younger than the range.' }),
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
          samples: z.array(sample).openapi({ description: 'The outcomes before the change, oldest first.' }),
        })
        .openapi('CircuitChange'),
    ),
    samples: z.array(sample).openapi({ description: 'The latest outcomes, oldest first.' }),
    rule: z.string().openapi({ description: 'What opens and closes the circuit, as a sentence.' }),
  })
  .openapi('CircuitTimeline');

export const failureCluster: z.ZodType = z
  .object({
    signature: z.string(),
    tool_id: z.string(),
    code: z.string(),
    category: z.string(),
    classification: z.enum(['transient', 'permanent', 'neutral']),
    pattern: z.string().openapi({ description: 'The message without its variable parts.' }),
    sample: z.string().openapi({ description: 'The latest message, unchanged.' }),
    count,
    first_seen: moment,
    last_seen: moment,
    hourly: z.array(count).openapi({ description: 'Failures per hour of the last 24 hours, oldest first.' }),
    strategies: z.array(z.object({ strategy: z.string(), tried: count, succeeded: count })),
    calls_recovered: count,
    calls_failed: count,
    is_new: z.boolean().openapi({ description: 'First seen within the last hour.' }),
    examples: z.array(failurePointer).openapi({ description: 'Latest first.' }),
  })
  .openapi('FailureCluster');

export const failureList: z.ZodType = z.object({ clusters: z.array(failureCluster) }).openapi('FailureList');

export const failureQuery: z.ZodType<FailureFilter> = z.strictObject({
  tool_id: z.string().min(1).max(512).optional().openapi({ description: 'Only failures of this tool.' }),
  since: time.optional().openapi({ description: 'Only failures seen at this time or later.' }),
  limit: wholeNumber(1, 1_000, 200).openapi({ description: 'Maximum number of clusters.' }),
});

export const failureParams: z.ZodType<{ readonly signature: string }> = z.object({ signature: z.string().min(1).max(64) });
