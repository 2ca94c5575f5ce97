import { tool } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, done, stage, text } from './support/stage.ts';

const shape = { city: z.string(), days: z.array(z.number()).optional(), at: z.object({ hour: z.number() }).optional() };

test('wrong arguments are described field by field, and counted; right ones are run once', async () => {
  const runs: unknown[] = [];
  const look = tool('look', 'Looks.', shape, async (args) => {
    runs.push(args);
    return text('seen');
  });
  const wrong = [{ city: 5 }, { city: 'Oslo', days: ['x'], at: { hour: 'noon' } }, {}];
  const script = [...wrong.map((args) => ({ calls: [{ name: 'look', arguments: args as never }] })), { calls: [call('look')] }, done];
  const { play, results, events } = await stage([look], script, { run: { validationRetries: { maxAttempts: 5 } as never } });
  expect(await play()).toEqual(['success', 'All done.']);
  expect(results().map(({ isError }) => isError)).toEqual([true, true, true, false]);
  expect(results()[0]?.text).toMatch(/^Error INVALID_ARGUMENTS: .*'?city/);
  expect(results()[1]?.text).toMatch(/days.*at.*hour|at.*hour.*days/s);
  expect(results()[2]?.text).not.toMatch(/"code"|"path"/);
  expect(runs).toEqual([{ city: 'Oslo' }]);
  expect(events.filter(({ event_type }) => event_type === 'ValidationRetryScheduled')).toHaveLength(3);
});

test("a call of a tool that the server does not have is the SDK's", async () => {
  const look = tool('look', 'Looks.', shape, async () => text('seen'));
  const { run } = await stage([look], [done]);
  const { instance } = run.server({ name: 'own' });
  const sent: unknown[] = [];
  const transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (message: unknown) => void sent.push(message),
  };
  await instance.connect(transport as never);
  const { onmessage } = transport as unknown as { readonly onmessage: (message: object) => void };
  onmessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'lok', arguments: {} } });
  onmessage({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'look' } });
  onmessage({ jsonrpc: '2.0', id: 3, method: 'tools/call' });
  await expect.poll(() => sent.length).toBe(3);
  const byId = new Map(sent.map((message) => [(message as { id: number }).id, JSON.stringify(message)]));
  expect(byId.get(1)).toContain('lok');
  expect(byId.get(2)).toContain('INVALID_ARGUMENTS');
  expect(byId.get(3)).toContain('error');
});

test('a call that is cancelled while its arguments are looked at is cancelled', async () => {
  let [started, aborted] = [0, 0];
  const look = tool(
    'look',
    'Looks.',
    { city: z.string().refine(async () => (await new Promise((resolve) => setTimeout(resolve, 20)), true)) },
    (_args, extra) => {
      const { signal } = extra as { readonly signal: AbortSignal };
      started += 1;
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          aborted += 1;
          reject(signal.reason as Error);
        }),
      );
    },
  );
  const { run } = await stage([look], [done]);
  const { instance } = run.server({ name: 'own' });
  const transport = { start: async () => undefined, close: async () => undefined, send: async () => undefined };
  await instance.connect(transport as never);
  const { onmessage } = transport as unknown as { readonly onmessage: (message: object) => void };
  onmessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'look', arguments: { city: 'Oslo' } } });
  onmessage({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await new Promise((resolve) => setTimeout(resolve, 100));
  // It is either not run, or told.
  expect(aborted).toBe(started);
});
