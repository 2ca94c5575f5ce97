/** `asyncContext`: every attempt runs in the context of its call, whatever triggered it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

interface Seen {
  readonly callId: string;
  readonly attempt: number;
  readonly place: string | undefined;
}

function world(asyncContext: (() => <Answer>(task: () => Answer) => Answer) | undefined, concurrency?: number) {
  const place = new AsyncLocalStorage<string>();
  const seen: Seen[] = [];
  const system = manualSystem();
  const flaky = defineTool({
    name: 'flaky',
    ...(concurrency === undefined ? {} : { concurrency: { limit: concurrency } }),
    run: async (_args, { callId, attempt }) => {
      seen.push({ callId, attempt, place: place.getStore() });
      if (attempt === 1) throw Object.assign(new Error('busy'), { status: 503 });
    },
  });
  return { place, seen, system, service: new ToolExecutionService({ tools: [flaky], system, asyncContext }) };
}

const snapshot = (): (<Answer>(task: () => Answer) => Answer) => AsyncLocalStorage.snapshot();

const names = ['a', 'b', 'c'] as const;

test('single calls: retries, and attempts that waited for a slot', async () => {
  const { place, seen, system, service } = world(snapshot, 1);
  const calls = names.map((name) => place.run(name, () => service.executeTool({ toolName: 'flaky', callId: name })));
  await place.run('the timer', () => system.advance(60_000));
  await Promise.all(calls);
  expect(seen).toHaveLength(6);
  expect(seen.filter(({ callId, place: where }) => callId !== where)).toEqual([]);
});

test('calls of a turn', async () => {
  const { place, seen, system, service } = world(snapshot);
  const turn = place.run('turn', () => service.executeTurn({ calls: names.map((callId) => ({ callId, toolName: 'flaky' })) }));
  await place.run('the timer', () => system.advance(60_000));
  await turn;
  expect(seen.map((one) => one.place)).toEqual(Array.from({ length: 6 }, () => 'turn'));
});

test('without it a retry runs in the context of its timer', async () => {
  const { place, seen, system, service } = world(undefined);
  const call = place.run('a', () => service.executeTool({ toolName: 'flaky', callId: 'a' }));
  await place.run('the timer', () => system.advance(60_000));
  await call;
  expect(seen.map((one) => one.place)).toEqual(['a', 'the timer']);
});

test('a value that is not a function is refused', () => {
  expect(() => new ToolExecutionService({ tools: [], asyncContext: {} as never })).toThrow(
    'ToolExecutionService.asyncContext must be a function, such as AsyncLocalStorage.snapshot, got an object.',
  );
});
