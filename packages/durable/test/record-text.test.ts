import type { ToolResult, TraceEvent } from '@holdfast/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fittingResult, recordText } from '../src/turns/record-text.ts';
import type { DurableTurnResult } from '../src/turns/turn-record.ts';

const MOST = 400_000;

const baseOf = (callId: string): Pick<ToolResult, 'toolName' | 'callId' | 'executionTime' | 'attempts' | 'servedBy'> => ({
  toolName: 'a',
  callId,
  executionTime: 1,
  attempts: 1,
  servedBy: 'a',
});

const success = (callId: string, output: unknown): ToolResult => ({ ...baseOf(callId), status: 'success', output });

const failure = (callId: string, output: unknown): ToolResult => {
  const error = { code: 'TIMEOUT', message: '', userMessage: '', retryable: true, rule: '' } as const;
  return {
    ...baseOf(callId),
    output,
    status: 'timeout',
    fallbackUsed: true,
    error: { ...error, classification: 'transient', category: 'timeout' },
  };
};

const turnOf = (results: readonly ToolResult[]): DurableTurnResult => ({
  turnId: 't',
  outcome: 'success',
  summary: '',
  escalated: false,
  executionTime: 1,
  criticalPath: [],
  results,
});

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe("a turn's result", () => {
  test('that fits is unchanged', () => {
    const result = turnOf([success('A', 'x'.repeat(MOST / 2))]);
    expect(fittingResult(result, MOST)).toBe(result);
  });

  test('that is too large: the largest outputs are truncated as little as necessary, and marked', () => {
    const small = success('S', { x: 1 });
    const middle = success('M', 'm'.repeat(200_000));
    const large = success('L', { text: 'l'.repeat(250_000) });
    const { results, truncated } = fittingResult(turnOf([small, large, middle]), MOST);
    expect(truncated).toEqual({ calls: ['L'], trace: false });
    expect(results[0]).toBe(small);
    expect(results[2]).toBe(middle);
    expect(results[1]).toMatchObject({ callId: 'L', status: 'success', altered: 'truncated' });
    expect(results[1]?.output).toMatch(/^\{"text":"l{1991}… \[truncated, 250011 characters\]$/);
  });

  test('keeps the failure of a call whose fallback is too large', () => {
    const { results, truncated } = fittingResult(turnOf([failure('F', '😀'.repeat(MOST))]), MOST);
    expect(truncated?.calls).toEqual(['F']);
    expect(results[0]).toMatchObject({ status: 'timeout', fallbackUsed: true, error: { code: 'TIMEOUT' } });
    expect(results[0]?.output).toBe(`${'😀'.repeat(1000)}… [truncated, ${MOST * 2} characters]`);
  });

  test('loses its trace before any output', () => {
    const trace = [{ text: 'x'.repeat(MOST) }] as unknown as readonly TraceEvent[];
    const result = turnOf([success('A', 'x'.repeat(MOST / 2))]);
    const fitting = fittingResult({ ...result, trace }, MOST);
    expect(fitting).toEqual({ ...result, truncated: { calls: [], trace: true } });
    expect(fitting.results).toBe(result.results);
  });

  test('keeps every call, and fits, whatever the outputs are', () => {
    const output = fc.record({ character: fc.constantFrom('x', '\u0000', 'é', '😀'), times: fc.nat(60_000), failed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(output, { maxLength: 30 }), (outputs) => {
        const given = outputs.map(({ character, times, failed }, index) =>
          (failed ? failure : success)(`C${index}`, times % 7 === 0 ? undefined : character.repeat(times)),
        );
        const fitting = fittingResult(turnOf(given), MOST);
        expect(sizeOf(fitting)).toBeLessThanOrEqual(MOST);
        expect(fitting.results.map(({ callId, status }) => [callId, status])).toEqual(given.map(({ callId, status }) => [callId, status]));
        const changed = fitting.results.filter((result, index) => result !== given[index]).map(({ callId }) => callId);
        expect(fitting.truncated?.calls ?? []).toEqual(changed);
      }),
      { numRuns: 30 },
    );
  });

  test('that cannot be truncated enough, or is not JSON, fails the turn permanently', () => {
    const wordy = turnOf([{ ...success('A', 1), servedBy: 'x'.repeat(17_000_000) }]);
    expect(() => recordText({ result: wordy, planDigest: '' })).toThrow("The turn's result has");
    expect(() => recordText({ result: turnOf([success('A', 1n)]), planDigest: '' })).toThrow("The turn's result is not JSON");
  });
});
