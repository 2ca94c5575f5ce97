/**
 * Owns checking whether a provider would accept a request: everything a repair would change is a problem.
 */
import { checkOptions } from '@holdfast/core/internal/plain';
import type { RuleViolation } from '../report.ts';
import { ruleOf } from '../rules.ts';
import { repair, repairFields, type RepairOptions } from './repair.ts';

/** Whether a provider accepts a request. */
export interface Validation {
  /** `true` if there are no problems. */
  readonly valid: boolean;
  /** All problems, whether a repair can fix them or not. */
  readonly problems: readonly RuleViolation[];
}

/**
 * Checks whether a provider accepts a request. Never throws for a malformed request, and changes nothing.
 * @throws TypeError | RangeError for an invalid option, naming it, its value and the fix.
 */
export function validate(request: unknown, options: RepairOptions): Validation {
  checkOptions(repairFields, options, 'validate', ['format']);
  const { changes, problems } = repair(request, options);
  const repairable = changes.map(({ rule, path }): RuleViolation => {
    const { kind, requires } = ruleOf(rule);
    return { rule, kind, path, message: requires };
  });
  const all = [...repairable, ...problems];
  return { valid: all.length === 0, problems: all };
}
