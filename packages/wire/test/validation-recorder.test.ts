/** Failed validations of a guarded fetch, as its service records them. */
import { ToolExecutionService, type TraceEvent } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { guardFetch } from '../src/fetch/guard-fetch.ts';

const url = 'https://api.openai.com/v1/chat/completions';
const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
const user = { role: 'user', content: 'hi' };
const valid = { model: 'm', messages: [user] };
const broken = { model: 'm', messages: [user, { role: 'assistant', content: null, tool_calls: [call] }] };

describe('a failed validation', () => {
  const recorded = async (body: unknown, answer: () => Response): Promise<readonly TraceEvent[]> => {
    const service = new ToolExecutionService({ tools: [] });
    const events: TraceEvent[] = [];
    service.subscribe((event) => void events.push(event));
    const response = await guardFetch(() => Promise.resolve(answer()), { service })(url, { method: 'POST', body: JSON.stringify(body) });
    await response.text();
    return events;
  };
  const answer = (toolCalls: unknown): Response =>
    json({ choices: [{ finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: toolCalls } }] });

  test('of an answer is recorded', async () => {
    expect(await recorded(valid, () => answer([{ ...call, function: { name: 'weather', arguments: '{"city": ' } }]))).toMatchObject([
      { event_type: 'ResponseValidationFailed', stage: 'response', format: 'openai-chat' },
    ]);
  });

  test('that the provider reports is recorded if no repair addresses it', async () => {
    const refusal = (): Response => json({ error: { message: "Invalid 'tools[0].function.name': string does not match pattern" } }, 400);
    expect(await recorded(valid, refusal)).toMatchObject([
      { event_type: 'ResponseValidationFailed', stage: 'request', problems: [{ message: expect.stringContaining('tools[0]') }] },
    ]);
  });

  test('is none where everything was valid or repaired', async () => {
    expect(await recorded(valid, () => json({ choices: [{ finish_reason: 'stop', message: { content: 'a' } }] }))).toEqual([]);
    expect(await recorded(broken, () => json({ choices: [{ finish_reason: 'stop', message: { content: 'a' } }] }))).toEqual([]);
  });
});
