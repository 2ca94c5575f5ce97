/** Owns the options of a what-if and their validation. */
import { readRecoveryRules, type RecoveryRule } from '../engine/recover/recovery-rules.ts';
import { checkOptions } from '../engine/settings/check-options.ts';
import type { Fields, Rule } from '../engine/settings/check.ts';
import type { ToolPolicy, TurnSettings } from '../engine/settings/settings.ts';
import { refuseValue, withReplayErrors } from './misuse.ts';
import { checkChange, checkTurnChange } from './recorded-settings.ts';

/** The changes of a what-if; without any, the replay is exact. Results are in canonical order, since the order of submission is not recorded. */
export interface ReplayOptions {
  /** Recovery rules that replace the recorded ones. */
  readonly recoveryRules?: readonly RecoveryRule[] | undefined;
  /** Settings for all tools; override the recorded ones. */
  readonly policy?: ToolPolicy | undefined;
  /** Settings by tool; override the recorded ones. */
  readonly tools?: Readonly<Record<string, ToolPolicy>> | undefined;
  /** Settings of the turn; override the recorded ones. */
  readonly turn?: Partial<TurnSettings> | undefined;
  /**
   * How attempts end that the record does not cover. Compare the results of `fail` and `succeed` to see how reliable the what-if is.
   * @default 'as_last': like the last recorded one of the tool
   */
  readonly unknownAttempts?: UnknownAttempts | undefined;
  /**
   * Maximum number of attempts that the record does not cover. A what-if with more throws a RangeError with the code `TOO_MANY_UNKNOWN`, since some settings never end.
   * @default Infinity
   */
  readonly maxUnknown?: number | undefined;
}

/** How attempts end that the record does not cover: like the last recorded one of the tool, with a failure, or with a success. */
export type UnknownAttempts = 'as_last' | 'fail' | 'succeed';

const unknownAttemptsValues: readonly UnknownAttempts[] = ['as_last', 'fail', 'succeed'];

const keep = 'Leave it out to keep what was recorded.';

const unchecked: Rule = () => undefined;

/** Fields with a check of their own below are only known here. */
const optionFields: Fields = {
  recoveryRules: (value, field) => void readRecoveryRules(value, field),
  policy: unchecked,
  tools: unchecked,
  turn: unchecked,
  unknownAttempts: unchecked,
  maxUnknown: unchecked,
} satisfies Record<keyof ReplayOptions, Rule>;

/** Returns whether the options change anything. @throws TypeError that names the option, its value and the fix */
export function checkChanges(options: ReplayOptions): boolean {
  if (typeof options !== 'object' || options === null)
    return refuseValue('options', 'an object', options, 'Leave it out for an exact replay.');
  withReplayErrors(
    () => checkOptions(optionFields, options, 'options'),
    (problem) => `${problem}. ${keep}`,
  );
  const { recoveryRules, policy, tools, turn, unknownAttempts, maxUnknown } = options;
  if (policy !== undefined) checkChange(policy, 'options.policy');
  if (tools !== undefined) {
    if (typeof tools !== 'object' || tools === null) refuseValue('options.tools', 'an object of settings by tool', tools, keep);
    for (const [name, change] of Object.entries(tools)) if (change !== undefined) checkChange(change, `options.tools['${name}']`);
  }
  if (turn !== undefined) checkTurnChange(turn, 'options.turn');
  if (unknownAttempts !== undefined && !unknownAttemptsValues.includes(unknownAttempts))
    refuseValue('options.unknownAttempts', "'as_last', 'fail' or 'succeed'", unknownAttempts, "Leave it out for 'as_last'.");
  if (maxUnknown !== undefined && !(typeof maxUnknown === 'number' && maxUnknown >= 0))
    refuseValue('options.maxUnknown', 'a number, 0 or more', maxUnknown, 'Leave it out for no limit.');
  return unknownAttempts !== undefined || recoveryRules !== undefined || policy !== undefined || tools !== undefined || turn !== undefined;
}
