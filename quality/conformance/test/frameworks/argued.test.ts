/** Reasons for differences: their words, which differences they are about, and what is printed. */
import { describe, expect, test } from 'vitest';
import { argued, argumentOf, argumentsOf } from '../../frameworks/argued.ts';
import { frameworkTestsSection } from '../../frameworks/page.ts';
import { reportOf } from '../../frameworks/report.ts';
import { frameworks } from '../../frameworks/frameworks.ts';
import type { FrameworkResults } from '../../frameworks/results.ts';

const failed = (error: string) => ({ test: 'a.test.ts > a', bare: 'passed', wrapped: 'failed', error }) as const;
const counts = (passed: number, failures: number) => ({ passed, failed: failures, skipped: 0, hung: 0 });
const results: FrameworkResults = {
  name: 'ai-sdk',
  title: 'AI SDK',
  adapter: '@holdfast/ai-sdk',
  repository: 'vercel/ai',
  version: '7.0.0',
  commit: '0123456789abcdef',
  files: 2,
  bare: counts(9, 1),
  ways: [
    { name: 'control', title: 'nothing', isControl: true, wrapped: counts(8, 2), differences: [failed('x')] },
    {
      name: 'tools',
      title: 'tools',
      wrapped: counts(7, 3),
      differences: [failed('got "Error TOOL_ERROR: no"'), failed('expected 1 to be 2')],
    },
  ],
};

describe('arguments', () => {
  test('have ids of their own, known frameworks, and reasons that are sentences', () => {
    expect(new Set(argued.map(({ id }) => id)).size).toBe(argued.length);
    const names = frameworks.map(({ name }) => name);
    for (const { id, frameworks: about, reason } of argued) {
      expect(names, id).toEqual(expect.arrayContaining([...about]));
      expect(reason, id).toMatch(/\.$/);
    }
  });

  test('are found in the failure, for their frameworks only, and never for what hangs', () => {
    const difference = failed('expected "Error TOOL_ERROR: Tool error: no"');
    expect(argumentOf('ai-sdk', difference)?.id).toBe('failure-words');
    expect(argumentOf('langgraph', difference)).toBeUndefined();
    expect(argumentOf('ai-sdk', { ...difference, wrapped: 'hung' })).toBeUndefined();
    expect(argumentsOf('mcp').every((each) => each.frameworks.includes('mcp'))).toBe(true);
  });
});

describe('what is printed', () => {
  test('in the terminal: counts, arguments, and what is not argued with its first lines', () => {
    const text = reportOf(results, 1);
    expect(text).toContain('AI SDK 7.0.0 (0123456789ab), 2 test files');
    expect(text).toContain('tools: 7 passed, 3 failed, 0 skipped, 0 hung; 2 differ');
    expect(text).toContain('failure-words: 1. ');
    expect(text).toMatch(/NOT ARGUED passed → failed: expected n to be n: 1\n {4}a\.test\.ts > a\n {6}expected 1 to be 2/);
  });

  test('in the page: counts by way, the control apart, and each argument with its counts', () => {
    const page = frameworkTestsSection([results]).join('\n');
    expect(page).toContain('| AI SDK 7.0.0 | tools | 10 | 9 | 7 | 2 | 0 |');
    expect(page).toContain('AI SDK: 1 tests differ with nothing alone');
    expect(page).toMatch(/\| Words about a tool that failed \| AI SDK: 1 \|/);
    expect(page).toContain('`vercel/ai` at `0123456789ab`');
  });
});
