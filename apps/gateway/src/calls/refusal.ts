/** Owns error results that the gateway itself creates. */
import type { ErrorCategory, ErrorClass } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { CallRefusal } from '../access/call-limiter.ts';
import { errorKey } from './failure-meta.ts';

export function refusal(code: string, category: ErrorCategory, classification: ErrorClass, message: string): JsonObject {
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    _meta: { [errorKey]: { code, category, classification, retryable: false } },
  };
}

/** The answer to a call beyond the limits of its client. No tool has run, and no circuit counts it. */
export function limited({ message, retryAfterMs }: CallRefusal): JsonObject {
  const text = `${message}. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  const meta = { code: 'RATE_LIMITED', category: 'rate_limit', classification: 'transient', retryable: true, retryAfterMs };
  return { content: [{ type: 'text', text }], isError: true, _meta: { [errorKey]: meta } };
}
