/** Owns the options of one call, batch or turn. */
import { describeError } from '../../engine/classify/describe-error.ts';
import { suggestField } from '../../engine/plain/suggest.ts';
import { signalRule, type CancelSignal } from '../../engine/ports/signal.ts';
import { checkNames, checkRule, type Fields, type Rule } from '../../engine/settings/check.ts';
import { period } from '../../engine/settings/fields.ts';

/** Options of one call, batch or turn. */
export interface ExecuteOptions {
  /** Cancels the call, batch or turn; answered at once. */
  readonly signal?: CancelSignal | undefined;
  /** Time limit of the whole. @default for a single call only its tool's limit; for a batch or turn that of the turn settings */
  readonly timeoutMs?: number | undefined;
}

/** Options as read, or why nothing can run under them. */
export type ReadOptions<Options> = Partial<Options> & { readonly problem?: string };

export const executeFields: Fields = {
  timeoutMs: period,
  signal: signalRule,
};

const none = Object.freeze({});

/** Reads each option once. Never throws, whatever the options are. */
export function readOptions<Options extends object>(
  given: Options | undefined,
  where: string,
  fields: Fields = executeFields,
): ReadOptions<Options> {
  if (given === undefined) return none;
  try {
    checkNames(fields, given, where, suggestField);
    const options: Partial<Record<string, unknown>> = {};
    for (const name in fields) {
      const value: unknown = given[name as keyof Options];
      options[name] = value;
      if (value !== undefined) checkRule(fields[name] as Rule, value, `${where}.${name}`, suggestField);
    }
    return options as ReadOptions<Options>;
  } catch (error) {
    return { problem: describeError(error).message } as ReadOptions<Options>;
  }
}
