/**
 * Owns the one decision function: what is done about a failure. Pure; everything it knows is in `DecisionInputs`, everything it says is in `Decision`.
 *
 * Invariants
 * 1. The same inputs give the same decision.
 * 2. Never `retry` for a permanent or neutral failure, against an open circuit, for a failed probe, past a limit, or for an ambiguous failure of an
 *    `unsafe` tool; never `use_alternative` for the latter either.
 * 3. Evidence may lower the attempts or bring an alternative forward, never exceed a policy or a limit; it always says so in the reason.
 */
import type { Mutable } from '../mutable.ts';
import type { AlternativeOption, Decision, DecisionAction, DecisionInputs, Guard, StoppedBy, Strategy } from './decision.ts';
import { evidenceAgainstRetry, evidenceForAlternative } from './evidence.ts';
import { preferredStrategy, ruleFor } from './policies.ts';

/** A way on that may be taken: open when all its checks have passed. */
class Option {
  readonly strategy: Strategy;
  readonly guards: Guard[] = [];
  /** Why it may not be taken: the first check that failed. */
  closedBy: string | undefined;
  stops: StoppedBy | undefined;
  readonly alternative: string | undefined;

  constructor(strategy: Strategy, alternative?: string) {
    this.strategy = strategy;
    this.alternative = alternative;
  }

  get open(): boolean {
    return this.closedBy === undefined;
  }

  /** `otherwise` is asked for only when it is to be said. */
  check(guard: string, passed: boolean, value: Guard['value'], otherwise: () => string, stops?: StoppedBy, limit?: Guard['limit']): void {
    this.guards.push(limit === undefined ? { guard, passed, value } : { guard, passed, value, limit });
    if (passed || this.closedBy !== undefined) return;
    this.closedBy = otherwise();
    this.stops = stops;
  }

  askRules({ policies }: DecisionInputs): void {
    const rule = policies.length === 0 ? undefined : ruleFor(policies, this.strategy);
    if (!rule) return;
    const otherwise = (): string => `Policy '${rule.rule}'${rule.reason ? `: ${rule.reason}` : ` denies ${this.strategy}`}`;
    this.check(`policy_allows_${this.strategy}`, rule.effect === 'allow', rule.rule, otherwise, 'policy');
  }
}

/** Decides about one failure (S0 6.1). */
export function decide(inputs: DecisionInputs): Decision {
  const retry = retryOption(inputs);
  const options = inFavouredOrder([partialOption(inputs), retry, ...alternativeOptions(inputs), defaultOption(inputs)], inputs);
  const guards: Guard[] = [];
  for (const option of options) {
    guards.push(...option.guards);
    if (option.open) return decisionFor(option, retry, inputs, guards);
  }
  const decision: Mutable<Decision> = { action: lastResort(inputs), reason: retry.closedBy ?? retryReason, guards };
  if (retry.stops) decision.stopped_by = retry.stops;
  return decision;
}

function decisionFor(option: Option, retry: Option, inputs: DecisionInputs, guards: readonly Guard[]): Decision {
  const decision: Mutable<Decision> = { action: option.strategy, reason: whyNow(option, retry, inputs), guards };
  if (option === retry) decision.delay_ms = inputs.next_delay_ms;
  else if (retry.stops) decision.stopped_by = retry.stops;
  if (option.alternative !== undefined) decision.alternative = option.alternative;
  return decision;
}

const retryReason = 'Transient error + circuit closed + retries available';

/** A required call that is lost is escalated; an optional one, and one that the caller itself ended, fails gracefully (S0 6.1). */
function lastResort(inputs: DecisionInputs): DecisionAction {
  return inputs.optional || wasCancelled(inputs) ? 'fail' : 'escalate';
}

/** The caller itself ended it. */
function wasCancelled({ classification, failure }: DecisionInputs): boolean {
  return classification === 'neutral' && failure !== 'refused';
}

/** The action of an `unsafe` tool may have happened. */
function mayHaveHappened({ ambiguous, effect }: DecisionInputs): boolean {
  return ambiguous && effect === 'unsafe';
}

function retryOption(inputs: DecisionInputs): Option {
  const option = new Option('retry');
  const { attempts, max_attempts, next_delay_ms, max_total_time_ms, turn_time_left_ms, retry_budget_left, turn_retries_left } = inputs;
  const startsAfter = Math.round(inputs.retry_elapsed_ms + next_delay_ms);
  option.check('transient', inputs.classification === 'transient', inputs.classification, () => permanence(inputs));
  option.check(
    'circuit_closed',
    !inputs.probe && inputs.circuit_breaker_state !== 'open',
    inputs.probe ? 'half_open probe' : inputs.circuit_breaker_state,
    () => (inputs.probe ? 'Probe failed' : 'Circuit open'),
    'circuit',
  );
  option.check('safe_to_repeat', !mayHaveHappened(inputs), inputs.effect ?? 'undeclared', sayUnsafe, 'policy');
  option.askRules(inputs);
  option.check(
    'attempts_left',
    attempts < max_attempts,
    attempts,
    () => `Attempts exhausted (${attempts} of ${max_attempts})`,
    'attempts',
    max_attempts,
  );
  const evidence = evidenceAgainstRetry(inputs.evidence);
  if (evidence) option.check('worth_retrying', false, evidence.said, () => `Retries skipped: ${evidence.said}`, 'policy');
  option.check(
    'retry_time_left',
    startsAfter < max_total_time_ms,
    startsAfter,
    () => `Retry time exhausted (next attempt at ${startsAfter} of ${max_total_time_ms} ms)`,
    'budget',
    max_total_time_ms,
  );
  if (turn_time_left_ms !== undefined)
    option.check(
      'turn_time_left',
      next_delay_ms < turn_time_left_ms,
      Math.round(next_delay_ms),
      () => 'No time left in the turn',
      'deadline',
      Math.round(turn_time_left_ms),
    );
  if (retry_budget_left !== undefined)
    option.check('retry_budget_left', retry_budget_left >= 1, retry_budget_left, () => 'Retry budget exhausted', 'budget', 1);
  if (turn_retries_left !== undefined)
    option.check('turn_retries_left', turn_retries_left >= 1, turn_retries_left, () => "The turn's retries are used up", 'budget', 1);
  return option;
}

const sayUnsafe = (): string => 'The unsafe action may have happened';
const sayCancelled = (): string => 'Cancelled';

function permanence({ classification, failure }: DecisionInputs): string {
  if (classification === 'permanent') return 'Permanent error (no retry)';
  return failure === 'refused' ? 'Refused before it ran' : 'Cancelled';
}

function partialOption(inputs: DecisionInputs): Option {
  const { partial_available, accept_partial, failure } = inputs;
  const option = new Option('accept_partial');
  option.check('timed_out', failure === 'timeout', failure, () => 'No timeout');
  option.check('partial_accepted', accept_partial && partial_available, partial_available, () => 'No partial output');
  option.askRules(inputs);
  return option;
}

function alternativeOptions(inputs: DecisionInputs): readonly Option[] {
  if (inputs.alternatives.length === 0) return [];
  const favoured = evidenceForAlternative(inputs.evidence);
  return byFavour(inputs.alternatives, favoured?.tool_id).map(({ tool_id, available, circuit_breaker_state }) => {
    const option = new Option('use_alternative', tool_id);
    option.check('not_cancelled', !wasCancelled(inputs), inputs.classification, sayCancelled);
    option.check('safe_to_replace', !mayHaveHappened(inputs), inputs.effect ?? 'undeclared', sayUnsafe);
    option.check(`alternative_available:${tool_id}`, available, circuit_breaker_state, () => `Alternative ${tool_id} not available`);
    option.askRules(inputs);
    return option;
  });
}

function byFavour(alternatives: readonly AlternativeOption[], favoured: string | undefined): readonly AlternativeOption[] {
  return favoured === undefined
    ? alternatives
    : alternatives.toSorted((a, b) => Number(b.tool_id === favoured) - Number(a.tool_id === favoured));
}

function defaultOption(inputs: DecisionInputs): Option {
  const option = new Option('use_default');
  option.check('fallback_declared', inputs.fallback_available, inputs.fallback_available, () => 'No fallback value');
  option.check('not_cancelled', !wasCancelled(inputs), inputs.classification, sayCancelled);
  option.askRules(inputs);
  return option;
}

/** A preferring rule, or strong evidence for an alternative, moves its strategy to the front. */
function inFavouredOrder(options: readonly Option[], inputs: DecisionInputs): readonly Option[] {
  const preferred =
    preferredStrategy(inputs.policies)?.strategy ?? (evidenceForAlternative(inputs.evidence) ? 'use_alternative' : undefined);
  return preferred === undefined
    ? options
    : options.toSorted((a, b) => Number(b.strategy === preferred) - Number(a.strategy === preferred));
}

function whyNow(option: Option, retry: Option, inputs: DecisionInputs): string {
  if (option === retry) return retryReason;
  const reason = reasonOf(option);
  const preference = preferredStrategy(inputs.policies);
  const favour = evidenceForAlternative(inputs.evidence);
  if (preference && preference.strategy === option.strategy) return `Policy '${preference.rule}' prefers ${option.strategy}; ${reason}`;
  if (favour && option.alternative === favour.tool_id) return `${favour.said}; ${reason}`;
  return option.strategy === 'accept_partial' ? reason : `${retry.closedBy ?? retryReason}; ${reason}`;
}

function reasonOf({ strategy, alternative }: Option): string {
  if (strategy === 'use_alternative') return `alternative ${alternative} available`;
  return strategy === 'use_default' ? 'fallback value used' : 'Partial output accepted';
}
