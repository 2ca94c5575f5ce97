/** The error body in the shape of each provider. */
import type { BackendProfile, WireFormat } from '../rules/problem.ts';

export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** Code in the error's body. Absent: what the provider usually sends with the status. */
  readonly code?: string | undefined;
  readonly param?: string | undefined;
  readonly type?: string | undefined;
  /** Anthropic only. */
  readonly details?: unknown;
}

const openaiTypes: Readonly<Record<number, string>> = { 401: 'authentication_error', 403: 'permission_error', 429: 'rate_limit_error' };

const anthropicTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const googleWords: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** The name is sent in a header. */
export const bedrockErrors: Readonly<Record<number, string>> = {
  403: 'UnrecognizedClientException',
  404: 'ResourceNotFoundException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

const usualType = (status: number): string => openaiTypes[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');

function chatBody({ status, message, code, param, type }: Refusal, profile: BackendProfile | undefined): unknown {
  switch (profile) {
    case 'mistral':
      return { object: 'error', message, type: type ?? 'invalid_request_error', param: param ?? null, code: code ?? '3051' };
    case 'xai':
      return { code: 'Client specified an invalid argument', error: message };
    case 'minimax':
      return { type: 'error', error: { type: type ?? 'bad_request_error', message, http_code: String(status) }, request_id: 'request-1' };
    case 'qwen':
      return {
        error: { message, type: type ?? 'invalid_request_error', param: null, code: code ?? 'invalid_parameter_error' },
        request_id: 'request-1',
      };
    case 'vllm':
      return { error: { message, type: type ?? 'BadRequestError', param: param ?? null, code: status } };
    default:
      return { error: { message, type: type ?? usualType(status), param: param ?? null, code: code ?? null } };
  }
}

export function errorBody(format: WireFormat, profile: BackendProfile | undefined, refusal: Refusal): unknown {
  const { status, message } = refusal;
  switch (format) {
    case 'anthropic-messages': {
      const usual = status >= 500 ? 'api_error' : 'invalid_request_error';
      const details = refusal.details === undefined ? {} : { details: refusal.details };
      const error = { type: anthropicTypes[status] ?? usual, message, ...details };
      return { type: 'error', error, request_id: 'req_000000000000000000000001' };
    }
    case 'gemini':
      return { error: { code: status, message, status: googleWords[status] ?? 'UNKNOWN' } };
    case 'bedrock-converse':
      return { message };
    default:
      return chatBody(refusal, profile);
  }
}
