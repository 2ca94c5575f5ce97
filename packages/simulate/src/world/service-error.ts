/** Owns the errors that services answer with, as HTTP clients throw them. */
import type { ServiceError } from '../run/contender.ts';
import type { RetryAfter } from './limit-types.ts';

const texts: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

const noHeaders: ServiceError['headers'] = {};

/** Creates each error once: a stack is expensive, and useless here. */
export function createErrors(): (status: number, retryAfterS: RetryAfter) => ServiceError {
  const made = new Map<number, ServiceError>();
  return (status, retryAfterS) => {
    // Statuses are below 1,000.
    const key = retryAfterS === 'none' ? status : status + (retryAfterS + 1) * 1_000;
    const known = made.get(key);
    if (known) return known;
    const headers = retryAfterS === 'none' ? noHeaders : { 'retry-after': String(retryAfterS) };
    const error = Object.assign(new Error(`HTTP ${status}: ${texts[status] ?? 'Error'}`), { status, headers });
    made.set(key, error);
    return error;
  };
}
