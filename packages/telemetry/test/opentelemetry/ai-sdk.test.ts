/** The AI SDK 7 opens its own execute_tool span: Holdfast's attempts belong to it, and there is no second one. */
import { OpenTelemetry } from '@ai-sdk/otel';
import { reliableTools } from '@holdfast/ai-sdk';
import { openTelemetry } from '@holdfast/telemetry/opentelemetry';
import { trace } from '@opentelemetry/api';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sdk2 } from '../support/sdk-2.ts';

const sdk = sdk2();
beforeAll(() => sdk.register());
afterAll(() => sdk.unregister());

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

/** Calls the tool twice in its first answer, then ends. */
function model(): MockLanguageModelV4 {
  let answers = 0;
  return new MockLanguageModelV4({
    doGenerate: () => {
      answers += 1;
      const calls = ['call-1', 'call-2'].map((toolCallId) => ({
        type: 'tool-call' as const,
        toolCallId,
        toolName: 'search',
        input: `{"id":"${toolCallId}"}`,
      }));
      const first = answers === 1;
      return Promise.resolve({
        content: first ? calls : [{ type: 'text' as const, text: 'Done.' }],
        finishReason: { unified: first ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
        usage,
        warnings: [],
      });
    },
  });
}

test('one execute_tool span for a call, the framework’s, with our attempts within', async () => {
  const telemetry = openTelemetry();
  const failed = new Set<string>();
  const search = tool({
    description: 'Searches.',
    inputSchema: jsonSchema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } } }),
    execute: ({ id }) => {
      trace.getTracer('http').startSpan(`GET ${id}`).end();
      if (failed.has(id)) return 'found';
      failed.add(id);
      throw Object.assign(new Error('down'), { status: 503 });
    },
  });
  const reliable = reliableTools({ search }, { middleware: [telemetry.middleware], policy: { retry: { initialDelayMs: 1 } } });
  telemetry.attach(reliable.service);
  const run = reliable.startRun();
  const { text } = await generateText({
    model: model(),
    prompt: 'Go.',
    ...run.settings,
    stopWhen: isStepCount(3),
    telemetry: { integrations: new OpenTelemetry() },
  });
  expect(text).toBe('Done.');
  const spans = sdk.spans();
  const executions = spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'execute_tool');
  expect(
    executions.map(({ name, attributes, status }) => [
      name,
      attributes['gen_ai.tool.call.id'],
      attributes['holdfast.call.attempts'],
      status.code,
    ]),
  ).toEqual([
    ['execute_tool search', 'call-1', 2, 0],
    ['execute_tool search', 'call-2', 2, 0],
  ]);
  for (const execution of executions) {
    const attempts = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === execution.spanContext().spanId);
    expect(attempts.map(({ name, status }) => [name, status.code])).toEqual([
      ['tool_attempt search', 2],
      ['tool_attempt search', 0],
    ]);
    for (const attempt of attempts) {
      const requests = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === attempt.spanContext().spanId);
      expect(requests.map(({ name }) => name)).toEqual([`GET ${String(execution.attributes['gen_ai.tool.call.id'])}`]);
    }
  }
  expect(spans.some(({ name }) => name === 'holdfast.turn')).toBe(false);
});
