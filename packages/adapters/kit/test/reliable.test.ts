/** The common part of all adapters: options are checked, calls ordered, transcripts repaired. */
import { Reliable } from '@holdfast/adapter-kit';
import type { RepairReport } from '@holdfast/adapter-kit';
import type { TraceEvent } from '@holdfast/core';
import { describe, expect, it } from 'vitest';

const echo = { name: 'echo', run: (args: unknown): unknown => args };
const slow = { name: 'slow', run: (): Promise<never> => new Promise(() => undefined) };

describe('options', () => {
  it('an unknown backend is refused by name; its aliases are known', () => {
    expect(() => new Reliable([echo], { backend: 'depseek' })).toThrow(/'backend' must be one of openai, .*deepseek.*, got 'depseek'/);
    expect(new Reliable([echo], { backend: 'Grok' }).service.tools).toHaveLength(1);
  });

  it('settings of an unknown tool are refused by name', () => {
    expect(() => new Reliable([echo], { tools: { ecko: {} } })).toThrow(
      "'tools' has settings for 'ecko', but there is no such tool. Available tools: echo.",
    );
    expect(() => new Reliable([], { tools: { ecko: {} } })).toThrow('Available tools: none.');
  });

  it.each([
    [{ timeoutMs: 5 }, "Unknown option 'timeoutMs'. For all tools: policy: { timeoutMs }; for one: tools: { <name>: { timeoutMs } }."],
    [{ polcy: {} }, "Unknown option 'polcy'. Did you mean 'policy'?"],
    [{ whatever: 1 }, "Unknown option 'whatever'. Known: tools, "],
    [{ tools: 5 }, "'tools' must be an object, got 5."],
    [{ tools: { echo: 5 } }, "'tools' must have an object of settings for 'echo', got 5."],
    [{ middleware: {} }, "'middleware' must be an array of functions, got an object."],
    [{ middleware: [5] }, "'middleware' must be an array of functions, got an array."],
    [{ run: 'x' }, "'run' must be an object, got 'x'."],
    [{ dependsOn: 'x' }, "'dependsOn' must be a function, got 'x'."],
    [{ onRepair: 5 }, "'onRepair' must be a function, got 5."],
    [{ backend: 5 }, "'backend' must be a name, got 5."],
    [null, 'The options must be an object, got null.'],
    [5, 'The options must be an object, got 5.'],
  ])('%o are refused by name', (options, message) => {
    expect(() => new Reliable([echo], options as never)).toThrow(message);
  });

  it('a custom reader is checked even if another one overrides it', () => {
    expect(() => new Reliable([echo], { readArguments: 'x' as never }, () => () => ({ ok: true, value: 1, repairs: [] }))).toThrow(
      "'readArguments' must be a function, got 'x'.",
    );
  });

  it('settings of the user override those of the framework', () => {
    const tools = [{ ...echo, policy: { effect: 'read' as const, timeoutMs: 5 } }];
    const { service } = new Reliable(tools, { tools: { echo: { timeoutMs: 7 } } });
    expect(service.getToolSettings('echo')).toMatchObject({ effect: 'read', timeoutMs: 7 });
  });

  it("middleware of tools also wraps the framework's own execution", async () => {
    const log: string[] = [];
    const reliable = new Reliable([echo], {
      middleware: [
        (next) => (args, context) => {
          log.push(`around ${context.toolName}`);
          return next(args, context);
        },
      ],
    });
    const execute = (): string => 'the framework';
    const answer = await reliable.startRun().answerOne({ toolName: 'echo', callId: 'c1', arguments: {} }, {}, { execute });
    expect([answer.text, log]).toEqual(['the framework', ['around echo']]);
  });

  it('invalid options of runs are reported before the first conversation', () => {
    expect(() => new Reliable([echo], { run: { maxRefusal: 1 } as never })).toThrow("Did you mean 'maxRefusals'");
    expect(() => new Reliable([echo], { run: { validationRetries: { maxAttempts: 0 } } })).toThrow('maxAttempts');
    expect(() => new Reliable([echo], { readArguments: 'json' as never })).toThrow('readArguments');
  });

  it('runs share circuits but not attempts, and use their own options', async () => {
    const events: TraceEvent[] = [];
    const reliable = new Reliable([slow], {
      policy: { timeoutMs: 5, retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1 } },
      run: { onEvent: (event) => void events.push(event) },
    });
    const call = { toolName: 'slow', callId: 'c1', arguments: {} };
    const [first] = await reliable.startRun().answer([call]);
    const [second] = await reliable.startRun().answer([call]);
    expect([first?.result.error?.code, second?.result.error?.code]).toEqual(['TOOL_TIMEOUT', 'CIRCUIT_OPEN']);
    expect(events.map(({ event_type }) => event_type)).toContain('CircuitBreakerOpened');
  });
});

it('a value that is not a call is answered like any other', async () => {
  const reliable = new Reliable([echo]);
  const answers = await reliable.answer(reliable.startRun(), [null as never, { toolName: 'echo', callId: 'c1', arguments: {} }]);
  expect(answers.map(({ isError }) => isError)).toEqual([true, false]);
});

describe('custom functions that reject', () => {
  it('cause no unhandled rejection and no failure', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', note);
    const rejects = (): never => Promise.reject(new Error('later')) as never;
    const reliable = new Reliable([echo], { dependsOn: rejects, onRepair: rejects });
    const [answer] = await reliable.answer(reliable.startRun(), [{ toolName: 'echo', callId: 'c1', arguments: {} }]);
    reliable.repair({ messages: [{ role: 'tool', tool_call_id: 'orphan', content: 'x' }] }, 'openai-chat');
    await new Promise((resolve) => void setTimeout(resolve, 5));
    process.off('unhandledRejection', note);
    expect([answer?.isError, rejections]).toEqual([false, []]);
  });
});

describe('ordering', () => {
  const calls = ['a', 'b'].map((callId) => ({ toolName: 'echo', callId, arguments: {} }));

  it('asks once per call, with all of them, and adds the dependencies', () => {
    const reliable = new Reliable([echo], {
      dependsOn: (call, siblings) => siblings.filter((each) => each !== call && call.callId === 'b').map(({ callId }) => callId),
    });
    expect(reliable.withDependencies(calls).map(({ dependsOn }) => dependsOn)).toEqual([[], ['a']]);
  });

  it('does nothing without the option, and tolerates one that throws', () => {
    expect(new Reliable([echo]).withDependencies(calls)).toBe(calls);
    const reliable = new Reliable([echo], {
      dependsOn: () => {
        throw new Error('user');
      },
    });
    expect(reliable.withDependencies(calls).map(({ dependsOn }) => dependsOn)).toEqual([[], []]);
  });
});

describe('repair', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'echo', arguments: '{}' } };
  const broken = {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
    ],
  };
  const whole = { messages: [...broken.messages, { role: 'tool', tool_call_id: 'c1', content: 'x' }] };

  it('is reported to the listener and recorded in the trace', () => {
    const reports: RepairReport[] = [];
    const events: TraceEvent[] = [];
    const reliable = new Reliable([echo], {
      onRepair: (report) => void reports.push(report),
      run: { onEvent: (event) => void events.push(event) },
    });
    const run = reliable.startRun();
    expect(reliable.repair(whole, 'openai-chat', run)).toBe(whole);
    expect([reports, events]).toEqual([[], []]);
    expect(reliable.repair(broken, 'openai-chat', run).messages).toHaveLength(3);
    expect(reports).toMatchObject([{ format: 'openai-chat', changes: [{ rule: 'missing-result' }], problems: [] }]);
    expect(events).toMatchObject([{ event_type: 'TranscriptRepaired', format: 'openai-chat' }]);
  });

  it('tolerates a listener that throws, and values that are not requests', () => {
    const reliable = new Reliable([echo], {
      onRepair: () => {
        throw new Error('user');
      },
    });
    expect(reliable.repair(broken, 'openai-chat').messages).toHaveLength(3);
    expect(reliable.repair('text', 'openai-chat')).toBe('text');
  });
});
