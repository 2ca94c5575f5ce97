import { expect } from 'vitest';
import type { ToolResult } from '../../src/engine/call/result.ts';

/** Checks that a result is complete, plain, and can be represented in JSON. */
export function expectComplete(result: ToolResult | undefined, more: { readonly maxChars?: number } = {}): void {
  if (result === undefined || result === null) throw new Error('no result');
  expect(['success', 'error', 'timeout']).toContain(result.status);
  expect(typeof result.toolName).toBe('string');
  expect(typeof result.servedBy).toBe('string');
  expect(typeof result.callId).toBe('string');
  expect(result.callId).not.toBe('');
  expect(Number.isFinite(result.executionTime) && result.executionTime >= 0).toBe(true);
  expect(Number.isInteger(result.attempts) && result.attempts >= 0).toBe(true);
  if (result.status === 'success') expect(result.error).toBeUndefined();
  else {
    const { error } = result;
    for (const text of [error.code, error.message, error.userMessage, error.category, error.rule]) expect(typeof text).toBe('string');
    expect(error.code).toMatch(/^[A-Z_]+$/);
    expect(error.code).not.toBe('INTERNAL_ERROR');
    expect(['transient', 'permanent', 'neutral']).toContain(error.classification);
    expect(typeof error.retryable).toBe('boolean');
  }
  const plain = result.error ? { ...result, error: { ...result.error, cause: undefined } } : result;
  expect(JSON.stringify(plain).length).toBeLessThan(more.maxChars ?? Number.POSITIVE_INFINITY);
}
