/** Owns the options of one call, batch or turn. */
import { checkOptions } from '../../engine/settings/check-options.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import { suggestField } from '../../engine/plain/suggest.ts';
import { signalRule, type CancelSignal } from '../../engine/ports/signal.ts';
import { checkNames, type Fields } from '../../engine/settings/check.ts';
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
    for (const name in fields) options[name] = given[name as keyof Options];
    checkOptions(fields, options, where);
    return options as ReadOptions<Options>;
  } catch (error) {
    return { problem: describeError(error).message } as ReadOptions<Options>;
  }
}
