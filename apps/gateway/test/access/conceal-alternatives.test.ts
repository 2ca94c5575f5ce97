/** What a client reads of alternatives that do not exist for it, in the words of the engine itself. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { expect, test } from 'vitest';
import { concealAlternatives } from '../../src/access/conceal-alternatives.ts';

const down = async (): Promise<never> => {
  throw Object.assign(new Error('forbidden'), { status: 403 });
};
const once = { retry: { maxAttempts: 1 } };

async function adviceOf(allowed: readonly string[], alternatives: readonly string[]): Promise<string> {
  const service = new ToolExecutionService({
    tools: [
      defineTool({ name: 'one', alternatives: [...alternatives], ...once, run: down }),
      ...alternatives.map((name) => defineTool({ name, ...once, run: down })),
    ],
    recoveryRules: [{ name: 'itself', deny: 'use_alternative' }],
  });
  const { error } = await service.executeTool({ toolName: 'one' });
  const advice = error?.advice ?? '';
  for (const name of alternatives) expect(advice).toContain(name);
  const conceal = concealAlternatives('one', { allows: (name) => allowed.includes(name), allowsAll: false }, service);
  return conceal === undefined ? advice : conceal(advice);
}

test('all of them exist: nothing changes', async () => {
  expect(await adviceOf(['two', 'three'], ['two', 'three'])).toContain('Use two or three instead');
});

test('only those that exist are offered', async () => {
  expect(await adviceOf(['three'], ['two', 'three'])).toBe(
    'The same call of one will fail again. Use three instead, or continue without it.',
  );
  expect(await adviceOf(['four'], ['two', 'four', 'three'])).toBe(
    'The same call of one will fail again. Use four instead, or continue without it.',
  );
});

test('none exists', async () => {
  expect(await adviceOf([], ['two', 'three'])).toBe('The same call of one will fail again. Continue without it, or tell the user.');
});

test('a name in another sentence is concealed, and not where it is a part of another name', () => {
  const tools = ['get', 'get_all'].map((name) => defineTool({ name, run: down }));
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'one', alternatives: ['get', 'get_all'], run: down }), ...tools] });
  const conceal = concealAlternatives('one', { allows: () => false, allowsAll: false }, service);
  expect(conceal?.('get_all was started once and may have taken effect.')).toBe(
    'an alternative was started once and may have taken effect.',
  );
});
