/**
 * Owns the conversion between a decision in code (camelCase) and in the trace (snake_case).
 *
 * Invariant: reading a record back gives the same inputs and the same decision.
 */
import type { Mutable } from '../plain/mutable.ts';
import type { RecordedAlternative, RecordedDecision, RecordedDecisionInputs, RecordedEvidence } from '../trace/events/decision.ts';
import type { AlternativeOption, Decision, DecisionInputs, StrategyEvidence } from './decision.ts';

/** `inputs` as a record. Fields that are absent stay absent. */
export function recordInputs(inputs: DecisionInputs): RecordedDecisionInputs {
  const record: Mutable<RecordedDecisionInputs> = {
    turn_id: inputs.turnId,
    tool_id: inputs.toolName,
    classification: inputs.classification,
    category: inputs.category,
    rule: inputs.rule,
    failure: inputs.failure,
    ambiguous: inputs.ambiguous,
    circuit_breaker_state: inputs.circuit,
    probe: inputs.probe,
    attempts: inputs.attempts,
    max_attempts: inputs.maxAttempts,
    retry_count: inputs.retryCount,
    next_delay_ms: inputs.nextDelayMs,
    retry_elapsed_ms: inputs.retryElapsedMs,
    max_total_time_ms: inputs.maxTotalTimeMs,
    alternatives: inputs.alternatives.length === 0 ? none : inputs.alternatives.map(recordAlternative),
    partial_available: inputs.partialAvailable,
    accept_partial: inputs.acceptPartial,
    fallback_available: inputs.fallbackAvailable,
    optional: inputs.optional,
    recovery_rules: inputs.recoveryRules,
    evidence: inputs.evidence.length === 0 ? none : inputs.evidence.map(recordEvidence),
  };
  if (inputs.effect !== undefined) record.effect = inputs.effect;
  if (inputs.assumedEffect !== undefined) record.assumed_effect = inputs.assumedEffect;
  if (inputs.unknownFailures !== undefined) record.unknown_failures = inputs.unknownFailures;
  if (inputs.retryAfterMs !== undefined) record.retry_after_ms = inputs.retryAfterMs;
  if (inputs.turnTimeLeftMs !== undefined) record.turn_time_left_ms = inputs.turnTimeLeftMs;
  if (inputs.probes !== undefined) record.probes = inputs.probes;
  if (inputs.mayWaitMs !== undefined) record.may_wait_ms = inputs.mayWaitMs;
  if (inputs.heldMs !== undefined) record.held_ms = inputs.heldMs;
  if (inputs.retryBudgetLeft !== undefined) record.retry_budget_left = inputs.retryBudgetLeft;
  if (inputs.turnRetriesLeft !== undefined) record.turn_retries_left = inputs.turnRetriesLeft;
  return record;
}

/** Reads back what `recordInputs` wrote. Records may come from a file: anything but a list is read as an empty list. */
export function readInputs(record: RecordedDecisionInputs): DecisionInputs {
  const inputs: Mutable<DecisionInputs> = {
    turnId: record.turn_id,
    toolName: record.tool_id,
    classification: record.classification,
    category: record.category,
    rule: record.rule,
    failure: record.failure,
    ambiguous: record.ambiguous,
    circuit: record.circuit_breaker_state,
    probe: record.probe,
    attempts: record.attempts,
    maxAttempts: record.max_attempts,
    retryCount: record.retry_count,
    nextDelayMs: record.next_delay_ms,
    retryElapsedMs: record.retry_elapsed_ms,
    maxTotalTimeMs: record.max_total_time_ms,
    alternatives: objectsIn(record.alternatives).map(readAlternative),
    partialAvailable: record.partial_available,
    acceptPartial: record.accept_partial,
    fallbackAvailable: record.fallback_available,
    optional: record.optional,
    recoveryRules: record.recovery_rules,
    evidence: objectsIn(record.evidence).map(readEvidence),
  };
  if (record.effect !== undefined) inputs.effect = record.effect;
  if (record.assumed_effect !== undefined) inputs.assumedEffect = record.assumed_effect;
  if (record.unknown_failures !== undefined) inputs.unknownFailures = record.unknown_failures;
  if (record.retry_after_ms !== undefined) inputs.retryAfterMs = record.retry_after_ms;
  if (record.turn_time_left_ms !== undefined) inputs.turnTimeLeftMs = record.turn_time_left_ms;
  if (record.probes !== undefined) inputs.probes = record.probes;
  if (record.may_wait_ms !== undefined) inputs.mayWaitMs = record.may_wait_ms;
  if (record.held_ms !== undefined) inputs.heldMs = record.held_ms;
  if (record.retry_budget_left !== undefined) inputs.retryBudgetLeft = record.retry_budget_left;
  if (record.turn_retries_left !== undefined) inputs.turnRetriesLeft = record.turn_retries_left;
  return inputs;
}

/** `decision` as a record. */
export function recordDecision(decision: Decision): RecordedDecision {
  const { action, reason, delayMs, alternative, stoppedBy, guards } = decision;
  const record: Mutable<RecordedDecision> = { action, reason, guards };
  if (delayMs !== undefined) record.delay_ms = delayMs;
  if (alternative !== undefined) record.alternative = alternative;
  if (stoppedBy !== undefined) record.stopped_by = stoppedBy;
  return record;
}

/** Reads back what `recordDecision` wrote. */
export function readDecision(record: RecordedDecision): Decision {
  const { action, reason, delay_ms, alternative, stopped_by, guards } = record;
  const decision: Mutable<Decision> = { action, reason, guards };
  if (delay_ms !== undefined) decision.delayMs = delay_ms;
  if (alternative !== undefined) decision.alternative = alternative;
  if (stopped_by !== undefined) decision.stoppedBy = stopped_by;
  return decision;
}

const none: readonly never[] = [];

function objectsIn<Item>(list: readonly Item[]): readonly Item[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : none;
}

function recordAlternative({ toolName, circuit, available, heldMs, failureShare, latencyMs }: AlternativeOption): RecordedAlternative {
  const record: Mutable<RecordedAlternative> = { tool_id: toolName, circuit_breaker_state: circuit, available };
  if (heldMs !== undefined) record.held_ms = heldMs;
  if (failureShare !== undefined) record.failure_share = failureShare;
  if (latencyMs !== undefined) record.latency_ms = latencyMs;
  return record;
}

function readAlternative({
  tool_id,
  circuit_breaker_state,
  available,
  held_ms,
  failure_share,
  latency_ms,
}: RecordedAlternative): AlternativeOption {
  const option: Mutable<AlternativeOption> = { toolName: tool_id, circuit: circuit_breaker_state, available };
  if (held_ms !== undefined) option.heldMs = held_ms;
  if (failure_share !== undefined) option.failureShare = failure_share;
  if (latency_ms !== undefined) option.latencyMs = latency_ms;
  return option;
}

function recordEvidence({ strategy, tried, succeeded, withheld, toolName }: StrategyEvidence): RecordedEvidence {
  const record: Mutable<RecordedEvidence> = { strategy, tried, succeeded };
  if (withheld !== undefined) record.withheld = withheld;
  if (toolName !== undefined) record.tool_id = toolName;
  return record;
}

function readEvidence({ strategy, tried, succeeded, withheld, tool_id }: RecordedEvidence): StrategyEvidence {
  const evidence: Mutable<StrategyEvidence> = { strategy, tried, succeeded };
  if (withheld !== undefined) evidence.withheld = withheld;
  if (tool_id !== undefined) evidence.toolName = tool_id;
  return evidence;
}
