/** Owns what a what-if is asked with, and the checking of it. */
import type { RecoveryRule } from '../engine/recover/recovery-rules.ts';
import type { ToolPolicy, TurnSettings } from '../engine/settings/settings.ts';
import { refuseValue } from './misuse.ts';
import { checkChange, checkTurnChange } from './recorded-settings.ts';

/** What to change. Results come back in canonical order, not in the order of submission, which is not on record. Leave everything out for the exact replay. */
export interface ReplayOptions {
  /** In place of the recorded rules. */
  readonly recoveryRules?: readonly RecoveryRule[] | undefined;
  /** Over every tool's recorded settings. */
  readonly policy?: ToolPolicy | undefined;
  /** By tool, over its recorded settings. */
  readonly tools?: Readonly<Record<string, ToolPolicy>> | undefined;
  /** Over the recorded settings of the turn. */
  readonly turn?: Partial<TurnSettings> | undefined;
  /**
   * How attempts go that no record tells about. The turn under `fail` and under `succeed` shows how far the what-if can be trusted.
   * @default 'as_last': like the last one seen of the tool
   */
  readonly unknownAttempts?: UnknownAttempts | undefined;
  /**
   * A what-if with more attempts that no record tells about is given up with a RangeError of the code `TOO_MANY_UNKNOWN`: what settings lead to may have no end.
   * @default Infinity
   */
  readonly mostUnknown?: number | undefined;
}

/** How attempts end that the record does not cover: like the last recorded one of the tool, with a failure, or with a success. */
export type UnknownAttempts = 'as_last' | 'fail' | 'succeed';

const unknownAttemptsWays: readonly UnknownAttempts[] = ['as_last', 'fail', 'succeed'];

const keep = 'Leave it out to keep what was recorded.';

/** Whether anything is to be changed. @throws TypeError naming the option, its value and the fix. */
export function checkChanges(options: ReplayOptions): boolean {
  if (typeof options !== 'object' || options === null)
    return refuseValue('options', 'an object', options, 'Leave it out for an exact replay.');
  const { recoveryRules, policy, tools, turn, unknownAttempts, mostUnknown } = options;
  if (recoveryRules !== undefined) checkRules(recoveryRules);
  if (policy !== undefined) checkChange(policy, 'options.policy');
  if (tools !== undefined) {
    if (typeof tools !== 'object' || tools === null) refuseValue('options.tools', 'an object of settings by tool', tools, keep);
    for (const [name, change] of Object.entries(tools)) if (change !== undefined) checkChange(change, `options.tools['${name}']`);
  }
  if (turn !== undefined) checkTurnChange(turn, 'options.turn');
  if (unknownAttempts !== undefined && !unknownAttemptsWays.includes(unknownAttempts))
    refuseValue('options.unknownAttempts', "'as_last', 'fail' or 'succeed'", unknownAttempts, "Leave it out for 'as_last'.");
  if (mostUnknown !== undefined && !(mostUnknown >= 0))
    refuseValue('options.mostUnknown', 'a number from 0', mostUnknown, 'Leave it out for no limit.');
  return unknownAttempts !== undefined || recoveryRules !== undefined || policy !== undefined || tools !== undefined || turn !== undefined;
}

function checkRules(recoveryRules: unknown): void {
  if (!Array.isArray(recoveryRules)) return refuseValue('options.recoveryRules', 'an array of rules', recoveryRules, keep);
  for (const [index, rule] of recoveryRules.entries())
    if (typeof (rule as { readonly name?: unknown } | null)?.name !== 'string')
      refuseValue(`options.recoveryRules[${index}]`, 'a rule with a name', rule, 'Give it one: it is said in the trace.');
}
