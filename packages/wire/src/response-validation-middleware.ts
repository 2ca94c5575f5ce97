/**
 * Owns the middleware between an agent and a model (docs/specification.md#s4-validation): checks of requests and responses, and their correction.
 * Does not own the rules (`repair`, `responses`): it asks them under one name and never throws.
 */
import { createRedactor, type ResponseMatch } from '@holdfast/core';
import { faultOf } from './faults/fault-of.ts';
import { detectFormat } from './formats/detect-format.ts';
import { isRecord, isText } from './json.ts';
import { repair, type Repaired } from './repair/repair.ts';
import { validate, type Validation } from './repair/validate.ts';
import type { Change, RuleViolation } from './report.ts';
import {
  correctTurn,
  isToolTurn,
  matchCallsAndResults,
  turnProblems,
  type ToolTurn,
  type ToolCallLike,
  type ToolResultLike,
} from './responses/tool-turn.ts';
import { validateResponse, type ResponseValidation } from './responses/validate-response.ts';
import type { Format } from './transcript.ts';

/** By which rules requests and responses are checked. */
export interface ResponseValidationOptions {
  /** The form of requests and responses. @default guessed for each request; responses are then turns in our own words */
  readonly format?: Format | undefined;
  /** Whose rules apply. @default the provider that the format comes from */
  readonly profile?: string | undefined;
  /** Names of the tools that are offered, to find calls of others. */
  readonly tools?: readonly string[] | undefined;
  /** Told of every problem that was found and every change that was made. What it throws is swallowed. */
  readonly onReport?: ((report: { readonly problems: readonly RuleViolation[]; readonly changes: readonly Change[] }) => void) | undefined;
}

/** A response in which every call has one result. */
export interface SanitizedResponse<Response> {
  /** The same object when nothing was wrong. */
  readonly response: Response;
  /** What a repair changed. Empty if nothing was. */
  readonly changes: readonly Change[];
  /** What is wrong and was not repaired. Empty if nothing is. */
  readonly problems: readonly RuleViolation[];
}

/** An answer that says that there is none. */
export interface ErrorResponse extends ToolTurn {
  /** A sentence for the user. */
  readonly content: string;
  /** Always empty. */
  readonly toolCalls: readonly ToolCallLike[];
  /** Always empty. */
  readonly toolResults: readonly ToolResultLike[];
  /** Why there is no answer. `message` is without secrets; `userMessage` is safe to show; `retryable`: asking the model again may help. */
  readonly error: { readonly code: string; readonly message: string; readonly userMessage: string; readonly retryable: boolean };
}

const nothing = (message: string): Validation => ({
  valid: false,
  problems: [{ rule: 'request-shape', kind: 'history', path: '', message }],
});

/** Checks and corrects what goes to a model and what comes back. No method throws. */
export class ResponseValidationMiddleware {
  readonly #options: ResponseValidationOptions;

  constructor(options: ResponseValidationOptions = {}) {
    this.#options = options;
  }

  /** Whether the provider takes the request: messages, tools, pairs, ids, contents. */
  validateRequest(request: unknown): Validation {
    const format = this.#formatOf(request);
    const validation =
      format === undefined ? nothing('The request has no messages.') : validate(request, { format, profile: this.#options.profile });
    this.#tell(validation.problems, []);
    return validation;
  }

  /** The request as the provider takes it: the same object when nothing was wrong. */
  repair<Request>(request: Request): Repaired<Request> {
    const format = this.#formatOf(request) ?? 'openai-chat';
    const repaired = repair(request, { format, profile: this.#options.profile });
    this.#tell(repaired.problems, repaired.changes);
    return repaired;
  }

  /**
   * Whether a response is whole. A provider's, with `format`: form, calls, finish reason. A turn in our own words
   * (`content`, `toolCalls`, `toolResults`): also that there are as many results as calls, under the same ids.
   */
  validateResponse(response: unknown): ResponseValidation {
    const validation = this.#validated(response);
    this.#tell(validation.problems, []);
    return validation;
  }

  #validated(response: unknown): ResponseValidation {
    const empty = { text: '', calls: [], finish: 'unknown', truncated: false, ready: false } as const;
    try {
      const format = this.#options.format;
      if (format !== undefined && format !== 'ai-sdk-ui' && !isToolTurn(response))
        return validateResponse(response, { format, tools: this.#options.tools });
      const turn: ToolTurn = isRecord(response) ? response : {};
      const problems: readonly RuleViolation[] = isRecord(response)
        ? turnProblems(turn)
        : [{ rule: 'response-shape', kind: 'model', path: '', message: 'The response is no object.' }];
      return { ...empty, valid: problems.length === 0, problems, text: isText(turn.content) ? turn.content : '' };
    } catch {
      return {
        ...empty,
        valid: false,
        problems: [{ rule: 'response-shape', kind: 'model', path: '', message: 'The response cannot be read.' }],
      };
    }
  }

  /** Whether every call has exactly one result under its id, in the order of the calls. */
  validateToolCallResultMatch(calls: readonly ToolCallLike[], results: readonly ToolResultLike[]): ResponseMatch {
    try {
      return matchCallsAndResults(calls, results);
    } catch {
      return { matches: false, missing: [], unexpected: [], reordered: false, problems: ['The calls or results cannot be read'] };
    }
  }

  /** A turn with one result for each call, in call order; missing ones are errors. Other responses come back as they are. */
  sanitizeResponse<Response>(response: Response): SanitizedResponse<Response> {
    try {
      if (!isToolTurn(response)) return { response, changes: [], problems: this.#validated(response).problems };
      const { response: corrected, changes } = correctTurn(response);
      const problems = turnProblems(corrected);
      this.#tell(problems, changes);
      return { response: corrected, changes, problems };
    } catch {
      return {
        response,
        changes: [],
        problems: [{ rule: 'response-shape', kind: 'model', path: '', message: 'The response cannot be read.' }],
      };
    }
  }

  /** A response that stands for one that did not come, so that no caller is left without. */
  createErrorResponse(error: unknown): ErrorResponse {
    const fault = faultOf(error);
    const userMessage = 'Something went wrong while answering. Please try again.';
    const message = createRedactor()(fault?.message ?? messageOf(error));
    return {
      content: userMessage,
      toolCalls: [],
      toolResults: [],
      error: { code: fault ? errorCodes[fault.kind] : 'MODEL_REQUEST_FAILED', message, userMessage, retryable: fault?.kind === 'model' },
    };
  }

  #formatOf(request: unknown): Format | undefined {
    return this.#options.format ?? detectFormat(request);
  }

  #tell(problems: readonly RuleViolation[], changes: readonly Change[]): void {
    if (problems.length + changes.length === 0) return;
    try {
      this.#options.onReport?.({ problems, changes });
    } catch {
      // A listener costs nothing but itself.
    }
  }
}

const errorCodes = {
  history: 'TRANSCRIPT_REFUSED',
  model: 'MODEL_OUTPUT_REFUSED',
  definition: 'TOOL_DEFINITION_REFUSED',
  state: 'PROVIDER_STATE_REFUSED',
} as const;

function messageOf(error: unknown): string {
  try {
    return isRecord(error) && isText(error['message']) ? error['message'] : String(error);
  } catch {
    return 'unknown error';
  }
}
