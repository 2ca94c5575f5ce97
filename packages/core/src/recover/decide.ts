/**
 * Owns the one decision function: what is done about a failure. Pure; everything it knows is in `DecisionInputs`, everything it says is in `Decision`.
 *
 * Invariants
 * 1. The same inputs give the same decision.
 * 2. Never `retry` for a permanent or neutral failure, against an open circuit, for a failed probe, past a limit, or for an ambiguous failure of an
 *    `unsafe` tool; never `use_alternative` for the latter either.
 * 3. Evidence may lower the attempts or bring an alternative forward, never exceed a policy or a limit; it always says so in the reason.
 */
import type { AlternativeOption, Decision, DecisionAction, DecisionInputs, Guard, StoppedBy, Strategy } from './decision.ts';
import { evidenceAgainstRetry, evidenceForAlternative } from './evidence.ts';
import { preferredStrategy, ruleFor } from './policies.ts';

interface Check extends Guard {
  /** Said when the check fails. */
  readonly otherwise: string;
  readonly stops?: StoppedBy;
}

interface Option {
  readonly action: DecisionAction;
  readonly strategy: Strategy;
  readonly checks: readonly Check[];
  readonly reason: string;
  readonly extra?: Partial<Decision>;
}

/** Decides about one failure (S0 6.1, S1 6.2). */
export function decide(inputs: DecisionInputs): Decision {
  const retry = retryOption(inputs);
  const options = inFavouredOrder([partialOption(inputs), retry, ...alternativeOptions(inputs), defaultOption(inputs)], inputs);
  const guards: Guard[] = [];
  for (const option of options) {
    const failed = option.checks.find((check) => !check.passed);
    guards.push(...option.checks.map(toGuard));
    if (!failed)
      return { action: option.action, reason: whyNow(option, retry, inputs), ...option.extra, ...stoppedBy(option, retry), guards };
  }
  return { action: lastResort(inputs), reason: whyNoRetry(retry), ...stoppedBy(undefined, retry), guards };
}

const toGuard = ({ guard, passed, value, limit }: Check): Guard => ({ guard, passed, value, ...(limit === undefined ? {} : { limit }) });

/** A required call that is lost is escalated; an optional one, and one that the caller itself ended, fails gracefully (S0 6.1). */
function lastResort(inputs: DecisionInputs): DecisionAction {
  const ended = inputs.classification === 'neutral' && inputs.failure !== 'refused';
  return inputs.optional || ended ? 'fail' : 'escalate';
}

function retryOption(inputs: DecisionInputs): Option {
  const evidence = evidenceAgainstRetry(inputs.evidence);
  const {
    attempts,
    max_attempts,
    next_delay_ms,
    retry_elapsed_ms,
    max_total_time_ms,
    turn_time_left_ms,
    retry_budget_left,
    turn_retries_left,
  } = inputs;
  const startsAfter = Math.round(retry_elapsed_ms + next_delay_ms);
  const checks: Check[] = [
    check('transient', inputs.classification === 'transient', inputs.classification, permanence(inputs)),
    check(
      'circuit_closed',
      circuitAllows(inputs),
      inputs.probe ? 'half_open probe' : inputs.circuit_breaker_state,
      inputs.probe ? 'Probe failed' : 'Circuit open',
      'circuit',
    ),
    check(
      'safe_to_repeat',
      !(inputs.ambiguous && inputs.effect === 'unsafe'),
      inputs.effect ?? 'undeclared',
      'The unsafe action may have happened',
      'policy',
    ),
    ...ruleChecks(inputs.policies, 'retry'),
    check(
      'attempts_left',
      attempts < max_attempts,
      attempts,
      `Attempts exhausted (${attempts} of ${max_attempts})`,
      'attempts',
      max_attempts,
    ),
    ...(evidence ? [check('worth_retrying', false, evidence.said, `Retries skipped: ${evidence.said}`, 'policy')] : []),
    check(
      'retry_time_left',
      startsAfter < max_total_time_ms,
      startsAfter,
      `Retry time exhausted (next attempt at ${startsAfter} of ${max_total_time_ms} ms)`,
      'budget',
      max_total_time_ms,
    ),
  ];
  if (turn_time_left_ms !== undefined) {
    checks.push(
      check(
        'turn_time_left',
        next_delay_ms < turn_time_left_ms,
        Math.round(next_delay_ms),
        'No time left in the turn',
        'deadline',
        Math.round(turn_time_left_ms),
      ),
    );
  }
  if (retry_budget_left !== undefined)
    checks.push(check('retry_budget_left', retry_budget_left >= 1, retry_budget_left, 'Retry budget exhausted', 'budget', 1));
  if (turn_retries_left !== undefined)
    checks.push(check('turn_retries_left', turn_retries_left >= 1, turn_retries_left, "The turn's retries are used up", 'budget', 1));
  return {
    action: 'retry',
    strategy: 'retry',
    checks,
    reason: 'Transient error + circuit closed + retries available',
    extra: { delay_ms: next_delay_ms },
  };
}

function circuitAllows({ probe, circuit_breaker_state }: DecisionInputs): boolean {
  return !probe && circuit_breaker_state !== 'open';
}

function permanence({ classification, failure }: DecisionInputs): string {
  if (classification === 'permanent') return 'Permanent error (no retry)';
  return failure === 'refused' ? 'Refused before it ran' : 'Cancelled';
}

function partialOption({ partial_available, accept_partial, failure, policies }: DecisionInputs): Option {
  return {
    action: 'accept_partial',
    strategy: 'accept_partial',
    checks: [
      check('timed_out', failure === 'timeout', failure, 'No timeout'),
      check('partial_accepted', accept_partial && partial_available, partial_available, 'No partial output'),
      ...ruleChecks(policies, 'accept_partial'),
    ],
    reason: 'Partial output accepted',
  };
}

function alternativeOptions(inputs: DecisionInputs): readonly Option[] {
  const favoured = evidenceForAlternative(inputs.evidence);
  return byFavour(inputs.alternatives, favoured?.tool_id).map(({ tool_id, available, circuit_breaker_state }) => ({
    action: 'use_alternative',
    strategy: 'use_alternative',
    checks: [
      check('not_cancelled', inputs.classification !== 'neutral' || inputs.failure === 'refused', inputs.classification, 'Cancelled'),
      check(
        'safe_to_replace',
        !(inputs.ambiguous && inputs.effect === 'unsafe'),
        inputs.effect ?? 'undeclared',
        'The unsafe action may have happened',
      ),
      check(`alternative_available:${tool_id}`, available, circuit_breaker_state, `Alternative ${tool_id} not available`),
      ...ruleChecks(inputs.policies, 'use_alternative'),
    ],
    reason: `alternative ${tool_id} available`,
    extra: { alternative: tool_id },
  }));
}

function byFavour(alternatives: readonly AlternativeOption[], favoured: string | undefined): readonly AlternativeOption[] {
  return favoured === undefined
    ? alternatives
    : alternatives.toSorted((a, b) => Number(b.tool_id === favoured) - Number(a.tool_id === favoured));
}

function defaultOption({ fallback_available, classification, failure, policies }: DecisionInputs): Option {
  return {
    action: 'use_default',
    strategy: 'use_default',
    checks: [
      check('fallback_declared', fallback_available, fallback_available, 'No fallback value'),
      check('not_cancelled', classification !== 'neutral' || failure === 'refused', classification, 'Cancelled'),
      ...ruleChecks(policies, 'use_default'),
    ],
    reason: 'fallback value used',
  };
}

/** A preferring rule, or strong evidence for an alternative, moves its strategy to the front. */
function inFavouredOrder(options: readonly Option[], inputs: DecisionInputs): readonly Option[] {
  const preferred =
    preferredStrategy(inputs.policies)?.strategy ?? (evidenceForAlternative(inputs.evidence) ? 'use_alternative' : undefined);
  return preferred === undefined
    ? options
    : options.toSorted((a, b) => Number(b.strategy === preferred) - Number(a.strategy === preferred));
}

function ruleChecks(policies: DecisionInputs['policies'], strategy: Strategy): readonly Check[] {
  const rule = ruleFor(policies, strategy);
  if (!rule) return [];
  const said = `Policy '${rule.rule}'${rule.reason ? `: ${rule.reason}` : ` denies ${strategy}`}`;
  return [check(`policy_allows_${strategy}`, rule.effect === 'allow', rule.rule, said, 'policy')];
}

function check(guard: string, passed: boolean, value: Guard['value'], otherwise: string, stops?: StoppedBy, limit?: Guard['limit']): Check {
  return { guard, passed, value, otherwise, ...(stops ? { stops } : {}), ...(limit === undefined ? {} : { limit }) };
}

/** Why no retry: the first failed check of the retry option. */
function whyNoRetry(retry: Option): string {
  return retry.checks.find(({ passed }) => !passed)?.otherwise ?? retry.reason;
}

function whyNow(option: Option, retry: Option, inputs: DecisionInputs): string {
  if (option.action === 'retry') return option.reason;
  const preference = preferredStrategy(inputs.policies);
  const favour = evidenceForAlternative(inputs.evidence);
  if (preference && preference.strategy === option.strategy)
    return `Policy '${preference.rule}' prefers ${option.strategy}; ${option.reason}`;
  if (favour && option.extra?.alternative === favour.tool_id) return `${favour.said}; ${option.reason}`;
  return option.action === 'accept_partial' ? option.reason : `${whyNoRetry(retry)}; ${option.reason}`;
}

function stoppedBy(option: Option | undefined, retry: Option): { readonly stopped_by?: StoppedBy } {
  if (option?.action === 'retry') return {};
  const stops = retry.checks.find(({ passed }) => !passed)?.stops;
  return stops ? { stopped_by: stops } : {};
}
