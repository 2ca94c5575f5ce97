import { createTool } from '@mastra/core/tools';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CallContext } from '../src/call-context.ts';
import { call, done, stage } from './support/stage.ts';

const unavailable = (): Error => Object.assign(new Error('unavailable'), { status: 503 });

test('arguments are transformed once, however often the tool is run', async () => {
  const amounts: number[] = [];
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ amount: z.number().transform((amount) => amount * 2), city: z.string().transform((city) => city.length) }),
    execute: async ({ amount, city }) => {
      amounts.push(amount, city);
      if (amounts.length < 6) throw unavailable();
      return 'paid';
    },
  });
  const { agent, results } = await stage({ pay }, [{ calls: [{ name: 'pay', arguments: { amount: 5, city: 'Oslo' } }] }, done]);
  await agent.generate('Go on.');
  expect(amounts).toEqual([10, 4, 10, 4, 10, 4]);
  expect(results()).toEqual(['paid']);
  expect(Object.getOwnPropertyDescriptor(pay, 'inputSchema')).toMatchObject({ writable: true, value: expect.anything() });
});

test('in a direct call, every attempt begins with the arguments as they were given', async () => {
  const amounts: number[] = [];
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ amount: z.number().transform((amount) => amount * 2) }),
    execute: async ({ amount }) => {
      amounts.push(amount);
      if (amounts.length < 3) throw unavailable();
      return 'paid';
    },
  });
  const { reliable } = await stage({ pay }, [done]);
  expect(await reliable.tools.pay.execute?.({ amount: 5 } as never, {} as never)).toBe('paid');
  expect(amounts).toEqual([10, 10, 10]);
});

test('a tool that fails after it has suspended itself is not run again', async () => {
  let runs = 0;
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({ city: z.string() }),
    execute: async (_input, { agent }) => {
      runs += 1;
      await agent?.suspend?.({ question: 'Which day?' });
      throw unavailable();
    },
  });
  const { agent } = await stage({ ask }, [{ calls: [call('ask')] }, done], { tools: { ask: { effect: 'read' } } });
  const output = await agent.stream('Go on.');
  await output.consumeStream();
  expect(runs).toBe(1);
});

test('the context of an agent stays the same object, another is copied, and a frozen one too', () => {
  const suspend = (): string => 'suspended';
  const seen: unknown[] = [];
  const tool = { execute: (_input: never, context: never) => void seen.push(context) };
  const { signal } = new AbortController();
  const inAgent = { agent: { toolCallId: 'c', suspend } };
  new CallContext(inAgent).run(tool, {}, signal);
  expect(seen[0]).toBe(inAgent);
  const frozen = Object.freeze({ agent: { toolCallId: 'c', suspend } });
  const copied = new CallContext(frozen);
  copied.run(tool, {}, signal);
  expect(seen[1]).toMatchObject({ abortSignal: signal, agent: { toolCallId: 'c' } });
  expect(copied.isSuspended).toBe(false);
  expect((seen[1] as typeof inAgent).agent.suspend()).toBe('suspended');
  expect(copied.isSuspended).toBe(true);
  const own = { workflow: { suspend } };
  new CallContext(own).run(tool, {}, signal);
  expect(own).toEqual({ workflow: { suspend } });
});
