import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, done, stage } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });
const noCity = (): never => {
  throw Object.assign(new Error('No such city'), { status: 404 });
};
const find = () => {
  let runs = 0;
  const tool = createTool({
    id: 'find',
    description: 'Finds.',
    inputSchema,
    execute: async () => {
      runs += 1;
      return noCity();
    },
  });
  return { tool, runs: () => runs };
};
const forEver = () => ({ calls: [call('find')] });

test('the settings name the run, and do not change the loop', async () => {
  const { tool, runs } = find();
  const { agent, run, requests } = await stage({ find: tool }, forEver);
  await agent.generate('Go on.', { ...run.settings, maxSteps: 12 });
  expect(Object.keys(run.settings)).toEqual(['runId']);
  expect(requests()).toBe(12);
  expect(runs()).toBe(3);
  expect(run.stopped?.reason).toBe('repeated_failure');
});

test('a loop ends when the run is stopped, and by the conditions of the user', async () => {
  const { tool } = find();
  const stopped = await stage({ find: tool }, forEver);
  await stopped.agent.generate('Go on.', { ...stopped.run.settings, ...stopped.run.loop({ maxSteps: 30 }) });
  expect(stopped.run.stopped?.reason).toBe('repeated_failure');
  expect(stopped.requests()).toBeLessThan(10);
  const own = await stage({ find: find().tool }, forEver);
  await own.agent.generate('Go on.', {
    ...own.run.settings,
    ...own.run.loop({ stopWhen: ({ steps }: { readonly steps: readonly unknown[] }) => steps.length === 2 }),
  });
  expect([own.requests(), own.run.stopped]).toEqual([2, undefined]);
});

test('each call of a shared agent is a conversation of its own', async () => {
  const { tool, runs } = find();
  const { agent } = await stage({ find: tool }, forEver);
  const requestContext = new RequestContext();
  await agent.generate('Go on.', { maxSteps: 2, requestContext });
  await agent.generate('Go on.', { maxSteps: 2, requestContext });
  // The third identical failure of one conversation would not be run.
  expect(runs()).toBe(4);
});

test('the own prepareStep of the user comes first', async () => {
  const { tool } = find();
  const { agent, run, requests } = await stage({ find: tool }, [done]);
  const steps: number[] = [];
  const loop = run.loop({
    maxSteps: 3,
    prepareStep: ({ stepNumber }) => {
      steps.push(stepNumber);
      return { activeTools: [] };
    },
  });
  await agent.generate('Go on.', { ...run.settings, ...loop });
  expect([steps, requests()]).toEqual([[0], 1]);
});

test('tools with an open circuit are left out with openCircuits: remove', async () => {
  const down = createTool({
    id: 'down',
    description: 'Down.',
    inputSchema,
    execute: async () => {
      throw Object.assign(new Error('down'), { status: 503 });
    },
  });
  const look = createTool({ id: 'look', description: 'Looks.', inputSchema, execute: async () => 'seen' });
  const options = {
    policy: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false as const },
    run: { openCircuits: 'remove' as const },
  };
  const { agent, run, results } = await stage(
    { down, look },
    [{ calls: [call('down')] }, { calls: [call('down'), call('look')] }, done],
    options,
  );
  await agent.generate('Go on.', { ...run.settings, ...run.loop({ maxSteps: 5 }) });
  expect(results()[1]).toContain('not found. Available tools: look');
  expect(results()[2]).toBe('seen');
});

test('messages are repaired, and valid ones stay the same list', async () => {
  const { run } = await stage({ find: find().tool }, [done]);
  const valid = [{ role: 'user', content: 'Go on.' }];
  expect(run.repair(valid)).toBe(valid);
  const dangling = [
    ...valid,
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'find', input: {} }] },
    { role: 'user', content: 'And?' },
  ];
  expect(run.repair(dangling)).toHaveLength(4);
});

test('mistakes are errors that name the field', async () => {
  const { run, reliable } = await stage({ find: find().tool }, [done]);
  expect(() => run.loop({})).toThrow('maxSteps or stopWhen');
  expect(() => run.loop({ maxSteps: 0 })).toThrow('loop.maxSteps');
  expect(() => run.loop({ maxSteps: 2, stopWhen: 5 as never })).toThrow('loop.stopWhen');
  expect(() => run.loop({ maxStep: 2 } as never)).toThrow('maxStep');
  expect(() => reliable.startRun({ sesion: {} } as never)).toThrow('sesion');
});
