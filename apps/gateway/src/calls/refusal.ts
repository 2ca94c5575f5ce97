/** Owns error results that the gateway itself creates. */
import type { ErrorCategory, ErrorClass } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { errorKey } from './failure-meta.ts';

export function refusal(code: string, category: ErrorCategory, classification: ErrorClass, message: string): JsonObject {
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    _meta: { [errorKey]: { code, category, classification, retryable: false } },
  };
}
