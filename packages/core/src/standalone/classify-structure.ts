/**
 * Owns the small classifier, for uses in which the full `classify` would be too large: by HTTP status, by a short list of codes, and by `Retry-After`. Messages are
 * not read.
 *
 * Invariants
 * 1. Total and pure, like `classify`. Class and side effect of the listed errors are never milder than those of `classify`; all other errors are transient, and
 *    may have had their effect.
 */
import type { Classification, ErrorCategory, ErrorClass } from '../engine/classify/classification.ts';
import type { ClassifyOptions } from '../engine/classify/classify.ts';
import { call, numeric, read } from '../engine/classify/reading.ts';
import { parseRetryAfter } from '../engine/classify/retry-after.ts';
import { classificationOf } from './outcome.ts';
import { isObject } from '../engine/plain/is-object.ts';

/** Class (`?`: the side effect may have happened), category, and the matching statuses, codes and names. */
export const rows: readonly string[] = [
  'permanent auth 401 407 511',
  'permanent permission 403 EACCES EPERM',
  'permanent not_found 404 410 ENOENT',
  'permanent unsupported 405 415 501 505',
  'permanent conflict 409',
  'permanent resource 507',
  'permanent? contract 508',
  'permanent invalid_input EINVAL ERR_INVALID_URL',
  'transient network ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH',
  'transient? network ECONNRESET ECONNABORTED EPIPE UND_ERR_SOCKET',
  'transient timeout 408 UND_ERR_CONNECT_TIMEOUT',
  'transient? timeout 504 ETIMEDOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT TimeoutError',
  'transient rate_limit 420 429',
  'transient unavailable 421 423 425 503 529',
  'transient conflict 449',
  'neutral? cancelled 499 ERR_CANCELED AbortError',
];

function lookUp(value: unknown, field: string): Classification | undefined {
  for (const row of rows) {
    const [kind = '', category, ...values] = row.split(' ');
    if ((values as readonly unknown[]).includes(value))
      return classificationOf(
        kind.replace('?', '') as ErrorClass,
        category as ErrorCategory,
        `${field}:${String(value)}`,
        kind.endsWith('?'),
      );
  }
  return undefined;
}

function byStatus(part: object): Classification | undefined {
  const status = numeric(read(part, 'status') ?? read(part, 'statusCode')) ?? 0;
  if (status < 400 || status > 599) return undefined;
  const isRequest = status < 500;
  const other = classificationOf(
    isRequest ? 'permanent' : 'transient',
    isRequest ? 'invalid_input' : 'unavailable',
    `status:${status}`,
    !isRequest,
  );
  return { ...(lookUp(`${status}`, 'status') ?? other), status };
}

function byCode(part: object): Classification | undefined {
  const code = read(part, 'code');
  const entry = lookUp(code, 'code');
  return entry ? { ...entry, code: String(code) } : lookUp(read(part, 'name'), 'name');
}

function retryAfterOf(part: object, nowEpochMs: number): number | undefined {
  const headers = read(part, 'headers');
  const field = numeric(read(part, 'retryAfterMs'));
  if (field !== undefined || !isObject(headers)) return field;
  const header = headerOf(headers, 'retry-after', 'Retry-After');
  return numeric(headerOf(headers, 'retry-after-ms')) ?? (header === undefined ? header : parseRetryAfter(header, nowEpochMs));
}

/** Reads a header of `Headers`, a `Map`, or a plain object with one of the two usual spellings; the first of several values. */
function headerOf(headers: object, name: string, title: string = name): string | undefined {
  const values = call(headers, 'get', name) ?? read(headers, name) ?? read(headers, title);
  const value = isObject(values) ? read(values, 0) : values;
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : undefined;
}

const maxCauses = 5;

/** The outermost status decides, otherwise the innermost code: the code of a wrapped error is more specific than that of its wrapper. */
export function classifyStructure(error: unknown, { nowEpochMs, callerAborted }: ClassifyOptions): Classification {
  if (callerAborted) return classificationOf('neutral', 'cancelled', 'caller:aborted', true);
  let status: Classification | undefined;
  let code: Classification | undefined;
  let retryAfterMs: number | undefined;
  let at = error;
  for (let depth = 0; isObject(at) && depth < maxCauses; depth += 1) {
    for (const part of [at, read(at, 'response')]) {
      if (!isObject(part)) continue;
      status ??= byStatus(part);
      code = byCode(part) ?? code;
      retryAfterMs ??= retryAfterOf(part, nowEpochMs);
    }
    at = read(at, 'cause');
  }
  const result = status ?? code ?? classificationOf('transient', 'unknown', 'unknown', true);
  if (result.classification === 'neutral' && callerAborted === false)
    return classificationOf('transient', 'timeout', `${result.rule}+caller:not aborted`, true);
  return result.classification === 'transient' && retryAfterMs !== undefined ? { ...result, retryAfterMs } : result;
}
