/**
 * Owns the middleware between an agent and a model (docs/specification.md#s4-validation): checking and correcting requests and responses.
 * Does not own the rules (`repair`, `responses`): it combines them in one class and never throws.
 */
import { checkOptions, listOf, type Fields } from '@holdfast/core/internal/plain';
import { profileRule } from './profiles/profile-rule.ts';
import { recorderRule, type ValidationRecorder } from './validation-recorder.ts';
import { formats } from './transcript.ts';
import { classify, createRedactor, type ErrorCategory, type ResponseMatch, type ExchangeFailure } from '@holdfast/core';
import { matchResponses } from '@holdfast/core/internal';
import { callSafely } from '@holdfast/core/internal/plain';
import { faultOf } from './faults/fault-of.ts';
import { detectFormat } from './formats/detect-format.ts';
import { isRecord, isText } from './json.ts';
import { repair } from './repair/repair.ts';
import type { Repaired } from './repair/repair-transcript.ts';
import { validate, type Validation } from './repair/validate.ts';
import type { Change, RuleViolation } from './report.ts';
import { detectResponseFormat, errorBodyMessage } from './responses/detect-response.ts';
import { correctTurn, isToolTurn, turnProblems, type ToolTurn, type ToolCallLike, type ToolResultLike } from './responses/tool-turn.ts';
import { validateResponse, type ResponseValidation } from './responses/validate-response.ts';
import type { Format } from './transcript.ts';

/** Options of the middleware. */
export interface ResponseValidationOptions {
  /** Format of requests and responses. @default detected for each of them */
  readonly format?: Format | undefined;
  /** Provider profile whose rules apply. @default the provider that defined the format */
  readonly profile?: string | undefined;
  /** Names of the offered tools, to detect calls of unknown ones. */
  readonly tools?: readonly string[] | undefined;
  /** Records failed validations, so that its metrics and alerts count them: a `ToolExecutionService`. @default they are only returned and reported */
  readonly service?: ValidationRecorder | undefined;
  /** Called with the problems found and the changes made. Errors it throws are ignored. */
  readonly onReport?: ((report: { readonly problems: readonly RuleViolation[]; readonly changes: readonly Change[] }) => void) | undefined;
}

/** A response in which every call has one result. */
export interface SanitizedResponse<Response> {
  /** The corrected response; the same object if nothing was wrong. */
  readonly response: Response;
  /** Changes made by a repair. Empty if there were none. */
  readonly changes: readonly Change[];
  /** Problems that were not repaired. Empty if there are none. */
  readonly problems: readonly RuleViolation[];
}

/** An answer that reports a failed request. */
export interface ErrorResponse extends ToolTurn {
  /** A sentence for the user. */
  readonly content: string;
  /** Always empty. */
  readonly toolCalls: readonly ToolCallLike[];
  /** Always empty. */
  readonly toolResults: readonly ToolResultLike[];
  /** Why there is no answer. */
  readonly error: ModelRequestError;
}

/** Why a request to a model has no answer, as the classifier reads it. */
export interface ModelRequestError {
  /** `MODEL_REQUEST_FAILED`, or which part of the request the provider refused. */
  readonly code: string;
  /** Kind of failure, such as `rate_limit` or `timeout`. */
  readonly category: ErrorCategory;
  /** Technical message, without secrets. */
  readonly message: string;
  /** A sentence that is safe to show. */
  readonly userMessage: string;
  /** Whether asking the model again may help. */
  readonly retryable: boolean;
}

const invalidRequest = (message: string): Validation => ({
  valid: false,
  problems: [{ rule: 'request-shape', kind: 'history', path: '', message }],
});

const middlewareFields: Fields = {
  format: formats,
  profile: profileRule,
  tools: listOf('string', 'an array of tool names'),
  service: recorderRule,
  onReport: 'function',
};

/** Checks and corrects requests to a model and its responses. No method throws. */
export class ResponseValidationMiddleware {
  readonly #options: ResponseValidationOptions;

  /** @throws TypeError | RangeError for an invalid option, naming it, its value and the fix. */
  constructor(options: ResponseValidationOptions = {}) {
    checkOptions(middlewareFields, options, 'ResponseValidationMiddleware');
    this.#options = options;
  }

  /** Checks whether the provider accepts the request: messages, tools, pairs, ids, contents. */
  validateRequest(request: unknown): Validation {
    const format = this.#formatOf(request);
    const validation =
      format === undefined ? invalidRequest('The request has no messages.') : validate(request, { format, profile: this.#options.profile });
    this.#report('request', format, validation.problems);
    return validation;
  }

  /** Repairs the request so that the provider accepts it; returns the same object if nothing was wrong. */
  repair<Request>(request: Request): Repaired<Request> {
    const format = this.#formatOf(request) ?? 'openai-chat';
    const repaired = repair(request, { format, profile: this.#options.profile });
    this.#report('request', format, repaired.problems, repaired.changes);
    return repaired;
  }

  /**
   * Checks whether a response is complete. For a provider's response, with `format`: form, calls, finish reason. For a turn
   * (`content`, `toolCalls`, `toolResults`): also that there is one result per call, with the same ids.
   */
  validateResponse(response: unknown): ResponseValidation {
    const validation = this.#validated(response);
    this.#report('response', this.#options.format, validation.problems);
    return validation;
  }

  #validated(response: unknown): ResponseValidation {
    const { tools, format: given } = this.#options;
    try {
      if (!isRecord(response)) return invalidResponse('The response is not an object.');
      if (isToolTurn(response)) return validatedTurn(response, tools);
      const format = given === 'ai-sdk-ui' ? undefined : (given ?? detectResponseFormat(response));
      if (format !== undefined) return validateResponse(response, { format, tools });
      const error = errorBodyMessage(response);
      if (error !== undefined) return invalidResponse(`The response is an error: ${createRedactor()(error)}`);
      if ('content' in response) return validatedTurn(response, tools);
      return invalidResponse('The response has neither content nor calls, and the form of no known provider.');
    } catch {
      return invalidResponse('The response cannot be read.');
    }
  }

  /** Checks that every call has exactly one result with its id, in the order of the calls. */
  validateToolCallResultMatch(calls: readonly ToolCallLike[], results: readonly ToolResultLike[]): ResponseMatch {
    try {
      return matchResponses(calls, results);
    } catch {
      return { matches: false, missing: [], unexpected: [], reordered: false, problems: ['The calls or results cannot be read'] };
    }
  }

  /** Corrects a turn to one result per call, in call order, with errors for missing ones. Other responses are returned unchanged. */
  sanitizeResponse<Response>(response: Response): SanitizedResponse<Response> {
    try {
      if (!isToolTurn(response)) return { response, changes: [], problems: this.#validated(response).problems };
      const { response: corrected, changes } = correctTurn(response);
      const problems = turnProblems(corrected, this.#options.tools);
      this.#report('response', undefined, problems, changes);
      return { response: corrected, changes, problems };
    } catch {
      return {
        response,
        changes: [],
        problems: invalidResponse('The response cannot be read.').problems,
      };
    }
  }

  /** Creates a response for a failed request, so that callers always get one. */
  createErrorResponse(error: unknown): ErrorResponse {
    const fault = faultOf(error);
    // The time matters only to hints how long to wait, which are not used here.
    const { classification, category } = classify(error, { nowEpochMs: 0 });
    const retryable = fault ? fault.kind === 'model' : classification === 'transient';
    const userMessage = fault ? userMessages.unknown(retryable) : (userMessages[category] ?? userMessages.unknown)(retryable);
    return {
      content: userMessage,
      toolCalls: [],
      toolResults: [],
      error: {
        code: fault ? errorCodes[fault.kind] : 'MODEL_REQUEST_FAILED',
        category,
        message: createRedactor()(fault?.message ?? messageOf(error)),
        userMessage,
        retryable,
      },
    };
  }

  #formatOf(request: unknown): Format | undefined {
    return this.#options.format ?? detectFormat(request);
  }

  #report(
    stage: ExchangeFailure['stage'],
    format: Format | undefined,
    problems: readonly RuleViolation[],
    changes: readonly Change[] = [],
  ): void {
    if (problems.length + changes.length === 0) return;
    this.#options.service?.recordValidationFailure({ stage, format, problems });
    // A listener must not break the check, at once or later.
    callSafely(
      () => this.#options.onReport?.({ problems, changes }),
      () => undefined,
    );
  }
}

const errorCodes = {
  history: 'TRANSCRIPT_REFUSED',
  model: 'MODEL_OUTPUT_REFUSED',
  definition: 'TOOL_DEFINITION_REFUSED',
  state: 'PROVIDER_STATE_REFUSED',
} as const;

const again = (retryable: boolean): string => (retryable ? ' Please try again.' : '');

const userMessages: Readonly<Partial<Record<ErrorCategory, (retryable: boolean) => string>>> & {
  readonly unknown: (retryable: boolean) => string;
} = {
  unknown: (retryable) => `Something went wrong while answering.${again(retryable)}`,
  rate_limit: () => 'The assistant is busy. Please try again in a moment.',
  quota_exhausted: () => 'The quota of the assistant is used up.',
  timeout: (retryable) => `The answer took too long.${again(retryable)}`,
  network: (retryable) => `The assistant could not be reached.${again(retryable)}`,
  unavailable: (retryable) => `The assistant is not available.${again(retryable)}`,
  auth: () => 'The assistant could not sign in to its service.',
  permission: () => 'The assistant is not allowed to use its service.',
  invalid_input: () => 'The request could not be processed.',
  payload_too_large: () => 'The conversation is too long.',
  cancelled: () => 'The answer was cancelled.',
};

const invalidResponse = (message: string): ResponseValidation => ({
  valid: false,
  problems: [{ rule: 'response-shape', kind: 'model', path: '', message }],
  text: '',
  calls: [],
  finish: 'unknown',
  truncated: false,
  ready: false,
});

function validatedTurn(turn: ToolTurn, tools: readonly string[] | undefined): ResponseValidation {
  const problems = turnProblems(turn, tools);
  const text = isText(turn.content) ? turn.content : '';
  return { valid: problems.length === 0, problems, text, calls: [], finish: 'unknown', truncated: false, ready: false };
}

function messageOf(error: unknown): string {
  try {
    return isRecord(error) && isText(error['message']) ? error['message'] : String(error);
  } catch {
    return 'unknown error';
  }
}
