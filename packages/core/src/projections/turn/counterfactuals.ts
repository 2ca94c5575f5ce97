/**
 * Owns what would have changed a decision, as far as it follows from its checks. Does not own wording. This is about the decision only: whether another
 * attempt would have succeeded is unknown.
 *
 * All checks of a strategy run, even after one has failed. So if all failed checks had passed, the strategy would have been chosen, provided it comes before
 * the one that was. Some checks depend on the value of an earlier one, and prove nothing if that one were different: they are `dependent`.
 */
import { checkShape } from '../../engine/settings/check.ts';
import type { DecisionInputs, Guard } from '../../engine/recover/decision.ts';
import { time } from './fields.ts';
import { type CheckedStrategy, groupByStrategy, guardName, isInapplicable } from './strategy-guards.ts';
import type { DecisionView } from './turn-view.ts';

/** One check that failed. */
export interface FailedCheck {
  /**
   * What would have to be different: the name of the check, without what follows a colon. `admitted` for a refusal, which no retry helps against; `not_a_probe`
   * where the attempt was a probe; `no_alternative` where the call did not wait because another tool was available; `rule_allows` for every recovery rule.
   */
  readonly condition: string;
  /** The check as recorded. */
  readonly guard: Guard;
  /** What the setting or the time left would have to exceed, in its own unit; undefined for a check without a limit. */
  readonly threshold: number | undefined;
}

/** A strategy that a decision ruled out, and what would have allowed it. */
export interface Counterfactual {
  /** The strategy that was ruled out. */
  readonly strategy: CheckedStrategy;
  /** The name of the alternative; '' for the other strategies. */
  readonly subject: string;
  /** The checks that would all have to pass. */
  readonly failed: readonly FailedCheck[];
  /** Checks that failed with the value of another failed check: time checks, made with the delay of an open circuit. */
  readonly dependent: readonly FailedCheck[];
}

/** The strategies that a decision ruled out, in their order. None if it was a retry, or if an advisor decided: the checks do not show its reasons. */
export function counterfactuals(view: DecisionView): readonly Counterfactual[] {
  checkShape({ decision: 'object', inputs: 'object' }, view, 'counterfactuals: decision');
  const { decision, decidedBy, inputs } = view;
  if (decision.action === 'retry' || decidedBy === 'handler') return [];
  return groupByStrategy(decision.guards).flatMap(({ strategy, subject, guards }) => {
    const all = guards.filter((guard) => guard.passed !== true).map((guard) => failedCheck(guard, inputs));
    if (all.length === 0 || isInapplicable(strategy, inputs)) return [];
    const circuitFailed = all.some(({ guard }) => guardName(guard) === 'circuit_closed');
    const isDependent = ({ condition }: FailedCheck): boolean => circuitFailed && timeChecks.has(condition);
    return [{ strategy, subject, failed: all.filter((check) => !isDependent(check)), dependent: all.filter(isDependent) }];
  });
}

const timeChecks: ReadonlySet<string> = new Set(['retry_time_left', 'turn_time_left']);

function failedCheck(guard: Guard, inputs: DecisionInputs): FailedCheck {
  const condition = conditionOf(guard, inputs);
  return { condition, guard, threshold: thresholdOf(condition, inputs) };
}

function conditionOf(guard: Guard, { failure, probe }: DecisionInputs): string {
  const name = guardName(guard);
  if (name.startsWith('rule_allows_')) return 'rule_allows';
  if (name === 'transient' && failure === 'refused') return 'admitted';
  if (name === 'circuit_closed' && probe === true) return 'not_a_probe';
  if (name === 'may_wait' && time(guard.value) < time(guard.limit)) return 'no_alternative';
  return name;
}

function thresholdOf(condition: string, inputs: DecisionInputs): number | undefined {
  switch (condition) {
    case 'attempts_left':
      return time(inputs.attempts) - time(inputs.probes);
    case 'retry_time_left':
      return Math.round(time(inputs.retryElapsedMs) + time(inputs.nextDelayMs));
    case 'turn_time_left':
      return time(inputs.nextDelayMs);
    case 'may_wait':
      return time(inputs.heldMs);
    default:
      return undefined;
  }
}
