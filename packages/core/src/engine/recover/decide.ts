/**
 * Owns the one decision function: what is done about a failure. Pure: all its facts are in `DecisionInputs`, its whole decision is in `Decision`.
 *
 * Invariants
 * 1. The same inputs give the same decision.
 * 2. Never `retry` for a permanent or neutral failure, except once for an unknown one of a tool that is declared `read` or `idempotent`; never past a limit, or for
 *    an ambiguous failure of an `unsafe` tool; never `use_alternative` for the latter either. Never `retry` against an open circuit or for a failed probe, except to wait at the gate where calls wait for recovery.
 * 3. Evidence may lower the attempts or move an alternative forward, never exceed a policy or a limit; the reason always names it.
 */
import type { Mutable } from '../plain/mutable.ts';
import { arrayRule, checkShape, type Fields } from '../settings/check.ts';
import { countedEffect } from '../settings/effect.ts';
import { byHealth, describeHealth } from './alternatives.ts';
import type { AlternativeOption, Decision, DecisionAction, DecisionInputs, Guard, StoppedBy, Strategy } from './decision.ts';
import { evidenceAgainstRetry, evidenceForAlternative } from './past-outcomes.ts';
import { preferredStrategy, ruleFor } from './recovery-rules.ts';
import { isHeldOpen, isShut, describeWait, waitsForRecovery, whyNotWait } from './wait-for-recovery.ts';

/** A strategy under consideration: allowed when all its checks have passed. */
class Option {
  readonly strategy: Strategy;
  readonly guards: Guard[] = [];
  /** Why it is not allowed: the first check that failed. */
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

  /** `otherwise` is called only when it is needed. */
  check(guard: string, passed: boolean, value: Guard['value'], otherwise: () => string, stops?: StoppedBy, limit?: Guard['limit']): void {
    this.guards.push(limit === undefined ? { guard, passed, value } : { guard, passed, value, limit });
    if (passed || this.closedBy !== undefined) return;
    this.closedBy = otherwise();
    this.stops = stops;
  }

  askRules({ recoveryRules }: DecisionInputs): void {
    const rule = recoveryRules.length === 0 ? undefined : ruleFor(recoveryRules, this.strategy);
    if (!rule) return;
    const otherwise = (): string => `Rule '${rule.rule}'${rule.reason ? `: ${rule.reason}` : ` denies ${this.strategy}`}`;
    this.check(`rule_allows_${this.strategy}`, rule.effect === 'allow', rule.rule, otherwise, 'policy');
  }
}

const inputLists: Fields = { category: 'string', alternatives: arrayRule, recoveryRules: arrayRule, evidence: arrayRule };

/** Decides about one failure (docs/specification.md#s0-6-1). @throws TypeError for inputs that cannot be read */
export function decide(inputs: DecisionInputs): Decision {
  checkShape(inputLists, inputs, 'decide: inputs');
  const retry = retryOption(inputs);
  const options = inFavouredOrder([partialOption(inputs), retry, ...alternativeOptions(inputs), defaultOption(inputs)], inputs);
  const guards: Guard[] = [];
  for (const option of options) {
    guards.push(...option.guards);
    if (option.open) return decisionFor(option, retry, inputs, guards);
  }
  const decision: Mutable<Decision> = { action: finalAction(inputs), reason: retry.closedBy ?? whyRetry(inputs), guards };
  if (retry.stops) decision.stoppedBy = retry.stops;
  return decision;
}

function decisionFor(option: Option, retry: Option, inputs: DecisionInputs, guards: readonly Guard[]): Decision {
  const decision: Mutable<Decision> = { action: option.strategy, reason: whyNow(option, retry, inputs), guards };
  if (option === retry) decision.delayMs = inputs.nextDelayMs;
  else if (retry.stops) decision.stoppedBy = retry.stops;
  if (option.alternative !== undefined) decision.alternative = option.alternative;
  return decision;
}

function whyRetry(inputs: DecisionInputs): string {
  if (inputs.unknownFailures !== undefined) return oneMoreTry;
  return `Transient error + ${waitsForRecovery(inputs) ? describeWait(inputs) : 'circuit closed'} + retries available`;
}

/** A required call that is lost is escalated; an optional one, and one that the caller itself ended, fails gracefully (docs/specification.md#s0-6-1). */
function finalAction(inputs: DecisionInputs): DecisionAction {
  return inputs.optional || wasCancelled(inputs) ? 'fail' : 'escalate';
}

/** The caller itself ended the call. */
function wasCancelled({ classification, failure }: DecisionInputs): boolean {
  return classification === 'neutral' && failure !== 'refused';
}

/** The action of a tool that counts as `unsafe` may have happened. */
export function mayHaveHappened(inputs: DecisionInputs): boolean {
  return inputs.ambiguous && countedEffect(inputs) === 'unsafe';
}

function retryOption(inputs: DecisionInputs): Option {
  const option = new Option('retry');
  // At the gate, waiting costs no budget, and an outage is survived by waiting, not by trying.
  const waits = waitsForRecovery(inputs);
  if (inputs.unknownFailures === undefined)
    option.check('transient', inputs.classification === 'transient', inputs.classification, () => permanence(inputs));
  else checkUnknown(option, inputs, inputs.unknownFailures);
  checkCircuit(option, inputs, waits);
  option.check('safe_to_repeat', !mayHaveHappened(inputs), inputs.effect ?? 'undeclared', () => unsafeReason(inputs), 'policy');
  option.askRules(inputs);
  checkAttempts(option, inputs);
  const evidence = waits ? undefined : evidenceAgainstRetry(inputs.evidence);
  if (evidence) option.check('worth_retrying', false, evidence.text, () => `Retries skipped: ${evidence.text}`, 'policy');
  checkTime(option, inputs, waits);
  const { retryBudgetLeft, turnRetriesLeft } = inputs;
  if (retryBudgetLeft !== undefined && !waits)
    option.check('retry_budget_left', retryBudgetLeft >= 1, retryBudgetLeft, () => 'Retry budget exhausted', 'budget', 1);
  if (turnRetriesLeft !== undefined && !waits)
    option.check('turn_retries_left', turnRetriesLeft >= 1, turnRetriesLeft, () => "The turn's retries are used up", 'budget', 1);
  return option;
}

/** A failure without evidence of its cause. */
function checkUnknown(option: Option, { effect }: DecisionInputs, failures: number): void {
  const isRepeatable = effect === 'read' || effect === 'idempotent';
  const limit = isRepeatable ? 2 : 1;
  const otherwise = (): string => (isRepeatable ? oneMoreTry : 'Unknown failure, retried only if read or idempotent is declared');
  option.check('unknown_failures', failures < limit, failures, otherwise, 'policy', limit);
}

function checkCircuit(option: Option, inputs: DecisionInputs, waits: boolean): void {
  const shut = isShut(inputs);
  const state = inputs.probe ? 'half_open probe' : inputs.circuit;
  const mayWaitMs = inputs.mayWaitMs === undefined ? undefined : Math.round(inputs.mayWaitMs);
  const otherwise = (): string =>
    (mayWaitMs === undefined ? undefined : whyNotWait(inputs)) ?? (inputs.probe ? 'Probe failed' : 'Circuit open');
  option.check('circuit_closed', !shut || waits, shut && waits ? 'may_wait' : state, otherwise, 'circuit', shut ? mayWaitMs : undefined);
  if (isHeldOpen(inputs))
    option.check(
      'may_wait',
      whyNotWait(inputs) === undefined,
      Math.round(inputs.heldMs ?? 0),
      () => whyNotWait(inputs) ?? '',
      'budget',
      mayWaitMs,
    );
}

function checkAttempts(option: Option, { attempts, probes = 0, maxAttempts }: DecisionInputs): void {
  const counted = attempts - probes;
  option.check(
    'attempts_left',
    counted < maxAttempts,
    counted,
    () => `Attempts exhausted (${counted} of ${maxAttempts})`,
    'attempts',
    maxAttempts,
  );
}

function checkTime(option: Option, inputs: DecisionInputs, waits: boolean): void {
  const { nextDelayMs, retryElapsedMs, maxTotalTimeMs, mayWaitMs, turnTimeLeftMs } = inputs;
  const startsAfter = Math.round(retryElapsedMs + nextDelayMs);
  // Calls that wait for recovery have until that wait would end, whatever error they failed with.
  const horizon = mayWaitMs !== undefined && (waits || nextDelayMs < mayWaitMs) ? Math.round(retryElapsedMs + mayWaitMs) : undefined;
  const limit = horizon !== undefined && horizon > maxTotalTimeMs ? horizon : maxTotalTimeMs;
  option.check(
    'retry_time_left',
    startsAfter < limit,
    startsAfter,
    () => `Retry time exhausted (next attempt at ${startsAfter} of ${limit} ms)`,
    'budget',
    limit,
  );
  if (turnTimeLeftMs !== undefined)
    option.check(
      'turn_time_left',
      nextDelayMs < turnTimeLeftMs,
      Math.round(nextDelayMs),
      () => 'No time left in the turn',
      'deadline',
      Math.round(turnTimeLeftMs),
    );
}

const oneMoreTry = 'Unknown failure, retried at most once';

function unsafeReason({ effect }: DecisionInputs): string {
  return effect === undefined ? 'The action may have happened, and no effect is declared' : 'The unsafe action may have happened';
}

const cancelledReason = (): string => 'Cancelled';

function permanence({ classification, failure }: DecisionInputs): string {
  if (classification === 'permanent') return 'Permanent error (no retry)';
  return failure === 'refused' ? 'Refused before it ran' : 'Cancelled';
}

function partialOption(inputs: DecisionInputs): Option {
  const { partialAvailable, acceptPartial, failure } = inputs;
  const option = new Option('accept_partial');
  option.check('timed_out', failure === 'timeout', failure, () => 'No timeout');
  option.check('partial_accepted', acceptPartial && partialAvailable, partialAvailable, () => 'No partial output');
  option.askRules(inputs);
  return option;
}

function alternativeOptions(inputs: DecisionInputs): readonly Option[] {
  if (inputs.alternatives.length === 0) return [];
  const favoured = evidenceForAlternative(inputs.evidence);
  return sortByPreference(byHealth(inputs.alternatives), favoured?.toolName).map(({ toolName, available, circuit }) => {
    const option = new Option('use_alternative', toolName);
    option.check('not_cancelled', !wasCancelled(inputs), inputs.classification, cancelledReason);
    option.check('safe_to_replace', !mayHaveHappened(inputs), inputs.effect ?? 'undeclared', () => unsafeReason(inputs));
    option.check(`alternative_available:${toolName}`, available, circuit, () => `Alternative ${toolName} not available`);
    option.askRules(inputs);
    return option;
  });
}

function sortByPreference(alternatives: readonly AlternativeOption[], favoured: string | undefined): readonly AlternativeOption[] {
  return favoured === undefined
    ? alternatives
    : alternatives.toSorted((a, b) => Number(b.toolName === favoured) - Number(a.toolName === favoured));
}

function defaultOption(inputs: DecisionInputs): Option {
  const option = new Option('use_default');
  option.check('fallback_declared', inputs.fallbackAvailable, inputs.fallbackAvailable, () => 'No fallback value');
  option.check('not_cancelled', !wasCancelled(inputs), inputs.classification, cancelledReason);
  option.askRules(inputs);
  return option;
}

/** A preferring rule, or strong evidence for an alternative, moves its strategy to the front. */
function inFavouredOrder(options: readonly Option[], inputs: DecisionInputs): readonly Option[] {
  const preferred =
    preferredStrategy(inputs.recoveryRules)?.strategy ?? (evidenceForAlternative(inputs.evidence) ? 'use_alternative' : undefined);
  return preferred === undefined
    ? options
    : options.toSorted((a, b) => Number(b.strategy === preferred) - Number(a.strategy === preferred));
}

function whyNow(option: Option, retry: Option, inputs: DecisionInputs): string {
  if (option === retry) return whyRetry(inputs);
  const reason = reasonOf(option, inputs);
  const preference = preferredStrategy(inputs.recoveryRules);
  const favour = evidenceForAlternative(inputs.evidence);
  if (preference && preference.strategy === option.strategy) return `Rule '${preference.rule}' prefers ${option.strategy}; ${reason}`;
  if (favour && option.alternative === favour.toolName) return `${favour.text}; ${reason}`;
  return option.strategy === 'accept_partial' ? reason : `${retry.closedBy ?? whyRetry(inputs)}; ${reason}`;
}

function reasonOf({ strategy, alternative = '' }: Option, { alternatives }: DecisionInputs): string {
  if (strategy === 'use_alternative') {
    const health = describeHealth(alternatives, alternative);
    return `alternative ${alternative} available${health === undefined ? '' : ` and ${health}`}`;
  }
  return strategy === 'use_default' ? 'fallback value used' : 'Partial output accepted';
}
