/** The common part of all adapters: options are checked, calls ordered, transcripts repaired. */
import { openaiChatMessages, createReliability, Reliable } from '@holdfast/adapter-kit';
import type { ReliableOptions, RepairReport } from '@holdfast/adapter-kit';
import type { TraceEvent } from '@holdfast/core';
import { Session } from '@holdfast/core/agent';
import { describe, expect, it } from 'vitest';

const echo = { name: 'echo', run: (args: unknown): unknown => args };
const slow = { name: 'slow', run: (): Promise<never> => new Promise(() => undefined) };

it('is the entry point of an adapter: conversations over one service', () => {
  const reliable = new Reliable([echo]);
  const { service, startRun } = reliable.entry((agentRun) => ({ agentRun }));
  expect(service).toBe(reliable.service);
  const session = new Session();
  expect(startRun({ session }).agentRun.session).toBe(session);
  expect(startRun().agentRun).not.toBe(startRun().agentRun);
  expect(() => startRun({ sesion: session } as never)).toThrow(/sesion/);
});

describe('options', () => {
  it('an unknown backend is refused by name; its aliases are known', () => {
    expect(() => new Reliable([echo], { backend: 'depseek' })).toThrow(
      /reliableTools\.backend must be one of openai, .*did you mean 'deepseek'\?\), got 'depseek'/,
    );
    expect(new Reliable([echo], { backend: 'Grok' }).service.tools).toHaveLength(1);
  });

  it('settings of an unknown tool are refused by name', () => {
    expect(() => new Reliable([echo], { tools: { ecko: {} } })).toThrow(
      "reliableTools.tools has settings for 'ecko', but there is no such tool. Did you mean 'echo'?",
    );
    expect(() => new Reliable([], { tools: { ecko: {} } })).toThrow('there is no such tool. Known: none.');
  });

  it.each([
    [
      { timeoutMs: 5 },
      "reliableTools has no setting 'timeoutMs'. For all tools: policy: { timeoutMs }; for one: tools: { <name>: { timeoutMs } }.",
    ],
    [{ polcy: {} }, "reliableTools has no setting 'polcy'. Did you mean 'policy'?"],
    [{ whatever: 1 }, "reliableTools has no setting 'whatever'. Known: tools, "],
    [{ tools: 5 }, 'reliableTools.tools must be an object of settings by tool name, got 5.'],
    [{ tools: { echo: 5 } }, "reliableTools.tools['echo'] must be of type object, got 5."],
    [{ middleware: {} }, 'reliableTools.middleware must be an array of functions, got an object.'],
    [{ middleware: [5] }, 'reliableTools.middleware[0] must be of type function, got 5.'],
    [{ run: 'x' }, "reliableTools.run must be of type object, got 'x'."],
    [{ dependsOn: 'x' }, "reliableTools.dependsOn must be of type function, got 'x'."],
    [{ onRepair: 5 }, 'reliableTools.onRepair must be of type function, got 5.'],
    [{ backend: 5 }, 'reliableTools.backend must be one of openai, '],
    [null, 'reliableTools must be an object, got null.'],
    [5, 'reliableTools must be an object, got 5.'],
    [{ policies: [] }, "reliableTools has no setting 'policies'. Did you mean 'recoveryRules'?"],
    [
      { policy: { retry: { maxAttemps: 2 } } },
      "ToolExecutionService.policy.retry has no setting 'maxAttemps'. Did you mean 'maxAttempts'?",
    ],
    [{ run: { maxRefusal: 2 } }, "AgentRun has no setting 'maxRefusal'. Did you mean 'maxRefusals'?"],
    [{ tools: { echo: { efect: 'read' } } }, "Tool 'echo' has no setting 'efect'. Did you mean 'effect'?"],
    [
      { tools: { echo: { alternatives: ['ecko'] } } },
      "Tool 'echo'.alternatives names 'ecko', but there is no such tool. Did you mean 'echo'?",
    ],
    [
      { recoveryRules: [{ name: 'r', when: { tool: 'ecko' }, deny: 'retry' }] },
      "recoveryRules[0].when.tool names 'ecko', but there is no such tool. Did you mean 'echo'?",
    ],
  ])('%o are refused by name', (options, message) => {
    expect(() => new Reliable([echo], options as never)).toThrow(message);
  });

  it('may name tools that appear later', () => {
    const options = { tools: { echo: { alternatives: ['later'] } } };
    expect(() => new Reliable([echo], options)).toThrow("names 'later'");
    expect(new Reliable([echo], options, undefined, false).service.tools).toHaveLength(1);
  });

  it('a custom reader is checked even if another one overrides it', () => {
    expect(() => new Reliable([echo], { readArguments: 'x' as never }, () => () => ({ ok: true, value: 1, repairs: [] }))).toThrow(
      "reliableTools.readArguments must be of type function, got 'x'.",
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
      policy: { timeoutMs: 5, retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1 }, waitForRecovery: false },
      run: { onEvent: (event) => void events.push(event) },
    });
    const call = { toolName: 'slow', callId: 'c1', arguments: {} };
    const [first] = await reliable.startRun().answer([call]);
    const [second] = await reliable.startRun().answer([call]);
    expect([first?.result.error?.code, second?.result.error?.code]).toEqual(['TOOL_TIMEOUT', 'CIRCUIT_OPEN']);
    expect(events.map(({ event_type }) => event_type)).toContain('CircuitBreakerOpened');
  });
});

describe('the default profile is adaptive', () => {
  const unlimited = Array.from({ length: 40 }, (_, index) => ({ toolName: 'count', callId: `c${index}`, arguments: {} }));
  const mostAtOnce = async (options: ReliableOptions): Promise<number> => {
    let running = 0;
    let most = 0;
    const count = async (): Promise<void> => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
    };
    const reliable = new Reliable([{ name: 'count', run: count }], options);
    await reliable.answer(reliable.startRun(), unlimited);
    return most;
  };

  it('all calls of an answer run at once, unless it is set', async () => {
    expect(await mostAtOnce({})).toBe(40);
    expect(await mostAtOnce({ profile: 'adaptive' })).toBe(40);
    expect(await mostAtOnce({ profile: 'spec' })).toBe(16);
    expect(await mostAtOnce({ turn: { concurrency: 7 } })).toBe(7);
  });

  it('no time limit, a short wait for recovery, and every part can be set', () => {
    const settingsOf = (options: ReliableOptions): unknown => new Reliable([echo], options).service.getToolSettings('echo');
    expect(settingsOf({})).toMatchObject({ timeoutMs: Infinity, assumedEffect: 'unsafe', waitForRecovery: { maxWaitMs: 10_000 } });
    expect(settingsOf({ profile: undefined, policy: { waitForRecovery: {} } })).toMatchObject({ waitForRecovery: { maxWaitMs: 10_000 } });
    expect(settingsOf({ policy: { waitForRecovery: { maxWaitMs: 5 } } })).toMatchObject({ waitForRecovery: { maxWaitMs: 5 } });
    expect(settingsOf({ policy: { waitForRecovery: false } })).toMatchObject({ waitForRecovery: false });
    expect(settingsOf({ tools: { echo: { waitForRecovery: false } } })).toMatchObject({ waitForRecovery: false });
    expect(settingsOf({ profile: 'spec' })).toMatchObject({ timeoutMs: 30_000, retry: { maxAttempts: 5 } });
    expect(() => settingsOf({ policy: { waitForRecovery: 'no' as never } })).toThrow('waitForRecovery');
    expect(() => settingsOf({ profile: 'adaptiv' as never })).toThrow('ToolExecutionService.profile must be');
  });

  it('a tool that declares nothing is repeated only where its request was not carried out', async () => {
    const runsOf = async (thrown: unknown, effect?: 'read'): Promise<number> => {
      let runs = 0;
      const run = (): never => {
        runs += 1;
        throw thrown;
      };
      const reliable = new Reliable([{ name: 'send', run }], {
        policy: { retry: { initialDelayMs: 1, maxDelayMs: 1, maxAttempts: 3 } },
        tools: { send: { effect } },
      });
      await reliable.answer(reliable.startRun(), [{ toolName: 'send', callId: 'c1', arguments: {} }]);
      return runs;
    };
    const failure = (fields: object): Error => Object.assign(new Error('failed'), fields);
    expect(await runsOf(failure({ code: 'ECONNREFUSED' }))).toBe(3);
    expect(await runsOf(failure({ status: 503 }))).toBe(3);
    expect(await runsOf(failure({ code: 'ECONNRESET' }))).toBe(1);
    expect(await runsOf(failure({ code: 'ECONNRESET' }), 'read')).toBe(3);
    expect(await runsOf(new Error('Seat 12A is taken'))).toBe(1);
    expect(await runsOf(new Error('Seat 12A is taken'), 'read')).toBe(2);
  });

  it('one conversation alone never closes a tool for others', async () => {
    let runs = 0;
    const run = (): never => {
      runs += 1;
      throw Object.assign(new Error('failed'), { code: 'ECONNRESET' });
    };
    const reliable = new Reliable([{ name: 'send', run }]);
    await reliable.answer(reliable.startRun(), [{ toolName: 'send', callId: 'c1', arguments: {} }]);
    expect(reliable.service.getToolHealth('send')?.circuit).toBe('closed');
    await reliable.answer(reliable.startRun(), [{ toolName: 'send', callId: 'c1', arguments: {} }]);
    expect(runs).toBe(2);
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
    reliable.repair({ messages: [{ role: 'tool', tool_call_id: 'orphan', content: 'x' }] }, openaiChatMessages);
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
    expect(reliable.repair(whole, openaiChatMessages, run)).toBe(whole);
    expect([reports, events]).toEqual([[], []]);
    expect(reliable.repair(broken, openaiChatMessages, run).messages).toHaveLength(3);
    expect(reports).toMatchObject([{ format: 'openai-chat', changes: [{ rule: 'missing-result' }], problems: [] }]);
    expect(events).toMatchObject([{ event_type: 'TranscriptRepaired', format: 'openai-chat' }]);
  });

  it('that leaves problems counts as a failed validation', () => {
    const events: TraceEvent[] = [];
    const reliable = new Reliable([echo], {});
    reliable.service.subscribe((event) => void events.push(event));
    reliable.repair(whole, openaiChatMessages);
    reliable.repair(broken, openaiChatMessages);
    expect(events).toEqual([]);
    reliable.repair({ messages: [] }, openaiChatMessages);
    expect(events).toMatchObject([{ event_type: 'ResponseValidationFailed', stage: 'request', format: 'openai-chat' }]);
  });

  it('tolerates a listener that throws, and values that are not requests', () => {
    const reliable = new Reliable([echo], {
      onRepair: () => {
        throw new Error('user');
      },
    });
    expect(reliable.repair(broken, openaiChatMessages).messages).toHaveLength(3);
    expect(reliable.repair('text', openaiChatMessages)).toBe('text');
  });
});

describe('attempts', () => {
  it('may have to end before the caller stops waiting only at a limit, or beside another attempt', () => {
    const endsAttempts = (options: ReliableOptions): boolean => new Reliable([echo], options).endsAttempts('echo');
    expect(endsAttempts({})).toBe(false);
    expect(endsAttempts({ tools: { echo: { timeoutMs: 5_000 } } })).toBe(true);
    expect(endsAttempts({ policy: { idleTimeoutMs: 5_000 } })).toBe(true);
    expect(endsAttempts({ tools: { echo: { effect: 'read' } } })).toBe(true);
    expect(endsAttempts({ turn: { timeoutMs: 5_000 } })).toBe(true);
    expect(endsAttempts({ run: { turn: { timeoutMs: 5_000 } } })).toBe(true);
    expect(endsAttempts({ profile: 'spec' })).toBe(true);
    expect(endsAttempts({ reliability: createReliability({ turn: { timeoutMs: 5_000 } }) })).toBe(true);
    expect(new Reliable([echo]).endsAttempts('unknown')).toBe(true);
  });
});
