/** Owns reading the structured output of a model within a run, with the same validation retries as for arguments of tools (docs/specification.md#s2-flow). */
import type { OutputOf, Schema } from '../../engine/schema/standard-schema.ts';
import type { StructuredOutputError, RetryExhaustedError } from '../session/errors.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { period } from '../../engine/settings/fields.ts';
import { retryPolicyFields, type RetryPolicyLayer } from '../../engine/settings/validation-retries.ts';
import { exhaustedOf } from '../session/slices.ts';
import type { StructuredOutputOptions } from '../session/structured-output.ts';
import { parseStructured } from '../session/structured-output.ts';
import { isRetryable } from '../session/retry-policy.ts';
import { describeReducerError, firstDealWith } from './record-result.ts';
import type { RunState } from './run-state.ts';
import { currentTrace, policyOf, record, stopRun, appendToSession } from './run-state.ts';

/** Options of `AgentRun.readOutput`. */
export interface ReadOutputOptions extends Omit<StructuredOutputOptions, 'system'> {
  /** Policy of this output; overrides that of the run (docs/specification.md#s2-flow). */
  readonly validationRetries?: RetryPolicyLayer | undefined;
}

export const readOutputFields: Fields = {
  jsonSchema: 'function',
  read: 'function',
  timeoutMs: period,
  validationRetries: retryPolicyFields,
};

/** Result of reading a structured output. */
export type ReadOutput<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      readonly error: StructuredOutputError;
      /** Text for the model: what was wrong and what to do. */
      readonly text: string;
      /** The attempts are used up. */
      readonly exhausted?: RetryExhaustedError;
    };

export async function readOutput<S extends Schema>(
  state: RunState,
  value: unknown,
  schema: S,
  { validationRetries, ...options }: ReadOutputOptions,
): Promise<{ readonly output: ReadOutput<OutputOf<S>>; readonly delayMs: number }> {
  const { context, streaks } = state;
  const answer = {};
  const parsed = await parseStructured(value, schema, { ...options, system: context.system });
  const now = context.system.now();
  if (parsed.ok) {
    if (parsed.unchecked !== undefined) {
      const error = context.redact(`output schema: ${parsed.unchecked}`);
      currentTrace(state).append({ event_type: 'ComponentFailed', component: 'schema', name: 'structured output', error }, now);
    }
    const recovered = streaks.endStreak('structured_output', undefined, answer);
    if (recovered) record(state, undefined, recovered);
    appendToSession(state, currentTrace(state), { event_type: 'StructuredOutputParsed', output: parsed.value });
    return { output: { ok: true, value: parsed.value }, delayMs: 0 };
  }
  const policy = policyOf(state, undefined, validationRetries);
  const message = context.redact(parsed.error.message);
  const event = streaks.countFailure({
    source: 'structured_output',
    toolName: undefined,
    callId: undefined,
    answer,
    errorType: parsed.error.name,
    message,
    policy,
    now,
    nowEpochMs: context.system.epochMs(),
    seed: context.seed,
  });
  const reducerErrors = record(state, undefined, event);
  if (reducerErrors.length > 0) streaks.reducerFailed('structured_output', undefined);
  const text = [`Error INVALID_STRUCTURED_OUTPUT: ${message}`, ...new Set(reducerErrors.map(describeReducerError))].join('\n');
  if (event.event_type === 'ValidationRetryScheduled') {
    const halted = reducerErrors.length > 0 && !isRetryable(policy, 'ReducerError');
    const attempt = policy.emitFeedback && !halted ? `\nThis was attempt ${event.attempt} of ${event.max_attempts}.` : '';
    const next = halted
      ? `Next: Do not repeat the output; ${firstDealWith(reducerErrors)}`
      : 'Next: Answer again with only the corrected JSON.';
    return { output: { ok: false, error: parsed.error, text: `${text}\n${next}${attempt}` }, delayMs: halted ? 0 : event.delay_ms };
  }
  const exhausted = exhaustedOf(event);
  stopRun(state, undefined, { reason: 'validation_exhausted', message: exhausted.message, error: exhausted });
  return { output: { ok: false, error: parsed.error, text: `${text}\nThe attempts are used up.`, exhausted }, delayMs: 0 };
}
