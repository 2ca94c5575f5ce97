/** Owns why a failed attempt was not retried, read from the decision about it. */
import type { RecoveryDecided } from '../../engine/trace/events.ts';
import type { RetryDenial } from './metric-values.ts';

const denialByGuard: Readonly<Record<string, RetryDenial>> = {
  transient: 'not_transient',
  unknown_failures: 'unknown',
  circuit_closed: 'circuit_open',
  safe_to_repeat: 'unsafe',
  rule_allows_retry: 'policy',
  attempts_left: 'attempts',
  worth_retrying: 'evidence',
  retry_time_left: 'retry_time',
  turn_time_left: 'deadline',
  retry_budget_left: 'retry_budget',
  turn_retries_left: 'turn_budget',
};

/** A scheduled retry that admission refused. */
const denialByRefusal: Readonly<Record<string, RetryDenial>> = {
  'refused:circuit': 'circuit_open',
  'refused:probe_in_progress': 'circuit_open',
  'refused:forced_open': 'circuit_open',
  'refused:server_hint': 'rate_limit',
  'refused:limiter': 'rate_limit',
  'refused:bulkhead': 'concurrency',
  'refused:budget': 'retry_budget',
};

/** Returns why there is no retry; `undefined` when there was no attempt to retry, when it is retried, and when the decision preferred another strategy. */
export function retryDenialOf({ inputs, decision, decided_by }: RecoveryDecided): RetryDenial | undefined {
  if (decision.action === 'retry' || inputs.attempts === 0) return undefined;
  if (inputs.failure === 'refused') return denialByRefusal[inputs.rule] ?? 'not_transient';
  for (const { guard, passed } of decision.guards) {
    const denial = passed ? undefined : denialByGuard[guard];
    if (denial) return denial;
  }
  return decided_by === 'handler' ? 'handler' : undefined;
}
