import { Reliable } from '@holdfast/adapter-kit';
import { Session } from '@holdfast/core/agent';
import { createReliability, reliableTools } from '@holdfast/mastra';
import { createTool } from '@mastra/core/tools';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Runs } from '../src/runs.ts';
import { call, done, scene, stage } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });

test('a resumed run of an agent continues its conversation', async () => {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema,
    resumeSchema: z.object({ answer: z.string() }),
    execute: async (_input, { agent }) => {
      if (!agent?.resumeData) return (await agent?.suspend?.({})) as undefined;
      return 'answered';
    },
  });
  const { agent, reliable, results } = await stage({ ask }, [{ calls: [call('ask')] }, done]);
  const session = new Session();
  const run = reliable.startRun({ session });
  const output = await agent.stream('Go on.', run.settings);
  const { toolCallId } = (await output.suspendPayload) as { toolCallId: string };
  const before = session.events.length;
  await (await agent.resumeStream({ answer: 'yes' }, { ...run.settings, toolCallId })).consumeStream();
  expect(results()).toEqual(['answered']);
  expect(session.events.length).toBeGreaterThan(before);
});

test('outside of an agent, identical calls are run as often as they are made', async () => {
  let runs = 0;
  const find = createTool({
    id: 'find',
    description: 'Finds.',
    inputSchema,
    execute: async () => {
      runs += 1;
      throw Object.assign(new Error('No such city'), { status: 404 });
    },
  });
  const { tools } = reliableTools({ find });
  for (let each = 0; each < 6; each++) await tools.find.execute?.({ city: 'Oslo' }, { runId: 'one' } as never)?.catch(() => undefined);
  expect(runs).toBe(6);
});

test('tools made per request learn from each other, and run their own functions', async () => {
  const reliability = createReliability({
    policy: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 3, openMs: 30_000 }, waitForRecovery: false },
  });
  const runs: number[] = [];
  const told: (string | undefined)[] = [];
  for (let user = 0; user < 6; user++) {
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema,
      execute: async () => {
        runs.push(user);
        throw Object.assign(new Error(`down for ${user}`), { status: 503 });
      },
    });
    const { agent, results } = await scene(reliableTools({ look }, { reliability }).tools, [{ calls: [call('look')] }, done]);
    await agent.generate('Go on.');
    told.push(results()[0]);
  }
  expect(runs).toEqual([0, 1, 2]);
  expect(told.slice(3)).toEqual(Array(3).fill(expect.stringContaining('CIRCUIT_OPEN')));
});

test('the conversations that were not used for longest are forgotten', async () => {
  const reliable = new Reliable([{ name: 'find', run: () => undefined }]);
  const runs = new Runs(reliable, {});
  const contextOf = (runId: string) => ({ runId, agent: { toolCallId: 'c' } });
  const first = runs.of(contextOf('first'));
  const second = runs.of(contextOf('second'));
  for (let each = 0; each < 498; each++) runs.of(contextOf(`${each}`));
  expect(runs.of(contextOf('first'))).toBe(first);
  runs.of(contextOf('one more'));
  expect(runs.of(contextOf('first'))).toBe(first);
  expect(runs.of(contextOf('second'))).not.toBe(second);
});
