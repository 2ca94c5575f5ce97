import { describe, expect, it } from 'vitest';
import type { InferenceOptions, ModelRequest, ModelResponse } from '../../../src/agent/index.ts';
import { runInference } from '../../../src/agent/index.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import type { ManualSystem } from '../../../src/testing/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { modelCall } from './support.ts';

const echo = defineTool({ name: 'echo', description: 'Echoes.', run: (args: unknown) => args });
const hangs = (): Promise<never> => new Promise(() => undefined);

interface Bench {
  readonly system: ManualSystem;
  readonly requests: readonly ModelRequest[];
  readonly infer: (more?: Partial<InferenceOptions>) => ReturnType<typeof runInference>;
}

function bench(...answers: readonly (ModelResponse | ((request: ModelRequest) => unknown))[]): Bench {
  const system = manualSystem();
  const service = new ToolExecutionService({ seed: 'bench', tools: [echo], system });
  const requests: ModelRequest[] = [];
  const model = (request: ModelRequest): ModelResponse => {
    requests.push(request);
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    return (typeof answer === 'function' ? answer(request) : answer) as ModelResponse;
  };
  return {
    system,
    requests,
    infer: (more) => system.until(runInference({ model, service, messages: [{ role: 'user', content: 'hi' }], ...more })),
  };
}

describe('runInference', () => {
  it('answers calls until the model answers without any', async () => {
    const { infer, requests } = bench({ text: 'let me see', calls: [modelCall('echo', '{"a":1}')] }, { text: 'one' });
    const result = await infer();
    expect(result).toMatchObject({
      outcome: 'answered',
      text: 'one',
      output: undefined,
      turns: 2,
      calls: 1,
      stopped: undefined,
      error: undefined,
    });
    expect(result.messages).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'let me see', calls: [{ callId: 'echo', toolName: 'echo', arguments: { a: 1 } }] },
      { role: 'tool', callId: 'echo', toolName: 'echo', content: '{"a":1}', isError: false },
      { role: 'assistant', content: 'one', calls: [] },
    ]);
    expect(requests[0]?.tools).toMatchObject([{ name: 'echo', description: 'Echoes.' }]);
    expect(requests[1]?.messages).toEqual(result.messages.slice(0, 3));
    expect(result.trace.map(({ event_type }) => event_type)).toContain('TurnCompleted');
  });

  it('never runs the calls of a truncated answer', async () => {
    const { infer } = bench({ truncated: true, calls: [modelCall('echo'), modelCall('echo', 2, { callId: 'two' })] }, { text: 'short' });
    const result = await infer();
    expect(result.messages.filter(({ role }) => role === 'tool')).toMatchObject([{ isError: true }, { isError: true }]);
    expect(result.trace.filter(({ event_type }) => event_type === 'AttemptStarted')).toEqual([]);
    expect(result).toMatchObject({ outcome: 'answered', text: 'short' });

    expect(await bench({ truncated: true, text: 'and so' }).infer({ output: {} })).toMatchObject({ outcome: 'truncated', text: 'and so' });
  });

  it('ends after `maxTurns` answers with the latest text', async () => {
    let count = 0;
    const { infer } = bench(() => ({ text: `${(count += 1)}`, calls: [modelCall('echo', count)] }));
    expect(await infer({ maxTurns: 4 })).toMatchObject({ outcome: 'max_turns', turns: 4, text: '4' });
  });

  it('ends at its time limit and on abort even if model and tools hang', async () => {
    const model = bench(hangs);
    expect(await model.infer({ timeoutMs: 700 })).toMatchObject({ outcome: 'deadline', turns: 0 });
    expect(model.system.now()).toBe(700);
    expect(model.requests[0]?.signal.aborted).toBe(true);
    expect(model.system.pendingTimers).toBe(0);

    const system = manualSystem();
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'hang', run: hangs })], system });
    const calling = runInference({ service, messages: [], timeoutMs: 300, model: () => ({ calls: [modelCall('hang')] }) });
    expect((await system.until(calling)).outcome).toBe('deadline');
    expect(system.now()).toBe(300);

    const controller = new AbortController();
    const { infer, system: clock } = bench(hangs);
    clock.setTimer(50, () => controller.abort(new Error('enough')));
    expect((await infer({ signal: controller.signal })).outcome).toBe('cancelled');
    expect(clock.now()).toBe(50);
    expect((await bench({ text: 'x' }).infer({ signal: AbortSignal.abort() })).outcome).toBe('cancelled');
  });

  it.each([
    [
      'throws',
      (): never => {
        throw new Error('no key: sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no key'))],
    ['returns undefined', () => undefined],
    [
      'returns an unreadable object',
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error('no key');
            },
          },
        ),
    ],
  ])('returns a failure as a value for a model that %s', async (_what, model) => {
    const result = await bench(model).infer();
    expect(result.outcome).toBe('model_failed');
    expect(result.error?.message).not.toContain('aaaaaaa');
    expect(result.error?.cause).toBeDefined();
    expect(result.messages).toEqual([{ role: 'user', content: 'hi' }]);
  });

  it('types the output by its schema and waits for the backoff between attempts', async () => {
    const { infer, system } = bench({ text: '[' }, { text: '```json\n{"n": 2}\n```' });
    const result = await infer({ output: { type: 'object', required: ['n'] }, validationRetries: { backoff: { delaySeconds: () => 2 } } });
    expect(result).toMatchObject({ outcome: 'answered', output: { n: 2 } });
    expect(system.now()).toBe(2_000);
  });

  it.each(['toolCalls', 'tool_calls'])('reports calls that the model returns as %s, instead of losing them', async (name) => {
    const { infer } = bench({ text: '', [name]: [{ callId: 'a', toolName: 'echo', arguments: {} }] } as never);
    const { outcome, error } = await infer({});
    expect([outcome, error?.message]).toEqual(['model_failed', `the model must return its calls as 'calls', got '${name}'`]);
  });

  it.each([
    [{ role: 'assistant', content: 'hello' }, 'the model must return { text, calls }, got { role, content }'],
    [{ text: ['hello'] }, "the model's text must be of type string, got an array."],
    [{ text: 'x', calls: { toolName: 'echo' } }, "the model's calls must be an array of calls, got an object."],
  ])('reports an answer in another form, instead of losing it: %j', async (answer, message) => {
    const { outcome, error } = await bench(answer as never).infer({});
    expect([outcome, error?.message]).toEqual(['model_failed', message]);
  });

  it.each([{}, { truncated: false }, { text: undefined, calls: undefined }])('an answer without anything is empty: %j', async (answer) => {
    expect(await bench(answer as never).infer({})).toMatchObject({ outcome: 'answered', text: '' });
  });

  it('checks its options', async () => {
    await expect(runInference({ messages: [] } as never)).rejects.toThrow('runInference.model must be of type function');
    await expect(runInference({ model: () => ({}) } as never)).rejects.toThrow(
      'runInference.messages must be an array of messages, got undefined.',
    );
    await expect(bench({}).infer({ maxTurns: 0 })).rejects.toThrow('maxTurns');
    await expect(bench({}).infer({ messages: [{ role: 'users', content: 'hi' }] } as never)).rejects.toThrow(
      "runInference.messages[0].role must be one of system, user, assistant, tool (did you mean 'user'?), got 'users'.",
    );
    await expect(bench({}).infer({ timeoutMs: -1 })).rejects.toThrow('timeoutMs');
    await expect(bench({}).infer({ maxRefusal: 1 } as never)).rejects.toThrow("Did you mean 'maxRefusals'");
  });
});
