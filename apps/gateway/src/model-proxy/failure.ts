/** Owns the proxy's own errors, in the form that each provider's SDK reads. */
import type { ModelProvider } from '@holdfast/manifest';

type FailureStatus = 400 | 404 | 405 | 413 | 499 | 500 | 502 | 504;

export interface Failure {
  readonly status: FailureStatus;
  readonly message: string;
  readonly code: string;
  /** SDKs send again by themselves; not what stays as it is. */
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
  // OpenAI's and Anthropic's SDKs heed it.
  if (!failure.retryable) headers.set('x-should-retry', 'false');
  return new Response(JSON.stringify(bodyOf(provider, failure)), { status: failure.status, headers });
}

interface Limits {
  readonly connectTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** What went wrong on the way to a provider. Only words of our own: texts of libraries may hold what was sent. */
export function failureOf(error: unknown, host: string, limits: Limits): Failure {
  const code = codeOf(error);
  const describeLimit = (ms: number): string => `within ${ms} ms`;
  const late = (what: string): Failure => ({ status: 504, code: 'upstream_timeout', message: `${host} ${what}.`, retryable: true });
  const down = (what: string): Failure => ({ status: 502, code: 'upstream_unreachable', message: `${host} ${what}.`, retryable: true });
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return late(`could not be reached ${describeLimit(limits.connectTimeoutMs)}`);
    case 'UND_ERR_HEADERS_TIMEOUT':
      return late(`did not begin to answer ${describeLimit(limits.answerTimeoutMs)}`);
    case 'UND_ERR_BODY_TIMEOUT':
      return late(`stopped in the middle of its answer for ${limits.idleTimeoutMs} ms`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return down('cannot be found by its name');
    case 'ECONNREFUSED':
      return down('refuses connections');
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return down('closed the connection before it answered');
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return down('cannot be reached from here');
    default:
      return down(/CERT|TLS|SSL/.test(code) ? `has no certificate that is trusted here (${code})` : 'could not be asked');
  }
}

/** Of the error or of what caused it; several addresses of one host fail together. */
function codeOf(error: unknown): string {
  let current: unknown = error;
  for (let depth = 0; depth < 6 && typeof current === 'object' && current !== null; depth++) {
    const { code, errors, cause } = current as { readonly code?: unknown; readonly errors?: unknown; readonly cause?: unknown };
    if (typeof code === 'string' && code !== '') return code;
    current = cause ?? (Array.isArray(errors) ? (errors as readonly unknown[])[0] : undefined);
  }
  return '';
}
