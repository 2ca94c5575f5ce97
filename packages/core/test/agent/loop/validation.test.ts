/** A model with invalid arguments or outputs: attempts are counted, answered, recorded and ended. */
import { describe, expect, it } from 'vitest';
import type { ArgumentReader } from '../../../src/agent/index.ts';
import { AgentRun, LinearBackoff, readStrictJson, Session, ToolValidationError } from '../../../src/agent/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { brokenSchema, modelCall, runBench } from './support.ts';

const quote = defineTool({
  name: 'quote',
  input: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] },
  run: () => 'quoted',
});
const search = defineTool({ name: 'search', run: () => 'found' });
const right = modelCall('quote', { symbol: 'A' });

describe('three attempts', () => {
  it('record a recovery when the third call is valid', async () => {
    const { run, texts, of, session } = runBench([quote, search]);
    await texts(modelCall('quote'));
    await texts(modelCall('quote', '{'));
    expect(await texts(right)).toEqual(['quoted']);
    expect(of('ValidationRecovered')).toMatchObject([{ source: 'tool', tool_id: 'quote', call_id: 'quote', attempts: 3 }]);
    expect(session.metrics.validation_attempts).toMatchObject({ count: 1, sum: 3 });
    expect(run.stopped).toBeUndefined();
    // The count restarts.
    expect((await texts(modelCall('quote')))[0]).toContain('attempt 1 of 3');
  });

  it('return the history when all are invalid, and no further call is run', async () => {
    const { run, system, of } = runBench([quote, search], { validationRetries: { backoff: new LinearBackoff(1, 2) } });
    const answers = [];
    for (const args of [{}, '{', { symbol: 1 }]) answers.push(...(await system.until(run.answer([modelCall('quote', args)]))));
    expect(system.now()).toBe(4_000);
    expect(answers[2]?.text).toBe(
      "Error INVALID_ARGUMENTS: Parameter 'symbol': expected string, got number\nNext: Do not call quote again: the attempts are used up. Continue without it, or tell the user.",
    );
    expect(answers[2]?.exhausted).toMatchObject({ name: 'RetryExhaustedError', attempts: 3, maxAttempts: 3, stoppedBy: 'attempts' });
    expect(answers[2]?.exhausted?.history.map(({ attempt, nextDelaySeconds }) => [attempt, nextDelaySeconds])).toEqual([
      [1, 1],
      [2, 3],
      [3, 0],
    ]);
    expect(run.stopped).toMatchObject({ reason: 'validation_exhausted', error: answers[2]?.exhausted });
    expect((await run.answer([right]))[0]?.result.error?.code).toBe('RUN_STOPPED');
    expect(of('AgentRunStopped')).toMatchObject([{ reason: 'validation_exhausted', message: run.stopped?.message }]);
    expect(run.stopped?.message).toBe("quote failed validation 3 times: Parameter 'symbol': expected string, got number");
  });

  it('close only the tool with `close_tool`', async () => {
    const { run, texts } = runBench([quote, search], { onExhausted: 'close_tool', validationRetries: { maxAttempts: 1 } });
    await texts(modelCall('quote'));
    expect(run.stopped).toBeUndefined();
    expect(await texts(right, modelCall('search'))).toEqual([
      'Error REPEATED_FAILURE: Not run: the attempts to call quote are used up\nNext: Do not call quote again. Use another tool, or tell the user.',
      'found',
    ]);
    run.resume();
    expect(await texts(right)).toEqual(['quoted']);
  });

  it('follow the layers run, tool and call, which may change during the run', async () => {
    const { run, texts } = runBench([quote, search], { validationRetries: { maxAttempts: 9 } });
    expect((await texts(modelCall('quote')))[0]).toContain('1 of 9');
    run.setRetryPolicy({ maxAttempts: 8 }, 'quote');
    expect((await texts(modelCall('quote')))[0]).toContain('2 of 8');
    expect((await texts(modelCall('quote', {}, { validationRetries: { maxAttempts: 7 } })))[0]).toContain('3 of 7');
    run.setRetryPolicy(undefined, 'quote');
    expect((await texts(modelCall('quote', { a: 1 })))[0]).toContain('4 of 9');
    run.setRetryPolicy({ emitFeedback: false });
    expect((await texts(modelCall('quote', { a: 2 })))[0]).toContain('used up');
    expect(() => run.setRetryPolicy({ maxAttempts: 0 })).toThrow('maxAttempts');
    run.resume();
    expect((await texts(modelCall('quote', { a: 3 })))[0]).not.toContain('attempt');
    expect((await texts(modelCall('quote', { a: 4 }, { validationRetries: { maxAttempts: 0 } })))[0]).toContain(
      'The call: validationRetries.maxAttempts',
    );
  });

  it('also count a ToolValidationError of the tool, which is not retried, but no other failure', async () => {
    let runs = 0;
    const errors = [new ToolValidationError('no such symbol'), Object.assign(new Error('gone'), { status: 404 }), 'text'];
    const tool = defineTool({
      name: 'tool',
      run: () => {
        runs += 1;
        throw errors[runs - 1];
      },
    });
    const { texts, session } = runBench([tool], { service: { policy: { retry: { maxAttempts: 1 } } } });
    expect((await texts(modelCall('tool')))[0]).toContain('attempt 1 of 3');
    expect(session.feedback).toMatchObject([{ errorType: 'ToolValidationError', toolName: 'tool' }]);
    for (const _ of [1, 2]) expect((await texts(modelCall('tool')))[0]).not.toContain('attempt');
    expect(session.feedback).toHaveLength(1);
    expect(runs).toBe(3);
  });
});

describe('structured outputs', () => {
  it('have attempts, recoveries and exhaustion like arguments', async () => {
    const { run, of, session } = runBench([]);
    const schema = { type: 'object', required: ['n'] };
    expect(await run.readOutput('{', schema)).toMatchObject({
      ok: false,
      text: expect.stringMatching(/Answer again[\s\S]*attempt 1 of 3/),
    });
    expect(await run.readOutput('{"n":1}', schema)).toEqual({ ok: true, value: { n: 1 } });
    expect(of('ValidationRecovered')).toMatchObject([{ source: 'structured_output', attempts: 2 }]);
    expect(session.events.at(-1)).toMatchObject({ event_type: 'StructuredOutputParsed', output: { n: 1 } });
    const silent = { validationRetries: { maxAttempts: 1, emitFeedback: false } };
    const last = await run.readOutput('{}', schema, silent);
    expect(last).toMatchObject({ ok: false, exhausted: { toolName: null, attempts: 1 } });
    expect(last.ok ? '' : last.text).toBe("Error INVALID_STRUCTURED_OUTPUT: Required field 'n' missing\nThe attempts are used up.");
    expect(run.stopped?.message).toBe("The structured output failed validation once: Required field 'n' missing");
  });

  it('at which a reducer fails are halted at once, unless the policy allows it: the model is told which reducer to deal with', async () => {
    const slices = {
      cart: {
        initial: 0,
        reduce(state: number, { event_type: type }: { readonly event_type: string }): number {
          if (type === 'ValidationRetryScheduled') throw new Error('the cart is closed');
          return state;
        },
      },
    };
    const validationRetries = { backoff: { delaySeconds: () => 2 } };
    const system = manualSystem();
    const ask = async (more: object): Promise<string> => {
      const service = new ToolExecutionService({ tools: [], system });
      const run = new AgentRun({ service, session: new Session({ system, slices }), validationRetries: { ...validationRetries, ...more } });
      const output = await system.until(run.readOutput('{}', { type: 'object', required: ['n'] }));
      return output.ok ? '' : output.text;
    };
    expect(await ask({})).toBe(
      "Error INVALID_STRUCTURED_OUTPUT: Required field 'n' missing\nIt could not be applied to 'cart': the cart is closed\n" +
        "Next: Do not repeat the output; first deal with the failure of 'cart'.",
    );
    expect(system.now()).toBe(0);
    const allowed = await ask({ retryableErrors: ['StructuredOutputError', 'ReducerError'] });
    expect(allowed).toContain("'cart': the cart is closed\nNext: Answer again with only the corrected JSON.\nThis was attempt 1 of 3.");
    expect(system.now()).toBe(2_000);
  });

  it('with a broken schema are accepted, and the trace has the reason', async () => {
    const { run, of } = runBench([]);
    expect(await run.readOutput('1', brokenSchema)).toEqual({ ok: true, value: 1 });
    expect(of('ComponentFailed')).toMatchObject([
      { component: 'schema', name: 'structured output', error: expect.stringContaining('output schema: ') },
    ]);
  });
});

describe('arguments', () => {
  const read = (raw: unknown) => readStrictJson({ raw, toolName: 't', schema: undefined, effect: undefined, truncated: false });
  it.each([
    [undefined, {}],
    [null, {}],
    [' ', {}],
    [{ a: 1 }, { a: 1 }],
    ['{"a":1}', { a: 1 }],
  ])('%# are read strictly', (raw, value) => {
    expect(read(raw)).toEqual({ ok: true, value, repairs: [] });
  });

  it('a name twice in one object is refused: JSON.parse would keep the last value', () => {
    expect(read('{"path":"/tmp/a","path":"/"}')).toMatchObject({ ok: false, message: 'The arguments contain a name twice in one object' });
    expect(read('{"a":{"path":"/"},"path":"/"}')).toMatchObject({ ok: true });
  });

  it.each(['{"id":12345678901234567890}', '[-9007199254740993]', `{"id":${'9'.repeat(400)}}`])('an integer is never rounded: %s', (raw) => {
    expect(read(raw)).toMatchObject({
      ok: false,
      message: 'The arguments contain an integer too large for a number. Write it as a string',
    });
  });
  it.each(['{"wei":1000000000000000000}', '{"id":"12345678901234567890"}', '{"x":0.12345678901234567890}', '{"x":1.2345678901234567e30}'])(
    'other numbers are read: %s',
    (raw) => expect(read(raw)).toEqual({ ok: true, value: JSON.parse(raw) as unknown, repairs: [] }),
  );

  const readers: readonly [string, ArgumentReader][] = [
    ['undefined', () => undefined as never],
    ['null', () => null as never],
    ['no message', () => ({ ok: false }) as never],
  ];
  it.each(readers)('a reader that returns %s could not read them', async (_what, readArguments) => {
    const { texts } = runBench([search], { readArguments });
    expect((await texts(modelCall('search')))[0]).toMatch(/^Error INVALID_ARGUMENTS: The arguments could not be read\n/);
  });

  it('the error of a reader is reported, and a reader may mark the answer as truncated', async () => {
    const throwing = runBench([search], {
      readArguments: () => {
        throw new Error('odd');
      },
    });
    expect((await throwing.texts(modelCall('search')))[0]).toContain('The arguments could not be read: odd');
    const cut = runBench([search], { readArguments: () => ({ ok: false, message: 'cut', truncated: true }) });
    expect((await cut.texts(modelCall('search')))[0]).toMatch(/^Error ANSWER_TRUNCATED/);
    const careless = runBench([search], { readArguments: () => ({ ok: true, value: {}, repairs: 'all' }) as never });
    expect(await careless.run.answer([modelCall('search')])).toMatchObject([{ repairs: [], isError: false }]);
  });

  it('an unreadable call is answered with the reason', async () => {
    const { texts } = runBench([search]);
    const trap = {
      get toolName(): never {
        throw new Error('trap');
      },
    };
    const answers = await texts(
      trap as never,
      { callId: 'b', toolName: '' } as never,
      7 as never,
      null as never,
      { id: 'c', name: 'search', input: {} } as never,
      { callId: 'd', toolName: 'search', args: {} } as never,
    );
    expect(answers.map((text) => text.split('\n')[0])).toEqual([
      'Error INVALID_CALL: The call could not be read: trap',
      'Error INVALID_CALL: The call does not name a tool',
      'Error INVALID_CALL: A call must be an object, got number',
      'Error INVALID_CALL: A call must be an object, got null',
      "Error INVALID_CALL: The call does not name a tool: rename 'name' to 'toolName'",
      "Error INVALID_CALL: The arguments are lost: rename 'args' to 'arguments'",
    ]);
  });
});

describe('repaired transcripts', () => {
  it('are in the trace and in the session, with at most a hundred changes', () => {
    const { run, of, session } = runBench([]);
    const change = { rule: 'orphan-result', path: ['messages', 1] };
    run.recordRepair({ format: 'openai-chat', changes: [] });
    run.recordRepair({ format: 'openai-chat', changes: [change] });
    run.recordRepair({ format: 'openai-chat', profile: 'groq', changes: Array.from({ length: 150 }, () => change) });
    const [one, many, ...more] = of('TranscriptRepaired');
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      format: 'openai-chat',
      changes: [{ rule: 'orphan-result', path: 'messages,1' }],
      message: '1 change to the transcript',
    });
    expect(one).not.toHaveProperty('profile');
    expect(many).toMatchObject({ profile: 'groq', message: '150 changes to the transcript' });
    expect(many?.changes).toHaveLength(100);
    expect(session.events).toHaveLength(2);
    expect(() => run.recordRepair({ format: 'x', changes: null as never })).toThrow('recordRepair.changes must be an array');
  });

  it('include values only when payloads are captured, redacted and truncated', () => {
    const change = {
      rule: 'missing-result',
      path: 'messages.2',
      action: 'edited',
      before: { role: 'tool', api_key: 'sk-live-123456789012345678901234' },
      after: 'x'.repeat(2_000),
    };
    const silent = runBench([]);
    silent.run.recordRepair({ format: 'openai-chat', changes: [change] });
    expect(silent.of('TranscriptRepaired')[0]?.changes).toEqual([{ rule: 'missing-result', path: 'messages.2', action: 'edited' }]);

    const captured = runBench([], { service: { capture: 'all' } });
    captured.run.recordRepair({ format: 'openai-chat', changes: [change] });
    const [recorded] = captured.of('TranscriptRepaired')[0]?.changes ?? [];
    expect(recorded).toMatchObject({ before: { role: 'tool' } });
    expect(JSON.stringify(recorded)).not.toContain('sk-live');
    expect(recorded?.after).toMatch(/^x{500}…$/);
  });
});

it('suggests the alternatives when the attempts are used up', async () => {
  const strict = { type: 'object', required: ['symbol'] };
  const one = defineTool({ name: 'one', input: strict, alternatives: ['two', 'three'], run: () => 1 });
  const others = ['two', 'three'].map((name) => defineTool({ name, input: strict, run: () => 1 }));
  const { texts } = runBench([one, ...others], { validationRetries: { maxAttempts: 1 } });
  expect((await texts(modelCall('one', '{')))[0]).toContain('are used up. Use two or three. Continue without it');
});

it('answers an unknown name with the available tools, if there are any', async () => {
  const many = Array.from({ length: 21 }, (_, index) => defineTool({ name: `tool_${index}`, run: () => 1 }));
  const off = defineTool({ name: 'off', enabled: false, run: () => 1 });
  expect((await runBench([]).texts(modelCall('x')))[0]).toContain('Next: No tools are available: answer without calling any.');
  expect((await runBench([search, off]).texts(modelCall('x')))[0]).toContain('Next: Call only these tools: search.');
  expect((await runBench(many.slice(1)).texts(modelCall('x')))[0]).toContain('tool_20.');
  expect((await runBench(many).texts(modelCall('x')))[0]).toContain('Next: Call only tools from the list you were given.');
});
