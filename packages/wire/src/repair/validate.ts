/**
 * Owns checking whether a provider would accept a request: everything a repair would change is a problem.
 */
import type { RuleViolation } from '../report.ts';
import { ruleOf } from '../rules.ts';
import { repair, type RepairOptions } from './repair.ts';

/** Whether a provider accepts a request. */
export interface Validation {
  /** `true` if there are no problems. */
  readonly valid: boolean;
  /** All problems, whether a repair can fix them or not. */
  readonly problems: readonly RuleViolation[];
}

/** Checks whether a provider accepts a request. Never throws and changes nothing. */
export function validate(request: unknown, options: RepairOptions): Validation {
  const { changes, problems } = repair(request, options);
  const repairable = changes.map(({ rule, path }): RuleViolation => {
    const { kind, requires } = ruleOf(rule);
    return { rule, kind, path, message: requires };
  });
  const all = [...repairable, ...problems];
  return { valid: all.length === 0, problems: all };
}
