/**
 * Owns the table of the settings of calls: their names in the file and in the code, their shapes, defaults and descriptions. `toPolicy`, `fromPolicy`, the
 * JSON Schema and the reference page are made from it. The defaults come from the core's profiles.
 */
import { profiles } from '@holdfast/core';
import {
  boolean,
  choice,
  count,
  either,
  field,
  identifier,
  list,
  milliseconds,
  none,
  off,
  record,
  share,
  type Field,
  type FieldOptions,
  type NumberShape,
  type RecordShape,
  anything,
} from '../shape/shape.ts';
import { by, delay } from './strings.ts';

const { tool: defaults, turn: turnDefaults } = profiles.spec;
const breaker = defaults.breaker === false ? undefined : defaults.breaker;

const cap: NumberShape = { ...delay, infinite: true };
const duration: NumberShape = { ...milliseconds, infinite: true };
const percent: NumberShape = { kind: 'number', minimum: 0, maximum: 100, unit: 'percent' };

const required: FieldOptions = { required: true };

const retryPolicy: RecordShape = record(
  'retry_policy',
  field(
    'strategy',
    choice('exponential_backoff', 'linear_backoff', 'constant_backoff'),
    'How the delay grows from attempt to attempt.',
    by(defaults.retry.strategy),
  ),
  field('initial_delay_ms', delay, 'The delay before the second attempt.', by(defaults.retry.initialDelayMs)),
  field('max_delay_ms', cap, 'The longest delay, before jitter.', by(defaults.retry.maxDelayMs)),
  field(
    'multiplier',
    { kind: 'number', minimum: 1 },
    'For `exponential_backoff`: the factor from one delay to the next.',
    by(defaults.retry.multiplier),
  ),
  field('step_ms', delay, 'For `linear_backoff`: added to each delay.', by(defaults.retry.stepMs)),
  field(
    'jitter',
    choice('proportional', 'full', 'equal', 'decorrelated', 'none'),
    'The distribution of a delay: `proportional` by ± `jitter_percent`, `full` from 0 to the delay, `equal` from half of it to all of it, `decorrelated` from the initial delay to three times the previous one.',
    by(defaults.retry.jitter),
  ),
  field('jitter_percent', percent, 'For `proportional` jitter.', by(defaults.retry.jitterPercent)),
  field('max_attempts', count(1), 'All attempts, including the first.', by(defaults.retry.maxAttempts)),
  field('max_total_time_ms', cap, 'From the first failure to the start of the last retry.', by(defaults.retry.maxTotalTimeMs)),
);

const rate: RecordShape = record(
  'rate',
  field('window_ms', milliseconds, 'The length of the window.', required),
  field('minimum_calls', count(1), 'The detector needs this many calls in the window.', required),
  field('failure_rate', share, 'Opens at this share of failed calls.', required),
  field('slow_call_ms', milliseconds, 'A call that takes this long is slow. Requires `slow_call_rate`.'),
  field('slow_call_rate', share, 'Opens at this share of slow calls. Requires `slow_call_ms`.'),
);

const circuitBreaker: RecordShape = record(
  'circuit_breaker',
  field('failure_threshold', count(1), 'Consecutive transient failures that open the circuit.', by(breaker?.failureThreshold)),
  field('success_threshold', count(1), 'Consecutive successful probes that close it.', by(breaker?.successThreshold)),
  field(
    'open_ms',
    milliseconds,
    'How long it stays open before a probe is allowed.',
    by(breaker?.openMs, { alias: 'timeout_ms', otherNames: ['reset_timeout_ms'] }),
  ),
  field(
    'count',
    choice('attempt', 'call'),
    'What counts as one failure: every attempt, or a call that finally failed. With `wait_for_recovery`, a call counts once, at its first failure.',
    by(breaker?.count),
  ),
  field(
    'probe_lease_ms',
    milliseconds,
    "A probe without an answer after this time has failed. Keep it above the tool's timeout.",
    by(breaker?.probeLeaseMs),
  ),
  field(
    'permanent_probe_limit',
    count(1),
    'Consecutive probes with a permanent error that close it: the service answers.',
    by(breaker?.permanentProbeLimit),
  ),
  field('rate', rate, 'A second detector: the share of failed or slow calls over a time window.'),
);

const concurrency: RecordShape = record(
  'concurrency',
  field('limit', { ...count(1), infinite: true }, 'Concurrent calls.', required),
  field('queue', { ...count(0), infinite: true }, 'Calls that may wait for a slot, in order; further ones are refused.', by(Infinity)),
);

const rateLimit: RecordShape = record(
  'rate_limit',
  field('limit', { ...count(1), maximum: 100_000 }, 'Calls that may start in a window.', required),
  field('window_ms', milliseconds, 'The length of the window.', required),
);

const retryBudget: RecordShape = record(
  'retry_budget',
  field('ratio', { kind: 'number', minimum: 0 }, 'Retries per call in the window.', by(0.2)),
  field('floor', count(0), 'Retries that are always allowed in a window.', by(10)),
  field('window_ms', milliseconds, 'The length of the window.', by(10_000)),
);

const waitForRecovery: RecordShape = record(
  'wait_for_recovery',
  field(
    'max_wait_ms',
    cap,
    'From the start of the call. A wait always leaves time in the turn for an attempt; a call without a deadline waits at most a minute.',
    by(300_000),
  ),
);

const hedge: RecordShape = record(
  'hedge',
  field(
    'after_ms',
    either(duration, choice('p95')),
    "The second attempt starts when the first takes longer than this; `p95` is the 95th percentile of the tool's durations.",
    by('p95'),
  ),
  field('max_hedges', count(1), 'Additional attempts.', by(1)),
);

/** Settings of `defaults`, of a tool and of a call's `policy`. */
export const policyFields: readonly Field[] = [
  field(
    'timeout_ms',
    duration,
    'The time limit of an attempt, after which it counts as a transient failure. `none`, the default of `adaptive`: only the turn and the caller limit it.',
    by(defaults.timeoutMs),
  ),
  field(
    'idle_timeout_ms',
    duration,
    'An attempt that reports no progress for this long is timed out; progress and partial output start the time again.',
    by('none'),
  ),
  field('retry_policy', retryPolicy, 'When and how often a transient failure is retried.', { property: 'retry' }),
  field('circuit_breaker', either(off, circuitBreaker), 'When calls to a failing tool are stopped. `false`: never.', {
    property: 'breaker',
  }),
  field('concurrency', either(off, concurrency), 'How many calls may run concurrently. `false`: no limit.', by(defaults.concurrency)),
  field('rate_limit', either(off, rateLimit), 'How many calls may start in a window. `false`: no limit.', by(defaults.rateLimit)),
  field(
    'retry_budget',
    either(off, retryBudget),
    'Limits retries to a share of the calls, so that retries do not amplify an outage.',
    by(defaults.retryBudget),
  ),
  field('hedge', either(off, hedge), 'A second, concurrent attempt of a slow `read` tool; the first answer wins.', by(defaults.hedge)),
  field(
    'wait_for_recovery',
    either(off, waitForRecovery),
    'Calls wait instead of being refused while the circuit is open or without a free slot, unless an alternative is available; successes pay for retries.',
    by(false),
  ),
  field(
    'effect',
    choice('read', 'idempotent', 'unsafe'),
    'The side effect of the tool. After an ambiguous failure an `unsafe` tool is neither retried nor replaced.',
  ),
  field(
    'assumed_effect',
    choice('read', 'idempotent', 'unsafe'),
    'The effect of tools that declare none, after an ambiguous failure. Without it they are retried. `adaptive` assumes `unsafe`.',
  ),
  field(
    'unknown_failures',
    choice('retry', 'report'),
    'How a failure without evidence of its cause is handled. `retry`: it counts as transient. `report`, the default of `adaptive`: it is reported unchanged, circuits do not count it, and it is retried at most once, if `effect` is `read` or `idempotent`.',
    by('retry'),
  ),
  field(
    'accept_partial',
    boolean,
    'A timeout returns the output that the tool has reported so far, marked as partial.',
    by(defaults.acceptPartial),
  ),
  field('abandon_ms', cap, 'How long work that ignores its time limit keeps its slot.', by(defaults.abandonMs)),
  field(
    'max_output_chars',
    { kind: 'number', minimum: 1, unit: 'characters', infinite: true },
    'Larger outputs are truncated and marked. Binary data counts separately, in bytes.',
    by(defaults.maxOutputChars),
  ),
];

/** Settings of one tool or one call only. */
export const recoveryFields: readonly Field[] = [
  field('alternatives', list(identifier), 'Tools that are tried in this order when this one has failed.', by([])),
  field('fallback', anything, 'The output when everything else has failed. `null` is a value.', {
    boxed: true,
  }),
];

export const policyShape: RecordShape = record('policy', ...policyFields, ...recoveryFields);
export const defaultsShape: RecordShape = record('defaults', ...policyFields);

/** Settings of a turn. */
export const turnFields: readonly Field[] = [
  field(
    'timeout_ms',
    either(duration, none),
    'The soft deadline: the turn returns what has finished by then. `null`: none.',
    by(turnDefaults.timeoutMs),
  ),
  field('concurrency', { ...count(1), infinite: true }, 'Concurrent calls. `none`: no limit.', by(turnDefaults.concurrency)),
  field(
    'on_deadline',
    choice('detach', 'abort'),
    'What happens to tools still running at the deadline: `detach` lets them finish in the background.',
    by(turnDefaults.onDeadline),
  ),
  field('max_retries', either(count(0), none), 'Retries of all calls of the turn. `null`: no limit.', by(turnDefaults.maxRetries)),
];

export const turnShape: RecordShape = record('turn', ...turnFields);
