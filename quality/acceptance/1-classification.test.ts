import type { ClassificationRule } from '@holdfast/core';
import { classify, compileRules } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { fails, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { stage } from './support/stage.ts';

const nowEpochMs = Date.UTC(2025, 10, 5, 10, 30, 45);

/** A tool fails once with the error and then succeeds: is it retried or not? */
async function runFailingOnce(toolName: string, message: string, classification: readonly ClassificationRule[] = []) {
  const system = manualSystem();
  const tool = scriptedTool(system, toolName, [fails(message), succeeds()], { classification });
  const { service, of } = stage(system, [tool]);
  const result = await system.until(service.executeTool({ toolName }));
  return { result, attempts: tool.starts.length, error: of('ToolError')[0], decided: of('RecoveryDecided')[0] };
}

async function expectRetried(message: string, category: string) {
  expect(classify(new Error(message), { nowEpochMs })).toMatchObject({ classification: 'transient', category });
  const { result, attempts, error, decided } = await runFailingOnce('flight_search', message);
  expect(error).toMatchObject({ tool_id: 'flight_search', error: message, classification: 'transient', category, decision: 'retry' });
  expect(decided?.message).toBe('Transient error + circuit closed + retries available');
  expect(attempts).toBe(2);
  expect(result.status).toBe('success');
}

async function expectNotRetried(message: string, category: string) {
  expect(classify(new Error(message), { nowEpochMs })).toMatchObject({ classification: 'permanent', category });
  const { result, attempts, error, decided } = await runFailingOnce('flight_search', message);
  expect(error).toMatchObject({ tool_id: 'flight_search', error: message, classification: 'permanent', category, decision: 'escalate' });
  expect(decided?.message).toBe('Permanent error (no retry)');
  expect(attempts).toBe(1);
  expect(result).toMatchObject({ status: 'error', error: { classification: 'permanent', category, retryable: false } });
}

describe('error classification', () => {
  test('"Connection timeout after 30s" is transient and retried', { tags: ['S1-1.1'] }, async () => {
    await expectRetried('Connection timeout after 30s', 'timeout');
  });

  test('"Invalid airport code: XYZ" is permanent and not retried', { tags: ['S1-1.2'] }, async () => {
    await expectNotRetried('Invalid airport code: XYZ', 'invalid_input');
  });

  test('"Rate limit exceeded (429)" is transient and retried', { tags: ['S1-1.3'] }, async () => {
    await expectRetried('Rate limit exceeded (429)', 'rate_limit');
  });

  test('"Authentication failed (401)" is permanent and not retried', { tags: ['S1-1.4'] }, async () => {
    await expectNotRetried('Authentication failed (401)', 'auth');
  });

  test('"treat 503 as permanent" overrides what "Service unavailable (503)" is by itself', { tags: ['S1-1.5'] }, async () => {
    const message = 'Service unavailable (503)';
    const treat503AsPermanent: readonly ClassificationRule[] = [{ status: 503, as: 'permanent' }];
    expect(classify(new Error(message), { nowEpochMs }).classification).toBe('transient');
    expect(classify(new Error(message), { nowEpochMs, overrides: compileRules(treat503AsPermanent) })).toMatchObject({
      classification: 'permanent',
      rule: 'override:status=503',
    });

    const plain = await runFailingOnce('custom_api', message);
    expect(plain.error).toMatchObject({ classification: 'transient', decision: 'retry' });
    expect(plain.attempts).toBe(2);

    const overridden = await runFailingOnce('custom_api', message, treat503AsPermanent);
    expect(overridden.error).toMatchObject({ classification: 'permanent', decision: 'escalate', rule: 'override:status=503' });
    expect(overridden.decided?.message).toBe('Permanent error (no retry)');
    expect(overridden.attempts).toBe(1);
    expect(overridden.result).toMatchObject({ status: 'error', error: { retryable: false } });
  });

  test('the override applies to its own tool only', { tags: ['S1-1.5'] }, async () => {
    const system = manualSystem();
    const custom = scriptedTool(system, 'custom_api', [fails('Service unavailable (503)')], {
      classification: [{ status: 503, as: 'permanent' }],
    });
    const flights = scriptedTool(system, 'flight_search', [fails('Service unavailable (503)'), succeeds()]);
    const { service } = stage(system, [custom, flights]);
    await system.until(service.executeToolBatch([{ toolName: 'custom_api' }, { toolName: 'flight_search' }]));
    expect(custom.starts).toHaveLength(1);
    expect(flights.starts).toHaveLength(2);
  });
});
