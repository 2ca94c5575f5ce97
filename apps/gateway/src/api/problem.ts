/** Owns the form of a refusal: always `application/problem+json` (RFC 9457), with the extension member `error`. */
import type { ErrorBody, FieldProblem, ProblemBody } from '../contract.ts';

const titles = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const;

export type RefusalStatus = keyof typeof titles;

/** A request that is not served, before it becomes a response. */
export interface Refusal {
  readonly status: RefusalStatus;
  readonly error: ErrorBody;
  readonly headers?: Readonly<Record<string, string>>;
}

/** At most this many problems of a request are reported. */
const maxProblems = 100;

/** Returns the refusal for problems with the fields of a request. */
export function refusalOf(status: RefusalStatus, problems: readonly FieldProblem[]): Refusal {
  const first = problems[0] ?? { code: 'INVALID', message: 'The request is invalid' };
  return { status, error: problems.length < 2 ? first : { ...first, problems: problems.slice(0, maxProblems) } };
}

/** Refused for now, with the time after which to retry. */
export function notNow(status: 429 | 503, code: string, message: string, retryAfterMs = 1_000): Refusal {
  const hint = `Retry after ${Math.ceil(retryAfterMs / 1_000)} s.`;
  return {
    status,
    error: { code, message, hint, retry_after_ms: retryAfterMs },
    headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) },
  };
}

export function refuse({ status, error, headers }: Refusal, redact: (text: string) => string): Response {
  const redacted = redactProblem(error, redact);
  const body: ProblemBody = { status, title: titles[status], detail: redacted.message, error: redacted };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  });
}

/** These texts may contain what a client sent. */
function redactProblem<Problem extends FieldProblem>(problem: Problem, redact: (text: string) => string): Problem {
  const entries = Object.entries(problem).map(([key, value]: readonly [string, unknown]) => {
    if (key === 'problems') return [key, (value as readonly FieldProblem[]).map((each) => redactProblem(each, redact))] as const;
    return [key, typeof value === 'string' && key !== 'code' ? redact(value) : value] as const;
  });
  return Object.fromEntries(entries) as unknown as Problem;
}
