/** Owns what the Error Handler learns about a failed attempt: the facts of its call, its tool and the turn. Does not own the decision. */
import { backoffDelayMs } from '../backoff/backoff.ts';
import { drawAt } from '../backoff/random.ts';
import { waitMs } from '../breaker/wait.ts';
import type { Mutable } from '../plain/mutable.ts';
import type { DecisionFacts } from '../recover/error-handler.ts';
import type { Fault } from './fault.ts';
import { turnLeftMs } from './open-attempts.ts';
import type { Assessment } from './protocol.ts';
import { waitLeftMs } from './remaining-wait.ts';
import type { CallState, PendingFailure, Step } from './state.ts';
import { isReported } from './unknown-failure.ts';

/** Everything that the decision about a failure may depend on. */
export function gatherFacts({ state, now }: Step, { fault, attempt, circuit }: PendingFailure, assessment: Assessment): DecisionFacts {
  const { target, spec } = state;
  const { settings } = target;
  const { classification, category, rule, ambiguous } = fault.classification;
  const { failures, heldMs, usualMs } = assessment;
  const retryAfterMs = ownWaitMs(target, fault, now);
  const hint = retryAfterMs ?? assessment.retryAfterMs;
  // A call waits in full for the Retry-After that it received itself, however long the gate holds others. Where calls wait at the gate, the rest is the gate's.
  const minDelayMs = retryAfterMs ?? (usualMs === undefined ? assessment.retryAfterMs : undefined);
  const isReportedFailure = isReported(fault, settings);
  const facts: Mutable<DecisionFacts> = {
    turnId: spec.turnId,
    toolName: target.toolName,
    classification,
    category,
    rule,
    failure: fault.kind === 'timeout' ? 'timeout' : fault.kind === 'refused' ? 'refused' : 'error',
    ambiguous,
    circuit,
    probe: attempt?.permit.probe ?? false,
    attempts: target.attempts,
    maxAttempts: settings.retry.maxAttempts,
    retryCount: Math.max(target.attempts - 1, 0),
    nextDelayMs: classification === 'transient' || isReportedFailure ? nextDelayMs(state, minDelayMs) : 0,
    retryElapsedMs: target.firstFailureAt === undefined ? 0 : now - target.firstFailureAt,
    maxTotalTimeMs: settings.retry.maxTotalTimeMs,
    alternatives: unusedAlternatives(state, assessment),
    partialAvailable: attempt?.partial !== undefined,
    acceptPartial: settings.acceptPartial,
    fallbackAvailable: fallbackOf(state) !== undefined,
    optional: spec.optional,
  };
  if (settings.effect) facts.effect = settings.effect;
  else if (settings.assumedEffect) facts.assumedEffect = settings.assumedEffect;
  if (isReportedFailure) facts.unknownFailures = target.unknownFailures;
  if (hint !== undefined) facts.retryAfterMs = hint;
  const turnLeft = turnLeftMs(spec, now);
  if (turnLeft !== undefined) facts.turnTimeLeftMs = turnLeft;
  if (settings.waitForRecovery && usualMs !== undefined) {
    const { maxWaitMs } = settings.waitForRecovery;
    facts.probes = target.probes;
    facts.mayWaitMs = Math.max(waitLeftMs({ ageMs: now - state.startedAt, turnLeftMs: turnLeft, maxWaitMs, usualMs, failures }), 0);
  }
  if (heldMs !== undefined) facts.heldMs = heldMs;
  if (assessment.retryBudgetLeft !== undefined) facts.retryBudgetLeft = assessment.retryBudgetLeft;
  if (spec.allowance.left !== null) facts.turnRetriesLeft = spec.allowance.left;
  return facts;
}

/** The wait that a server asked for in answer to this attempt, or to an earlier one, such as the first of a hedged pair. */
export function ownWaitMs({ retryAfterUntil }: CallState['target'], { classification }: Fault, now: number): number | undefined {
  const { retryAfterMs } = classification;
  const leftMs = now < retryAfterUntil ? waitMs(retryAfterUntil, now) : 0;
  return leftMs > (retryAfterMs ?? 0) ? leftMs : retryAfterMs;
}

function nextDelayMs({ target, spec, attempts }: CallState, retryAfterMs: number | undefined): number {
  return backoffDelayMs({
    settings: target.settings.retry,
    retry: Math.max(target.attempts, 1),
    random: drawAt(spec.seed, spec.turnId, spec.callKey, String(attempts + 1)),
    previousDelayMs: target.previousDelayMs,
    retryAfterMs,
  });
}

/** The alternatives that this call has not tried. */
export function unusedAlternatives({ spec, usedAlternatives }: CallState, { alternatives }: Assessment): Assessment['alternatives'] {
  if (alternatives.length === 0) return alternatives;
  return alternatives.filter(({ toolName }) => toolName !== spec.toolName && !usedAlternatives.includes(toolName));
}

/** The fallback of the requested tool covers its alternatives too. */
export function fallbackOf(state: CallState): { readonly value: unknown } | undefined {
  return state.spec.settingsOf(state.spec.toolName)?.fallback;
}
