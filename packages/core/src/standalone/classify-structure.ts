/**
 * Owns what an error means where the full `classify` would be too large: by HTTP status, by a short list of codes, and by `Retry-After`. Messages are not read.
 *
 * Invariants
 * 1. Total and pure, as `classify` is. Class and side effect are never milder than `classify` says for what is listed here; everything else is transient.
 */
import type { Classification, ErrorCategory, ErrorClass } from '../engine/classify/classification.ts';
import type { ClassifyOptions } from '../engine/classify/classify.ts';
import { call, numeric, read } from '../engine/classify/reading.ts';
import { parseRetryAfter } from '../engine/classify/retry-after.ts';
import { known } from './outcome.ts';
import { isObject } from '../engine/plain/is-object.ts';

/** Class (`?`: the side effect may have happened), category, and the statuses, codes and names that say so. */
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
  'neutral cancelled 499 ERR_CANCELED AbortError',
];

function listed(word: unknown, field: string): Classification | undefined {
  for (const row of rows) {
    const [kind = '', category, ...words] = row.split(' ');
    if ((words as readonly unknown[]).includes(word))
      return known(kind.replace('?', '') as ErrorClass, category as ErrorCategory, `${field}:${String(word)}`, kind.endsWith('?'));
  }
  return undefined;
}

function byStatus(part: object): Classification | undefined {
  const status = numeric(read(part, 'status') ?? read(part, 'statusCode')) ?? 0;
  if (status < 400 || status > 599) return undefined;
  const isRequest = status < 500;
  const other = known(isRequest ? 'permanent' : 'transient', isRequest ? 'invalid_input' : 'unavailable', `status:${status}`, !isRequest);
  return { ...(listed(`${status}`, 'status') ?? other), status };
}

function byCode(part: object): Classification | undefined {
  const code = read(part, 'code');
  const entry = listed(code, 'code');
  return entry ? { ...entry, code: String(code) } : listed(read(part, 'name'), 'name');
}

function waitOf(part: object, nowEpochMs: number): number | undefined {
  const headers = read(part, 'headers');
  const own = numeric(read(part, 'retryAfterMs'));
  if (own !== undefined || !isObject(headers)) return own;
  const stated = headerOf(headers, 'retry-after', 'Retry-After');
  return numeric(headerOf(headers, 'retry-after-ms')) ?? (stated === undefined ? stated : parseRetryAfter(stated, nowEpochMs));
}

/** `Headers`, `Map`, or a plain object in one of the two usual spellings; the first of several values. */
function headerOf(headers: object, name: string, title: string = name): string | undefined {
  const given = call(headers, 'get', name) ?? read(headers, name) ?? read(headers, title);
  const value = isObject(given) ? read(given, 0) : given;
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : undefined;
}

const causesLimit = 5;

/** The outermost status decides, else the innermost code: a wrapper's code says less than that of what it wraps. */
export function classifyStructure(error: unknown, { nowEpochMs, callerAborted }: ClassifyOptions): Classification {
  if (callerAborted) return known('neutral', 'cancelled', 'caller:aborted');
  let status: Classification | undefined;
  let code: Classification | undefined;
  let retryAfterMs: number | undefined;
  let at = error;
  for (let depth = 0; isObject(at) && depth < causesLimit; depth += 1) {
    for (const part of [at, read(at, 'response')]) {
      if (!isObject(part)) continue;
      status ??= byStatus(part);
      code = byCode(part) ?? code;
      retryAfterMs ??= waitOf(part, nowEpochMs);
    }
    at = read(at, 'cause');
  }
  const meaning = status ?? code ?? known('transient', 'unknown', 'unknown');
  if (meaning.classification === 'neutral' && callerAborted === false)
    return known('transient', 'timeout', `${meaning.rule}+caller:not aborted`, true);
  return meaning.classification === 'transient' && retryAfterMs !== undefined ? { ...meaning, retryAfterMs } : meaning;
}
