import { expect, test } from 'vitest';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import type { TurnStarted } from '../../../src/engine/trace/events.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const works = (name: string, alternatives: readonly string[] = []): ReturnType<typeof defineTool> =>
  defineTool({ name, alternatives, run: () => name });

test('a turn records the settings of its tools and of all their alternatives, for any order of its calls', async () => {
  const system = manualSystem();
  // `b` occurs as an alternative of `a` before it occurs as the tool of a call.
  const service = new ToolExecutionService({ tools: [works('a', ['b']), works('b', ['c']), works('c')], system, seed: 'seed' });
  const { trace } = await system.until(
    service.executeTurn({
      calls: [
        { callId: '1', toolName: 'a' },
        { callId: '2', toolName: 'b' },
      ],
    }),
  );
  expect(Object.keys((trace[0] as TurnStarted).tools)).toEqual(['a', 'b', 'c']);
});

test('the time of an advisor is on the clock', async () => {
  const system = manualSystem();
  let time = 0;
  const now = (): number => system.now() + time;
  const fails = defineTool({
    name: 'fails',
    run: () => {
      throw Object.assign(new Error('no'), { status: 400 });
    },
  });
  const service = new ToolExecutionService({
    tools: [fails],
    system: { ...system, now },
    seed: 'seed',
    advisor: () => {
      time += 60;
      return undefined;
    },
  });
  const { executionTime } = await system.until(service.executeTool({ toolName: 'fails' }));
  expect(executionTime).toBe(60);
});
