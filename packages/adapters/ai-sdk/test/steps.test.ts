import type { ModelMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Session } from '@holdfast/core/agent';
import { reliableTools } from '@holdfast/ai-sdk';
import { sdk6, sdk7 } from './support/sdks.ts';
import { done, stage, wait } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });
const calls = [{ name: 'down', arguments: { city: 'Oslo' } }];
const dangling: ModelMessage = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'other', input: {} }] };
const user: ModelMessage = { role: 'user', content: 'Go on.' };

describe.each([sdk7, sdk6])('ai $version', (sdk) => {
  const tools = {
    down: sdk.tool({
      description: 'Is down.',
      inputSchema,
      execute: (): string => {
        throw Object.assign(new Error('unavailable'), { status: 503 });
      },
    }),
    other: sdk.tool({ description: 'Works.', inputSchema, execute: () => 'fine' }),
  };
  const breaking = {
    tools: { down: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false as const } },
  };

  test('a step without anything to repair is unchanged', async () => {
    const { run } = await stage(sdk, tools, []);
    const messages = [user];
    expect(run.prepareStep({ messages })).toEqual({});
    expect(run.repair(messages)).toBe(messages);
    expect(run.prepareStep({ messages, activeTools: ['other'] })).toEqual({ activeTools: ['other'] });
  });

  test('messages are repaired before the framework reads them, also in the first step', async () => {
    const seen: string[] = [];
    const { run, request, double } = await stage(sdk, tools, [done], { onRepair: ({ format }) => void seen.push(format) });
    const { prompt: _prompt, ...rest } = request;
    await sdk.generateText({ ...rest, ...run.settings, messages: [user, dangling, user] });
    expect(double.requests).toHaveLength(1);
    expect(double.requests[0]?.refused).toBeUndefined();
    expect(seen).toEqual(['ai-sdk']);
  });

  test('custom `prepareStep` functions are combined with those of the run', async () => {
    const { run, request, double } = await stage(sdk, tools, [{ calls }, { calls: [], text: 'Done.' }], {
      ...breaking,
      run: { openCircuits: 'remove' },
    });
    const mine = { activeTools: ['down' as const], toolChoice: 'auto' as const };
    await sdk.generateText({
      ...request,
      ...run.settings,
      ...run.loop({ stopWhen: sdk.stepCount(20), prepareStep: () => mine }),
    });
    expect(double.requests.map(({ neutral }) => neutral.tools.map(({ name }) => name))).toEqual([['down'], []]);
  });

  test('with `annotate`, an open circuit is noted in the description of the tool, in every run of the program', async () => {
    const quiet = await stage(sdk, tools, [{ calls }, done], breaking);
    await sdk.generateText({ ...quiet.request, ...quiet.run.settings });
    expect(quiet.run.tools.down.description).toBe('Is down.');
    const { run, reliable, request } = await stage(sdk, tools, [{ calls }, done], { ...breaking, run: { openCircuits: 'annotate' } });
    expect(run.tools.down.description).toBe('Is down.');
    await sdk.generateText({ ...request, ...run.settings });
    expect(run.tools.down.description).toMatch(/^Is down\.\n\nCurrently unavailable/);
    expect(reliable.startRun().tools.down.description).toBe(run.tools.down.description);
    expect(tools.down.description).toBe('Is down.');
    expect(run.tools.other.description).toBe('Works.');
  });

  test("settings change neither the number of steps nor the user's loop", async () => {
    const script = () => ({ calls: [{ name: 'other', arguments: { city: 'Oslo' } }] });
    const { run, request, double } = await stage(sdk, tools, script);
    const { stopWhen: _stop, prepareStep: _prepare, ...bare } = request;
    await sdk.generateText({ ...bare, ...run.settings });
    expect(double.requests).toHaveLength(1);
    let prepared = 0;
    const prepareStep = (): object => {
      prepared += 1;
      return {};
    };
    await sdk.generateText({ ...bare, stopWhen: sdk.stepCount(2), prepareStep, ...run.settings });
    expect([double.requests.length, prepared]).toEqual([3, 2]);
  });

  test("a loop ends at the user's condition, and prepares steps with the user's function first", async () => {
    const script = () => ({ calls: [{ name: 'other', arguments: { city: 'Oslo' } }] });
    const { run, request, double } = await stage(sdk, tools, script);
    await sdk.generateText({ ...request, ...run.settings, ...run.loop({ stopWhen: [sdk.stepCount(5), sdk.stepCount(2)] }) });
    expect(double.requests).toHaveLength(2);
    const own = run.loop({ stopWhen: sdk.stepCount(1), prepareStep: async () => ({ activeTools: ['other'] }) });
    await sdk.generateText({ ...request, ...run.settings, ...own });
    expect(double.requests.at(-1)?.neutral.tools.map(({ name }) => name)).toEqual(['other']);
    expect(() => run.loop({} as never)).toThrow(/loop\.stopWhen/);
    expect(() => run.loop({ stopWhen: 5 as never })).toThrow(/loop\.stopWhen must be of type function/);
  });

  test('an agent may start a run for each call', async () => {
    const { reliable, request, resultsIn, double } = await stage(sdk, tools, [{ calls }, done, { calls }, done], breaking);
    const stopped: unknown[] = [];
    const agent = new sdk.ToolLoopAgent({
      model: request.model,
      tools,
      prepareCall: (options) => {
        const run = reliable.startRun();
        stopped.push(() => run.stopped);
        return { ...options, ...run.settings, ...run.loop({ stopWhen: sdk.stepCount(5) }) };
      },
    });
    for (const code of ['SERVICE_UNAVAILABLE', 'CIRCUIT_OPEN']) {
      const { text } = await agent.generate({ prompt: 'Go on.' });
      expect(text).toBe('All done.');
      expect(resultsIn()[0]).toContain(`Error ${code}`);
    }
    expect(stopped).toHaveLength(2);
    expect(double.requests).toHaveLength(4);
  });

  test('calls of a streamed answer wait for each other', async () => {
    const log: string[] = [];
    const logged = (name: string, ms: number) =>
      sdk.tool({
        inputSchema,
        execute: async () => {
          await wait(ms);
          log.push(name);
          return name;
        },
      });
    const both = { search: logged('search', 40), book: logged('book', 0) };
    const asked = ['book', 'search'].map((name) => ({ name, arguments: { city: 'Oslo' } }));
    const { run, request, resultsIn } = await stage(sdk, both, [{ calls: asked }, done], {
      dependsOn: ({ toolName }, siblings) =>
        toolName === 'book' ? siblings.filter((each) => each.toolName === 'search').map(({ callId }) => callId) : [],
    });
    await sdk.streamText({ ...request, ...run.settings }).consumeStream();
    expect(log).toEqual(['search', 'book']);
    expect(resultsIn()).toEqual(['book', 'search']);
  });

  test('events are recorded in the session that the run was started with', async () => {
    const { reliable, request } = await stage(sdk, tools, [{ calls }, done], breaking);
    const session = new Session();
    const run = reliable.startRun({ session });
    await sdk.generateText({ ...request, ...run.settings });
    expect(run.agentRun.session).toBe(session);
    expect(session.events.map(({ event_type }) => event_type)).toContain('ToolInvoked');
  });

  test('invalid options are refused by name', () => {
    expect(() => reliableTools(tools, { tools: { dwn: {} } as never })).toThrow(/'dwn'.*Did you mean 'down'/s);
    expect(() => reliableTools(tools, { policy: { timeoutMs: -1 } })).toThrow(/timeoutMs/);
  });
});
