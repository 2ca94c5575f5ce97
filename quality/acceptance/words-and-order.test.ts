/** What faults drawn at random showed to be untested: words that are never empty, and the order in which a model reads what happened. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { AgentRun, runInference, Session } from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import { validateResponse } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';
import { scriptedModel } from './support/agent.ts';

const weather = defineTool({
  name: 'weather',
  input: {
    type: 'object',
    properties: { place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
    required: ['place'],
  },
  run: ({ place }: { place: { city: string } }) => `21 degrees in ${place.city}`,
});
const call = (callId: string, args: unknown, more: object = {}) => ({ callId, toolName: 'weather', arguments: args, ...more });
const oslo = { place: { city: 'Oslo' } };

describe('the loop with a model', () => {
  test('sends the messages in the order in which they came about, in every request', { tags: ['S3-loop', 'S2-loop'] }, async () => {
    const { model, requests } = scriptedModel(
      { text: 'Let me see.', calls: [call('a', {}), call('b', oslo)] },
      { calls: [call('c', oslo)] },
      { text: '21' },
    );
    await runInference({
      model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Warm?' },
      ],
      tools: [weather],
    });
    const seen = requests.map(({ messages }) =>
      messages.map((message) => `${message.role} ${'callId' in message ? message.callId : message.content}`),
    );
    const first = ['system Be brief.', 'user Warm?'];
    const second = [...first, 'assistant Let me see.', 'tool a', 'tool b'];
    expect(seen).toEqual([first, second, [...second, 'assistant ', 'tool c']]);
  });

  test('a model that fails ends it with its error', { tags: ['S2-nothing-swallowed', 'S3-invariant'] }, async () => {
    const model = () => Promise.reject(new Error('overloaded'));
    const result = await runInference({ model, messages: [{ role: 'user', content: 'Warm?' }], tools: [weather] });
    expect(result).toMatchObject({
      outcome: 'model_failed',
      error: expect.objectContaining({ message: expect.stringContaining('overloaded') }),
    });
  });

  test(
    'tells the model of every call that was not run, why and what to do',
    { tags: ['S3-invariant', 'S3-recovery', 'S3-negatives'] },
    async () => {
      const system = manualSystem();
      const service = new ToolExecutionService({ tools: [weather], system });
      const run = new AgentRun({ service, session: new Session({ system }) });
      const answers = await system.until(
        run.answer([
          { callId: 'unknown', toolName: 'wether', arguments: {} },
          { callId: 'nameless', toolName: '', arguments: {} },
          call('json', '{"place": '),
          call('twice', '{"place":{},"place":{}}'),
          call('missing', {}),
          call('nested', { place: {} }),
          call('alone', oslo, { dependsOn: ['nowhere'] }),
          call('cut', '{"pl', { truncated: true }),
          7 as never,
        ]),
      );
      expect(answers).toHaveLength(9);
      for (const { text, isError, callId } of answers) {
        expect(isError, callId).toBe(true);
        expect(text, callId).toMatch(/^Error [A-Z_]+: \S.+/u);
        expect(text, callId).toMatch(/^Next: \S.+/mu);
        expect(text, callId).not.toMatch(/undefined|null|\[object/u);
      }
      const textOf = (id: string): string => answers.find(({ callId }) => callId === id)?.text ?? '';
      expect(textOf('unknown')).toContain("Unknown tool: wether. Did you mean 'weather'?");
      expect(textOf('missing')).toContain("Required parameter 'place' missing");
      expect(textOf('nested')).toContain("Required parameter 'place.city' missing");
      expect(textOf('alone')).toContain('nowhere');
    },
  );
});

test('a required parameter of a nested object is named with its path', { tags: ['S3-error-3'] }, async () => {
  const service = new ToolExecutionService({ tools: [weather] });
  const messageOf = async (args: unknown): Promise<unknown> =>
    (await service.executeTool({ toolName: 'weather', arguments: args as never })).error?.message;
  expect(await messageOf({})).toBe("Required parameter 'place' missing");
  expect(await messageOf({ place: {} })).toBe("Required parameter 'place.city' missing");
});

describe('a response in which the provider reports a broken call', () => {
  test.each([
    ['gemini', { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', content: { role: 'model', parts: [{ text: 'x' }] } }] }],
    ['openai-responses', { status: 'failed', error: { code: 'server_error' }, output: [] }],
  ] as const)('is not valid: %s', { tags: ['S4-response-validation'] }, (format, response) => {
    const { valid, problems } = validateResponse(response, { format });
    expect(valid).toBe(false);
    for (const { message } of problems) expect(message).toMatch(/\S/u);
  });
});

test('metrics of a tool that never failed or never ran are numbers', { tags: ['S0-8.1', 'S4-metrics'] }, async () => {
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'clock', run: () => 12 })] });
  const numbers = (): readonly number[] => {
    const { attempts, ...counts } = service.getToolMetrics('clock');
    return [...Object.values(counts), ...Object.values(attempts)];
  };
  expect(numbers().every((value) => value === 0)).toBe(true);
  await service.executeTool({ toolName: 'clock' });
  expect(numbers().every(Number.isFinite)).toBe(true);
  expect(service.getToolMetrics('clock')).toMatchObject({
    totalExecutions: 1,
    failureRate: 0,
    attempts: { retrySuccessRate: 0, retryCount: 0 },
  });
});
