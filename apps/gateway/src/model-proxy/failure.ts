/** Owns the proxy's own errors, in the form that each provider's SDK reads. */
import type { ModelProvider } from '@holdfast/manifest';

type FailureStatus = 400 | 404 | 405 | 413 | 499 | 500 | 502 | 504;

export interface Failure {
  readonly status: FailureStatus;
  readonly message: string;
  readonly code: string;
  /** Whether SDKs may retry the request. */
  readonly retryable: boolean;
}

const anthropicTypes: Readonly<Record<FailureStatus, string>> = {
  400: 'invalid_request_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  413: 'request_too_large',
  499: 'api_error',
  500: 'api_error',
  502: 'api_error',
  504: 'timeout_error',
};

const geminiStatuses: Readonly<Record<FailureStatus, string>> = {
  400: 'INVALID_ARGUMENT',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  413: 'INVALID_ARGUMENT',
  499: 'CANCELLED',
  500: 'FAILED_PRECONDITION',
  502: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function bodyOf(provider: ModelProvider | undefined, { status, message, code }: Failure): unknown {
  switch (provider) {
    case 'anthropic':
      return { type: 'error', error: { type: anthropicTypes[status], message } };
    case 'gemini':
      return { error: { code: status, message, status: geminiStatuses[status] } };
    default:
      return { error: { message, type: status >= 500 ? 'server_error' : 'invalid_request_error', param: null, code } };
  }
}

export function failureResponse(provider: ModelProvider | undefined, failure: Failure): Response {
  const headers = new Headers({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  // The SDKs of OpenAI and Anthropic evaluate this header.
  if (!failure.retryable) headers.set('x-should-retry', 'false');
  return new Response(JSON.stringify(bodyOf(provider, failure)), { status: failure.status, headers });
}

interface Limits {
  readonly connectTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** Returns the failure of a request to a provider. Its message has only known texts: those of libraries may contain what was sent. */
export function failureOf(error: unknown, host: string, limits: Limits): Failure {
  const code = codeOf(error);
  const describeLimit = (ms: number): string => `within ${ms} ms`;
  const timeout = (what: string): Failure => ({ status: 504, code: 'upstream_timeout', message: `${host} ${what}.`, retryable: true });
  const unreachable = (what: string): Failure => ({
    status: 502,
    code: 'upstream_unreachable',
    message: `${host} ${what}.`,
    retryable: true,
  });
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return timeout(`could not be reached ${describeLimit(limits.connectTimeoutMs)}`);
    case 'UND_ERR_HEADERS_TIMEOUT':
      return timeout(`did not start to answer ${describeLimit(limits.answerTimeoutMs)}`);
    case 'UND_ERR_BODY_TIMEOUT':
      return timeout(`sent nothing for ${limits.idleTimeoutMs} ms in the middle of its answer`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return unreachable('cannot be resolved');
    case 'ECONNREFUSED':
      return unreachable('refuses connections');
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return unreachable('closed the connection before it answered');
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return unreachable('cannot be reached from this network');
    default:
      return unreachable(/CERT|TLS|SSL/.test(code) ? `has no trusted certificate (${code})` : 'could not be reached');
  }
}

/** Returns the code of the error or of its cause. Failures of several addresses of a host are one error. */
function codeOf(error: unknown): string {
  let current: unknown = error;
  for (let depth = 0; depth < 6 && typeof current === 'object' && current !== null; depth++) {
    const { code, errors, cause } = current as { readonly code?: unknown; readonly errors?: unknown; readonly cause?: unknown };
    if (typeof code === 'string' && code !== '') return code;
    current = cause ?? (Array.isArray(errors) ? (errors as readonly unknown[])[0] : undefined);
  }
  return '';
}
