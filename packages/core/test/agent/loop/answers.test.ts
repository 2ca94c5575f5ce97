import { describe, expect, it } from 'vitest';
import type { AgentRunOptions } from '../../../src/agent/index.ts';
import { AgentRun, callExecutors, outputText } from '../../../src/agent/index.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { modelCall, runBench } from './support.ts';

const echo = defineTool({ name: 'echo', run: (args: unknown) => args });
const quote = defineTool({
  name: 'quote',
  input: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'], additionalProperties: false },
  run: ({ symbol }: { symbol: string }) => symbol,
});

describe('answers', () => {
  it('are one per call, in call order, even if ids repeat or are missing', async () => {
    const { run } = runBench([echo]);
    const answers = await run.answer([
      modelCall('echo', 1, { callId: 'same' }),
      modelCall('nonesuch', 2, { callId: 'same' }),
      { toolName: 'echo', arguments: 3 } as never,
      null as never,
    ]);
    expect(answers.map(({ callId, isError }) => [callId, isError])).toEqual([
      ['same', false],
      ['same', true],
      ['call-3', false],
      ['call-4', true],
    ]);
    expect(answers.map(({ result }) => result.callId)).toEqual(['same', 'same', 'call-3', 'call-4']);
  });

  it.each([
    [{ toolName: 'echo', callId: 'a' }, 'an object'],
    [Promise.resolve([]), 'a promise'],
    ['echo', "'echo'"],
  ])('to calls that are no array are an error, instead of none', async (calls, what) => {
    const { run } = runBench([echo]);
    const answers = await run.answer(calls as never);
    expect(answers).toMatchObject([{ callId: 'call-1', isError: true, result: { error: { code: 'INVALID_CALL' } } }]);
    expect(answers[0]?.text).toContain(`The calls must be an array, got ${what}`);
    expect(await run.answer(undefined as never)).toEqual([]);
  });

  it('contain the executed arguments and their repairs', async () => {
    const { run, of } = runBench([echo], {
      readArguments: ({ raw }) => ({ ok: true, value: { repaired: raw }, repairs: ['closed a brace'] }),
    });
    const [answer] = await run.answer([modelCall('echo', '{"a":1')]);
    expect(answer).toMatchObject({ arguments: { repaired: '{"a":1' }, repairs: ['closed a brace'], text: '{"repaired":"{\\"a\\":1"}' });
    expect(of('ArgumentsRepaired')).toMatchObject([{ call_id: 'echo', repairs: ['closed a brace'] }]);
  });

  it('pass the schema, the effect and the tool to the reader', async () => {
    const seen: unknown[] = [];
    const { run } = runBench([quote], {
      readArguments: (request) => {
        seen.push(request);
        return { ok: true, value: { symbol: 'A' }, repairs: [] };
      },
    });
    await run.answer([modelCall('quote', 'text')]);
    expect(seen).toEqual([{ raw: 'text', toolName: 'quote', schema: quote.input, effect: undefined, truncated: false }]);
  });

  it('never run a truncated call', async () => {
    let runs = 0;
    const { texts, of } = runBench([defineTool({ name: 'pay', run: () => (runs += 1) })]);
    const [text] = await texts(modelCall('pay', { amount: 1 }, { truncated: true }));
    expect(text).toMatch(/^Error ANSWER_TRUNCATED: .*cut off[\s\S]*shorter arguments/);
    expect(runs).toBe(0);
    expect(of('AgentCallRefused')).toMatchObject([{ code: 'ANSWER_TRUNCATED' }]);
    expect(of('ValidationRetryScheduled')).toEqual([]);
  });

  it('treat arguments as data even if they look like a reference to another call', async () => {
    const { run } = runBench([echo]);
    const [, second] = await run.answer([
      modelCall('echo', { secret: 1 }, { callId: 'a' }),
      modelCall('echo', { $from: 'a' }, { callId: 'b', dependsOn: ['a'] }),
    ]);
    expect(second?.result.output).toEqual({ $from: 'a' });
  });

  it('run calls after their dependencies, and not when a dependency failed', async () => {
    const order: string[] = [];
    const tool = (name: string, run: () => unknown) => defineTool({ name, run: () => (order.push(name), run()) });
    const { run } = runBench([
      tool('first', () => 'ok'),
      tool('second', () => 'ok'),
      tool('broken', () => {
        throw Object.assign(new Error('no'), { status: 400 });
      }),
    ]);
    const answers = await run.answer([
      modelCall('second', {}, { dependsOn: ['first'] }),
      modelCall('first'),
      modelCall('broken'),
      modelCall('first', {}, { callId: 'dependent', dependsOn: ['broken'] }),
      modelCall('first', {}, { callId: 'unread', arguments: '{', dependsOn: [] }),
      modelCall('first', {}, { callId: 'dependent too', dependsOn: ['unread'] }),
      modelCall('first', {}, { callId: 'alone', dependsOn: ['missing'] }),
    ]);
    expect(order).toEqual(['broken', 'first', 'second']);
    expect(answers.map(({ result }) => result.error?.code)).toEqual([
      undefined,
      undefined,
      'INVALID_INPUT',
      'DEPENDENCY_FAILED',
      'INVALID_ARGUMENTS',
      'DEPENDENCY_FAILED',
      'DEPENDENCY_FAILED',
    ]);
    expect(answers[5]?.result).toMatchObject({ skipped: true, error: { causedBy: ['unread'] } });
    expect(answers[6]?.text).toContain("'missing', which is not among the calls");
  });

  it('are errors for calls with circular dependencies', async () => {
    const { texts } = runBench([echo]);
    const circle = [modelCall('echo', 1, { callId: 'a', dependsOn: ['b'] }), modelCall('echo', 2, { callId: 'b', dependsOn: ['a'] })];
    for (const text of await texts(...circle)) expect(text).toContain('depend on each other');
  });

  it('are returned at the deadline of the turn, and at once on abort', async () => {
    const hang = defineTool({ name: 'hang', run: () => new Promise(() => undefined) });
    const { run, system } = runBench([hang, echo], { turn: { timeoutMs: 500 } });
    const answers = await system.until(run.answer([modelCall('hang'), modelCall('echo', 1)]));
    expect(system.now()).toBe(500);
    expect(answers.map(({ result }) => result.status)).toEqual(['timeout', 'success']);

    const controller = new AbortController();
    const answering = run.answer([modelCall('hang')], { signal: controller.signal });
    controller.abort();
    expect((await answering)[0]?.result.error?.code).toBe('CANCELLED');
    expect(system.now()).toBe(500);
  });

  it('do not wait for a backoff beyond the deadline of the turn, nor after an abort', async () => {
    const { run, system } = runBench([quote], {
      turn: { timeoutMs: 1_000 },
      validationRetries: { backoff: { delaySeconds: () => 60 }, maxAttempts: 10 },
    });
    await run.answer([modelCall('quote')]);
    expect(system.now()).toBe(0);

    run.setRetryPolicy({ backoff: { delaySeconds: () => 0.9 }, maxAttempts: 10 });
    const controller = new AbortController();
    const answering = run.answer([modelCall('quote')], { signal: controller.signal });
    await system.advance(300);
    controller.abort();
    await answering;
    expect(system.now()).toBe(300);
    expect(system.pendingTimers).toBe(0);
  });

  it('count the invalid calls of one model answer as one attempt', async () => {
    const { run, session } = runBench([quote]);
    await run.answer([1, 2, 3].map((index) => modelCall('quote', {}, { callId: `${index}` })));
    expect(session.feedback.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    expect(run.stopped).toBeUndefined();
  });

  it('are redacted', async () => {
    const { run } = runBench([quote], { readArguments: () => ({ ok: false, message: 'no JSON: sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa' }) });
    const [answer] = await run.answer([modelCall('quote', '{')]);
    expect(answer?.text).not.toContain('aaaaaaaaaaaa');
  });
});

describe('executors', () => {
  it('replace the runner of a call, with the usual retries and alternatives', async () => {
    const executors = callExecutors();
    const backup = defineTool({ name: 'backup', run: () => 'backup' });
    const main = defineTool({
      name: 'main',
      alternatives: ['backup'],
      retry: { initialDelayMs: 0, maxDelayMs: 0 },
      breaker: false,
      run: () => 'own',
    });
    const { run, system } = runBench([main, backup], { executors, service: { middleware: [executors.middleware] } });
    let attempts = 0;
    const answer = await system.until(
      run.answerOne(
        modelCall('main'),
        {},
        {
          execute: () => {
            attempts += 1;
            throw Object.assign(new Error('down'), { status: 503 });
          },
        },
      ),
    );
    expect(attempts).toBe(5);
    expect(answer.result).toMatchObject({ status: 'success', output: 'backup', servedBy: 'backup' });
    expect((await run.answerOne(modelCall('main'), {}, { execute: () => 'executed' })).text).toBe('executed');
    expect((await run.answerOne(modelCall('main'), {})).text).toBe('own');
  });

  it('are required for a call with `execute`', async () => {
    const { run } = runBench([echo]);
    expect((await run.answerOne(modelCall('echo'), {}, { execute: () => 1 })).text).toContain("no 'executors'");
  });
});

describe('options', () => {
  const service = new ToolExecutionService({ tools: [echo], system: manualSystem() });
  it.each([
    [{}, /service/],
    [{ service: {} }, /ToolExecutionService/],
    [{ service, maxRefusals: 0 }, /maxRefusals.*1 or more/],
    [{ service, validationRetries: { maxAttempts: 0 } }, /validationRetries.maxAttempts/],
    [{ service, toolValidationRetries: { echo: { backof: 1 } } }, /Did you mean 'backoff'/],
    [
      { service, toolValidationRetries: { ecco: {} } },
      /toolValidationRetries names 'ecco', but there is no such tool. Did you mean 'echo'/,
    ],
    [{ service, openCircuits: 'hide' }, /annotate, remove, as_is/],
    [{ service, session: {} }, /Session/],
    [{ service, turn: { timeoutMs: -1 } }, /timeoutMs/],
    [{ service, maxRefusal: 1 }, /Did you mean 'maxRefusals'/],
    [null, /AgentRun must be an object, got null/],
  ])('%# are checked', (options, message) => {
    expect(() => new AgentRun(options as unknown as AgentRunOptions)).toThrow(message);
  });

  it.each<readonly [unknown, string]>([
    [{ timeout: 5 }, "options has no setting 'timeout'. Did you mean 'timeoutMs'?"],
    [{ timeoutMs: 0 }, 'options.timeoutMs must be a number of milliseconds above 0, got 0.'],
    [{ signal: new AbortController() }, 'options.signal must be an AbortSignal, such as controller.signal, got an object.'],
    [null, 'options must be an object, got null.'],
  ])('of an answer are checked: %j', async (options, message) => {
    const { run } = runBench([echo]);
    const refused = { isError: true, result: { error: { code: 'INVALID_CALL', message: expect.stringContaining(message) } } };
    expect(await run.answer([modelCall('echo'), modelCall('echo')], options as never)).toMatchObject([refused, refused]);
    expect(await run.answerOne(modelCall('echo'), {}, options as never)).toMatchObject(refused);
    await expect(run.readOutput('1', { type: 'number' }, options as never)).rejects.toThrow(message);
  });

  it('of a policy that is set later name a tool that exists', () => {
    const { run } = runBench([echo]);
    expect(() => run.setRetryPolicy({ maxAttempts: 2 }, 'ecco')).toThrow(
      "setRetryPolicy names 'ecco', but there is no such tool. Did you mean 'echo'?",
    );
    expect(() => run.setRetryPolicy(null as never)).toThrow('setRetryPolicy must be an object, got null.');
  });
});

describe('text of an output', () => {
  const ring: Record<string, unknown> = {};
  ring['ring'] = ring;
  it.each([
    ['plain', 'plain'],
    ['', '(The tool returned an empty string.)'],
    [undefined, '(Done. The tool returned no output.)'],
    [null, 'null'],
    [{ a: [1] }, '{"a":[1]}'],
    [{ big: 10n }, '{"big":"10"}'],
    [ring, '{"ring":"[circular]"}'],
    [() => 1, '"[function ]"'],
  ])('%# is formatted', (output, text) => {
    expect(outputText(output)).toBe(text);
  });
});
