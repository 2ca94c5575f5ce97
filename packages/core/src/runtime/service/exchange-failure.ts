/** Owns the record of a validation of an exchange with a model that failed (docs/specification.md#s4-alerts). Does not own the checks: `@holdfast/wire` does. */
import type { Redactor } from '../../engine/plain/redact.ts';
import { checkOptions } from '../../engine/settings/check-options.ts';
import { listOf, type Fields } from '../../engine/settings/check.ts';
import type { ResponseValidationFailed, ValidationProblem, ValidationStage } from '../../engine/trace/events.ts';

/** A failed validation, as `@holdfast/wire` reports it. */
export interface ExchangeFailure {
  /** What failed: the request, before it was sent or by the provider's refusal, or the response. */
  readonly stage: ValidationStage;
  /** Format of the request or response, such as `openai-chat`. */
  readonly format?: string | undefined;
  /** What is wrong. Nothing is recorded when it is empty. */
  readonly problems: readonly ValidationProblem[];
}

/** @throws TypeError | RangeError for a failure that cannot be read. */
export function checkExchangeFailure(failure: unknown): void {
  checkOptions(failureFields, failure, 'recordValidationFailure', ['stage', 'problems']);
}

const failureFields: Fields = {
  stage: ['request', 'response'] satisfies readonly ValidationStage[],
  format: 'string',
  problems: listOf('object', 'an array of problems'),
};

/** Further problems are only counted. */
const MAX_PROBLEMS = 100;
const MAX_MESSAGE_CHARS = 500;

export function validationFailed({ stage, format, problems }: ExchangeFailure, redact: Redactor): ResponseValidationFailed {
  return {
    event_type: 'ResponseValidationFailed',
    stage,
    ...(format === undefined ? {} : { format }),
    problems: problems.slice(0, MAX_PROBLEMS).map(({ rule, path, message }) => ({
      rule,
      path,
      message: redact(message.slice(0, MAX_MESSAGE_CHARS)),
    })),
    message: `A ${stage} failed validation: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`,
  };
}
