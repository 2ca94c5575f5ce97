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

const { tool: defaults, turn: turnDefaults } = profiles.spec;
const breaker = defaults.breaker === false ? undefined : defaults.breaker;

const delay: NumberShape = { kind: 'number', minimum: 0, unit: 'milliseconds' };
const cap: NumberShape = { ...delay, infinite: true };
const duration: NumberShape = { ...milliseconds, infinite: true };
const percent: NumberShape = { kind: 'number', minimum: 0, maximum: 100, unit: 'percent' };

const by = (standard: unknown, options: FieldOptions = {}): FieldOptions => ({ default: standard, ...options });
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
  field('max_delay_ms', cap, 'No delay is longer, before jitter.', by(defaults.retry.maxDelayMs)),
  field(
    'multiplier',
    { kind: 'number', minimum: 1 },
    'For `exponential_backoff`: each delay is this many times the one before.',
    by(defaults.retry.multiplier),
  ),
  field('step_ms', delay, 'For `linear_backoff`: added to each delay.', by(defaults.retry.stepMs)),
  field(
    'jitter',
    choice('proportional', 'full', 'equal', 'decorrelated', 'none'),
    'How a delay is spread: `proportional` by ± `jitter_percent`, `full` from 0 to the delay, `equal` from half of it to all of it, `decorrelated` from the initial delay to three times the previous one.',
    by(defaults.retry.jitter),
  ),
  field('jitter_percent', percent, 'For `proportional` jitter.', by(defaults.retry.jitterPercent)),
  field('max_attempts', count(1), 'All attempts, the first included.', by(defaults.retry.maxAttempts)),
  field('max_total_time_ms', cap, 'From the first failure to the start of the last retry.', by(defaults.retry.maxTotalTimeMs)),
);

const rate: RecordShape = record(
  'rate',
  field('window_ms', milliseconds, 'The length of the window.', required),
  field('minimum_calls', count(1), 'No verdict below this number of calls in the window.', required),
  field('failure_rate', share, 'Opens at this share of failed calls.', required),
  field('slow_call_ms', milliseconds, 'A call this long or longer is slow. Goes together with `slow_call_rate`.'),
  field('slow_call_rate', share, 'Opens at this share of slow calls. Goes together with `slow_call_ms`.'),
);

const circuitBreaker: RecordShape = record(
  'circuit_breaker',
  field('failure_threshold', count(1), 'Consecutive transient failures that open the circuit.', by(breaker?.failureThreshold)),
  field('success_threshold', count(1), 'Consecutive successful probes that close it.', by(breaker?.successThreshold)),
  field(
    'open_ms',
    milliseconds,
    'How long it stays open before a probe is let through.',
    by(breaker?.openMs, { otherNames: ['timeout_ms', 'reset_timeout_ms'] }),
  ),
  field(
    'count',
    choice('attempt', 'call'),
    'What counts as one failure: every attempt, or a call that finally failed.',
    by(breaker?.count),
  ),
  field(
    'probe_lease_ms',
    milliseconds,
    "A probe that has not answered by then has failed. Keep it above the tool's timeout.",
    by(breaker?.probeLeaseMs),
  ),
  field(
    'permanent_probe_limit',
    count(1),
    'Probes in a row answered with a permanent error that close it: the service is there.',
    by(breaker?.permanentProbeLimit),
  ),
  field('rate', rate, 'A second detector: the share of failed or slow calls over a time window.'),
  field(
    'false_alarm_rate',
    { kind: 'number', above: 0, maximum: 0.999 },
    'Failures in a row open the circuit only when chance would bring them with this probability at most, by the share of failures that is usual for the tool.',
  ),
  field('longest_run', count(1), 'With `false_alarm_rate`: so many failures in a row open it whatever is usual.', by(30)),
  field(
    'open_growth',
    { kind: 'number', minimum: 1 },
    'Each opening after a failed probe lasts this many times as long as the one before.',
    by(1),
  ),
  field('max_open_ms', milliseconds, 'With `open_growth`: openings grow no longer; the first lasts `open_ms` all the same.', by(10_000)),
  field('probes', count(1), 'Probes that may be out at once, each started when those before are slow to answer.', by(1)),
);

const adaptiveLimit: RecordShape = record(
  'adaptive',
  field('initial_limit', count(1), 'Where it begins.', by(1_000)),
  field('min_limit', count(1), 'It never falls below.', by(2)),
  field('max_limit', count(1), 'It never rises above.', by(1_000)),
);

const concurrency: RecordShape = record(
  'concurrency',
  field('limit', { ...count(1), infinite: true }, 'Calls that may run at once. `.inf`: no limit but the learned one.', required),
  field('queue', { ...count(0), infinite: true }, 'Calls that may wait for a slot; further ones are refused.', by(Infinity)),
  field(
    'order',
    choice('in_order', 'fresh_first'),
    'Who is served first of those who wait: the first to come, or the newest of those younger than about two seconds, and then anyone who has to give up first.',
    by('in_order'),
  ),
  field('adaptive', either(off, adaptiveLimit), 'A limit below `limit` that is learned from how the tool answers.', by(false)),
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
  field('of', choice('calls', 'successes'), 'What earns retries: every first attempt, or only what succeeded.', by('calls')),
);

const waitForRecovery: RecordShape = record(
  'wait_for_recovery',
  field('max_wait_ms', cap, 'From the start of the call; never so long that no time is left in the turn for an attempt.', by(60_000)),
);

const hedge: RecordShape = record(
  'hedge',
  field(
    'after_ms',
    either(duration, choice('p95')),
    "The second attempt starts when the first takes longer than this; `p95` learns it from the tool's own durations.",
    by('p95'),
  ),
  field('max_hedges', count(1), 'Attempts beside the first.', by(1)),
);

/** Settings of `defaults`, of a tool and of a call's `policy`. */
export const policyFields: readonly Field[] = [
  field(
    'timeout_ms',
    duration,
    'One attempt may take this long; then it is ended and counts as a transient failure.',
    by(defaults.timeoutMs),
  ),
  field('retry_policy', retryPolicy, 'When and how often a transient failure is tried again.', { property: 'retry' }),
  field('circuit_breaker', either(off, circuitBreaker), 'When a failing tool is left alone. `false`: never.', {
    property: 'breaker',
  }),
  field('concurrency', either(off, concurrency), 'How many calls may run at once. `false`: any number.', by(defaults.concurrency)),
  field('rate_limit', either(off, rateLimit), 'How many calls may start in a window. `false`: any number.', by(defaults.rateLimit)),
  field(
    'retry_budget',
    either(off, retryBudget),
    'Caps retries to a share of the calls, so that retries never multiply an outage.',
    by(defaults.retryBudget),
  ),
  field('hedge', either(off, hedge), 'A second attempt of a slow `read` tool beside the first; the first answer wins.', by(defaults.hedge)),
  field(
    'wait_for_recovery',
    either(off, waitForRecovery),
    "While the circuit is open, a server's Retry-After runs or no slot is free, calls wait instead of being refused; not where an alternative is available.",
    by(false),
  ),
  field(
    'effect',
    choice('read', 'idempotent', 'unsafe'),
    'What the tool does to the world. After an ambiguous failure an `unsafe` tool is neither retried nor replaced.',
  ),
  field('accept_partial', boolean, 'A timeout delivers what the tool had reported so far, marked as partial.', by(defaults.acceptPartial)),
  field('abandon_ms', cap, 'Work that ignored its time limit keeps its slot at most this much longer.', by(defaults.abandonMs)),
  field(
    'max_output_chars',
    { kind: 'number', minimum: 1, unit: 'characters', infinite: true },
    'Larger outputs are cut and marked.',
    by(defaults.maxOutputChars),
  ),
];

/** Settings of one tool or one call only. */
export const recoveryFields: readonly Field[] = [
  field('alternatives', list(identifier), 'Tools that are tried, in this order, when this one has finally failed.', by([])),
  field('fallback', anything, 'What stands in for the output when nothing else helped. Present, even as `null`, it counts.', {
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
    'The soft deadline: what has finished by then is collected. `null`: none.',
    by(turnDefaults.timeoutMs),
  ),
  field('concurrency', { ...count(1), infinite: true }, 'Calls that run at once.', by(turnDefaults.concurrency)),
  field(
    'on_deadline',
    choice('detach', 'abort'),
    'What happens to tools still running at the deadline: `detach` lets them finish in the background.',
    by(turnDefaults.onDeadline),
  ),
  field('max_retries', either(count(0), none), 'Retries of all calls of the turn together. `null`: no cap.', by(turnDefaults.maxRetries)),
];

export const turnShape: RecordShape = record('turn', ...turnFields);
