/** Under `adaptive`, calls of a tool that stays down wait for less, so that an agent that can continue without it has time for the rest of its turn. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { expect, test } from 'vitest';

const turnMs = 60_000;

test('the waits of one call after another, in an outage and after it', async () => {
  const system = manualSystem();
  let isDown = true;
  const search = defineTool({
    name: 'search',
    effect: 'read',
    run: () => {
      if (isDown) throw Object.assign(new Error('Service unavailable'), { status: 503 });
      return 'found';
    },
  });
  const service = new ToolExecutionService({ profile: 'adaptive', system, seed: 1, tools: [search] });
  const call = async () => {
    const began = system.now();
    const result = await system.until(service.executeTool({ toolName: 'search' }, { timeoutMs: turnMs }));
    return { ok: result.status === 'success', seconds: (system.now() - began) / 1_000 };
  };

  const failed = [await call(), await call(), await call(), await call(), await call()];
  expect(failed.map(({ ok }) => ok)).toEqual([false, false, false, false, false]);
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = failed.map(({ seconds }) => seconds);
  for (const seconds of [first, second]) expect(seconds).toBeGreaterThan(55);
  // Each may wait for its time of 59 s, less in proportion once the tool has failed for more than a minute before it began.
  for (const [seconds, before] of [
    [third, first + second],
    [fourth, first + second + third],
    [fifth, first + second + third + fourth],
  ] as const) {
    expect(seconds).toBeLessThanOrEqual((59 * 60) / (before - 2));
    expect(seconds).toBeGreaterThan((59 * 60) / before - 10);
  }

  isDown = false;
  expect((await call()).ok).toBe(true);
  isDown = true;
  expect((await call()).seconds).toBeGreaterThan(55);
});
