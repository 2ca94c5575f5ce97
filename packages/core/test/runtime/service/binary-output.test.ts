/** Binary data that a tool returns, such as a downloaded file. */
import { expect, test } from 'vitest';
import { AgentRun } from '../../../src/agent/index.ts';
import type { TraceEvent } from '../../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const FOUR_MB = 4_000_000;

function world(output: unknown) {
  const events: TraceEvent[] = [];
  const service = new ToolExecutionService({
    profile: 'adaptive',
    capture: 'all',
    tools: [defineTool({ name: 'download', effect: 'read', run: () => output })],
    system: manualSystem(),
  });
  service.subscribe((event) => void events.push(event));
  return { service, events };
}

test.each([
  ['a typed array', new Uint8Array(FOUR_MB)],
  ['a buffer', Buffer.alloc(FOUR_MB)],
  ['a view', new DataView(new ArrayBuffer(FOUR_MB))],
  ['an ArrayBuffer', new ArrayBuffer(FOUR_MB)],
  ['a part of an object', { name: 'a.pdf', content: new Uint8Array(FOUR_MB) }],
])('of 4 MB is handed on as it is: %s', async (_name, output) => {
  const result = await world(output).service.executeTool({ toolName: 'download' });
  expect(result.status).toBe('success');
  expect(result.output === output).toBe(true);
  expect(result).not.toHaveProperty('altered');
});

test('over maxOutputChars is replaced by its size, and marked', async () => {
  const { service } = world(new Uint8Array(10_485_761));
  expect(await service.executeTool({ toolName: 'download' })).toMatchObject({
    status: 'success',
    output: '[binary, 10485761 bytes]',
    altered: 'truncated',
  });
});

test('is in the trace and in the text for a model by its size alone', async () => {
  const content = new Uint8Array(FOUR_MB);
  const { service, events } = world({ name: 'a.pdf', content });
  const run = new AgentRun({ service });
  const [answer] = await run.answer([{ callId: 'a', toolName: 'download', arguments: {} }]);
  const output = answer?.result.output as { readonly content: unknown } | undefined;
  expect(output?.content === content).toBe(true);
  expect(answer?.text).toBe('{"name":"a.pdf","content":"[binary, 4000000 bytes]"}');
  const text = JSON.stringify(events);
  expect(text).toContain('[binary, 4000000 bytes]');
  expect(text.length).toBeLessThan(20_000);
});
