/** Models, tools and reducers that misbehave. */
import { describe, expect, it } from 'vitest';
import type { ModelCall, SessionEvent } from '../../../src/agent/index.ts';
import { AgentRun, parseStructured, runInference } from '../../../src/agent/index.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { brokenSchema, modelCall, runBench } from './support.ts';

const failing = (name: string, error: Error = Object.assign(new Error('no such file'), { status: 404 })) => {
  const seen = { runs: 0 };
  const run = (): never => {
    seen.runs += 1;
    throw error;
  };
  return { seen, tool: defineTool({ name, effect: 'read', run }) };
};
const echo = defineTool({ name: 'echo', effect: 'read', run: (args: unknown) => args });

describe('a call that changes only its form', () => {
  const forms: readonly unknown[] = [
    '{"path":"a b","limit":5}',
    { limit: 5, path: 'a b', extra: null },
    { limit: '5', path: 'a b' },
    { limit: '5.0', path: ' a  b ' },
    { limit: 5, path: 'a b', note: '' },
    { path: 'a\tb', limit: ' 5', deep: undefined },
  ];

  it('may fail twice as often as the same call before it ends the run', async () => {
    const { seen, tool } = failing('read');
    const { run, texts } = runBench([tool]);
    const answerTexts: (string | undefined)[] = [];
    for (let count = 0; count < 700 && !run.stopped; count++)
      answerTexts.push(...(await texts(modelCall('read', { ...(forms[1] as object), [`pad${count}`]: null, limit: count % 2 ? '5' : 5 }))));
    expect(seen.runs).toBe(6);
    expect(answerTexts.length).toBeLessThan(20);
    expect(answerTexts.at(-1)).toMatch(/^Error REPEATED_FAILURE/);
    expect(run.stopped?.reason).toBe('repeated_failure');
  });

  it('is recognized in every form', async () => {
    const { seen, tool } = failing('read');
    const { texts } = runBench([tool]);
    const answerTexts = [];
    for (const form of [...forms, forms[0]]) answerTexts.push(...(await texts(modelCall('read', form))));
    expect(seen.runs).toBe(6);
    expect(answerTexts[5]).toContain('Equivalent calls have failed 6 times in the same way and will not be run again for 1 s.');
    expect(answerTexts[6]).toContain('equivalent calls have failed 6 times');
  });

  it('is not confused with a call that has a different meaning', async () => {
    const { seen, tool } = failing('read');
    const { texts } = runBench([tool]);
    for (const args of [
      { a: 'x' },
      { a: 'X' },
      { a: 'xy' },
      { a: ['x'] },
      { b: 'x' },
      { a: { b: 'x' } },
      { a: [null, 'x'] },
      { a: false },
      { a: 0 },
      { a: '0x0' },
    ])
      await texts(modelCall('read', args), modelCall('read', args, { callId: 'again' }));
    expect(seen.runs).toBe(20);
    expect((await texts(modelCall('read', { a: 'x' })))[0]).toContain('failed 3 times');
  });

  it('is no longer counted once it succeeds', async () => {
    let good = false;
    const tool = defineTool({
      name: 'read',
      effect: 'read',
      run: () => {
        if (good) return 'text';
        throw Object.assign(new Error('no'), { status: 404 });
      },
    });
    const { texts } = runBench([tool]);
    for (const form of forms.slice(0, 5)) await texts(modelCall('read', form));
    good = true;
    await texts(modelCall('read', forms[5]));
    good = false;
    expect((await texts(modelCall('read', { path: 'a b', limit: 5, other: null })))[0]).not.toContain('form only');
  });
});

describe('models that alternate', () => {
  it.each([
    ['two failing calls', () => modelCall('first'), () => modelCall('second')],
    ['a dead tool and one that does not exist', () => modelCall('dead'), () => modelCall('nonesuch')],
    ['a call that is refused and one that succeeds', () => modelCall('nonesuch'), () => modelCall('echo')],
  ])('%s are stopped', async (_what, one, other) => {
    const tools = [
      failing('first').tool,
      failing('second').tool,
      failing('dead', Object.assign(new Error('down'), { code: 'ECONNREFUSED' })).tool,
      echo,
    ];
    const { run, texts } = runBench(tools);
    let requests = 0;
    for (; requests < 100 && !run.stopped; requests++) await texts(requests % 2 ? other() : one());
    expect(run.stopped).toBeDefined();
    expect(requests).toBeLessThan(32);
  });

  it('occasional refusals in a long conversation do not stop the run', async () => {
    const { run, texts } = runBench([echo]);
    for (let count = 0; count < 200; count++) await texts(modelCall(count % 8 ? 'echo' : `nonesuch-${count}`, { count }));
    expect(run.stopped).toBeUndefined();
  });
});

describe('large inputs', () => {
  it('a chain of a thousand failed dependencies has short texts', async () => {
    const { run } = runBench([echo]);
    const chain = Array.from({ length: 1_000 }, (_, index) =>
      modelCall('echo', {}, { callId: `call_${index}`, dependsOn: [index === 0 ? 'missing' : `call_${index - 1}`] }),
    );
    const answers = await run.answer(chain);
    expect(Math.max(...answers.map(({ text }) => text.length))).toBeLessThan(500);
    expect(answers[999]?.result).toMatchObject({ skipped: true });
    expect(answers[999]?.result.error?.causedBy?.slice(0, 2)).toEqual(['call_998', 'call_997']);
    expect(answers[999]?.result.error?.causedBy?.at(-1)).toBe('missing');
  });

  it('a long message is shortened in the middle', async () => {
    const { tool } = failing('long', Object.assign(new Error(`${'😀'.repeat(1_500)} the cause`), { status: 400 }));
    const [text = ''] = await runBench([tool]).texts(modelCall('long'));
    expect(text.length).toBeLessThan(2_300);
    expect(text).toContain('[…]');
    expect(text).toBe(Buffer.from(text, 'utf8').toString('utf8'));
  });
});

describe('tools that change their arguments', () => {
  it('do not change the recorded arguments', async () => {
    const tool = defineTool({
      name: 'takes',
      run: (args: { list: number[]; more?: unknown }) => {
        args.list.push(2);
        args.more = args;
        return 'done';
      },
    });
    const { run, session } = runBench([tool]);
    const args = { list: [1] };
    const answers = await run.answer([modelCall('takes', '{"list":[1]}'), modelCall('takes', args, { callId: 'b' })]);
    expect(answers.map((answer) => answer.arguments)).toEqual([{ list: [1] }, { list: [1] }]);
    expect(session.events.find(({ event_type }) => event_type === 'ToolInvoked')).toMatchObject({ arguments: { list: [1] } });
    // The tool gets the original object, as it would without Holdfast.
    expect(args.list).toEqual([1, 2]);
  });
});

describe('a reducer that fails', () => {
  const throwing = (type: string) => ({
    own: {
      initial: 0,
      reduce: (state: number, event: SessionEvent): number => {
        if (event.event_type === type) throw new Error('the budget is unknown');
        return state;
      },
    },
  });
  const quote = defineTool({ name: 'quote', input: { type: 'object', required: ['symbol'] }, run: () => 'quoted' });

  it.each(['ValidationRetryScheduled', 'ToolInvoked'])('for %s is reported to the model in place of another attempt', async (type) => {
    const { texts, session } = runBench([quote], { slices: throwing(type) });
    const [text] = await texts(modelCall('quote'));
    expect(text).toBe(
      [
        "Error INVALID_ARGUMENTS: Required parameter 'symbol' missing",
        "Next: Do not repeat the call of quote; first deal with the failure of 'own'.",
        "It could not be applied to 'own': the budget is unknown",
      ].join('\n'),
    );
    expect(session.reducerErrors).toHaveLength(1);
  });

  it('for a success is reported below the output', async () => {
    const { texts } = runBench([quote], { slices: throwing('ToolInvoked') });
    expect(await texts(modelCall('quote', { symbol: 'A' }))).toEqual([
      "quoted\nIt could not be applied to 'own': the budget is unknown\nNext: Do not repeat the call of quote; first deal with the failure of 'own'.",
    ]);
  });

  it('does not end the attempts when the policy lists it as retryable', async () => {
    const retryableErrors = ['ToolValidationError', 'ReducerError'];
    const { texts } = runBench([quote], { slices: throwing('ToolInvoked'), validationRetries: { retryableErrors } });
    const [text] = await texts(modelCall('quote'));
    expect(text).toContain('This was attempt 1 of 3.');
    expect(text).toContain("It could not be applied to 'own'");
    expect(text).not.toContain('Do not repeat');
  });
});

describe('an inference that ends early', () => {
  const hangs = (): Promise<never> => new Promise(() => undefined);
  const scene = (hang: () => unknown) => {
    const system = manualSystem();
    const service = new ToolExecutionService({
      system,
      tools: [defineTool({ name: 'pay', run: () => 'paid' }), defineTool({ name: 'hang', run: hang })],
    });
    const requests: unknown[] = [];
    const model = (): { readonly text: string; readonly calls: readonly ModelCall[] } => {
      requests.push(1);
      return { text: 'on it', calls: [modelCall('pay'), modelCall('hang')] };
    };
    return { system, service, requests, model };
  };

  it('by an abort sends no further request and includes the finished calls', async () => {
    const controller = new AbortController();
    const { system, service, requests, model } = scene(() => {
      controller.abort();
      return hangs();
    });
    const result = await system.until(runInference({ service, model, messages: [], signal: controller.signal }));
    await system.settle();
    expect(requests).toHaveLength(1);
    expect(result).toMatchObject({ outcome: 'cancelled', calls: 2 });
    expect(result.messages.slice(1)).toMatchObject([
      { role: 'tool', toolName: 'pay', content: 'paid' },
      { role: 'tool', toolName: 'hang', isError: true },
    ]);
  });

  it('at its deadline sends no further request and includes the finished calls', async () => {
    const { system, service, requests, model } = scene(hangs);
    const result = await system.until(runInference({ service, model, messages: [], timeoutMs: 700 }));
    await system.settle();
    expect(requests).toHaveLength(1);
    expect(result.outcome).toBe('deadline');
    expect(result.messages).toHaveLength(3);
    expect(system.now()).toBe(700);
  });

  it('rejects a service together with tools, and an invalid policy of the output', async () => {
    const { service, model } = scene(hangs);
    await expect(runInference({ service, tools: [], model, messages: [] })).rejects.toThrow("'service' and 'tools'");
    const readOutput = { validationRetries: { maxAttempts: 'x' as never } };
    await expect(runInference({ service, model, messages: [], readOutput })).rejects.toThrow('readOutput.validationRetries.maxAttempts');
    await expect(new AgentRun({ service }).readOutput('1', {}, readOutput)).rejects.toThrow('maxAttempts');
  });
});

it('an output with a broken schema is not counted as an error of the model', async () => {
  expect(await parseStructured('{}', brokenSchema)).toMatchObject({ ok: true, value: {}, unchecked: expect.stringContaining('broken') });
});

it('a call is answered even when the clock of the session is broken', async () => {
  const system = { ...manualSystem(), epochMs: () => Number.NaN };
  const service = new ToolExecutionService({ system: manualSystem(), tools: [echo] });
  const { Session } = await import('../../../src/agent/index.ts');
  const run = new AgentRun({ service, session: new Session({ system }) });
  expect(await run.answer([modelCall('echo', { a: 1 })])).toMatchObject([{ isError: false, text: '{"a":1}' }]);
});

it('a disabled tool is offered with a note, and never suggested as an alternative', async () => {
  const { run } = runBench([
    defineTool({ name: 'off', enabled: false, alternatives: ['echo'], run: () => 1 }),
    defineTool({ name: 'main', alternatives: ['off', 'echo'], run: () => 1 }),
    echo,
  ]);
  expect(run.availability('main').alternatives).toEqual(['echo']);
  expect(run.availability('off')).toEqual({
    available: false,
    alternatives: ['echo'],
    note: 'Disabled: do not call it. Use echo instead.',
  });
});
