/** Owns how a refusal looks: one shape for all of them, `application/problem+json` (RFC 9457) with our own `error` in it. */
import type { ErrorBody, FieldProblem, ProblemBody } from '../contract.ts';

const titles = {
  400: 'Bad Request',
  401: 'Unauthorized',
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

/** More than one thing may be wrong; at most this many are told. */
const mostProblems = 100;

/** What is wrong with the fields of a request. */
export function refusalOf(status: RefusalStatus, problems: readonly FieldProblem[]): Refusal {
  const first = problems[0] ?? { code: 'INVALID', message: 'The request cannot be used' };
  return { status, error: problems.length < 2 ? first : { ...first, problems: problems.slice(0, mostProblems) } };
}

/** Refused for now: come back. */
export function notNow(status: 429 | 503, code: string, message: string, retryAfterMs = 1_000): Refusal {
  const hint = `Send it again after ${Math.ceil(retryAfterMs / 1_000)} s.`;
  return {
    status,
    error: { code, message, hint, retry_after_ms: retryAfterMs },
    headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) },
  };
}

export function refuse({ status, error, headers }: Refusal, redact: (text: string) => string): Response {
  const told = redactProblem(error, redact);
  const body: ProblemBody = { status, title: titles[status], detail: told.message, error: told };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  });
}

/** What a client sent may stand in these texts. */
function redactProblem<Told extends FieldProblem>(problem: Told, redact: (text: string) => string): Told {
  const entries = Object.entries(problem).map(([key, value]: readonly [string, unknown]) => {
    if (key === 'problems') return [key, (value as readonly FieldProblem[]).map((each) => redactProblem(each, redact))] as const;
    return [key, typeof value === 'string' && key !== 'code' ? redact(value) : value] as const;
  });
  return Object.fromEntries(entries) as unknown as Told;
}
