/**
 * Owns the question whether a provider would take a request. It is the repair without its result: what it would change is wrong.
 */
import type { RuleViolation } from '../report.ts';
import { ruleOf } from '../rules.ts';
import { repair, type RepairOptions } from './repair.ts';

/** Whether a provider accepts a request. */
export interface Validation {
  /** `true` if there are no problems. */
  readonly valid: boolean;
  /** Everything that is wrong: what a repair would fix and what it could not. */
  readonly problems: readonly RuleViolation[];
}

/** Whether a provider takes a request. Never throws, changes nothing. */
export function validate(request: unknown, options: RepairOptions): Validation {
  const { changes, problems } = repair(request, options);
  const repairable = changes.map(({ rule, path }): RuleViolation => {
    const { kind, requires } = ruleOf(rule);
    return { rule, kind, path, message: requires };
  });
  const all = [...repairable, ...problems];
  return { valid: all.length === 0, problems: all };
}
