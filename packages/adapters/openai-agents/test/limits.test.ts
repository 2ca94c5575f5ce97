/** What the guide denies, and the limits that it lists. */
import { reliableTools } from '@holdfast/openai-agents';
import { Agent, Runner, setSensitiveDataLoggingEnabled, setTraceProcessors, setTracingDisabled, tool } from '@openai/agents';
import { afterEach, describe, expect, it } from 'vitest';
import { agentOf, calls, city, done, hang, play, quick, resultTexts, runnerOf, start } from './support/play.ts';

afterEach(() => {
  setSensitiveDataLoggingEnabled(false);
  setTracingDisabled(true);
});

const find = { name: 'find', description: 'Finds', parameters: city, execute: () => 'found' };
const execute = (): string => {
  throw Object.assign(new Error('No such city'), { status: 404 });
};
const broken = { name: 'broken', description: 'Breaks', parameters: city, execute };

it('without Holdfast, an error of a tool and arguments that break the schema are one sentence', async () => {
  const script = [
    {
      calls: [
        { name: 'broken', arguments: { city: 'Oslo' } },
        { name: 'broken', arguments: { town: 'Oslo' } },
      ],
    },
    done,
  ];
  const agent = new Agent({ name: 'Agent', model: 'gpt-5.2', tools: [tool(broken)] });
  await new Runner({ modelProvider: await start(script), tracingDisabled: true }).run(agent, 'Go on.');
  expect(resultTexts()).toEqual(Array<string>(2).fill('An error occurred while running the tool. Please try again.'));
});

it('a tool has no time limit but its own, or one that is set', async () => {
  const limited = { ...find, name: 'limited', timeoutMs: 5_000, execute: hang };
  const { service } = reliableTools([find, limited, { ...find, name: 'set' }], { tools: { set: { timeoutMs: 7_000 } } });
  const limits = ['find', 'limited', 'set'].map((name) => service.getToolSettings(name)?.timeoutMs);
  expect(limits).toEqual([Infinity, 5_000, 7_000]);
});

it('the text of an errorFunction of a finished tool is an output', async () => {
  const reliable = reliableTools([tool({ ...broken, errorFunction: () => 'Sorry.' })], quick);
  await play(reliable.startRun(), [calls('broken'), done]);
  expect(resultTexts()).toEqual(['Sorry.']);
  expect(reliable.service.getToolMetrics('broken')).toMatchObject({ successCount: 1, errorCount: 0 });
});

describe('without a wrapped model', () => {
  it('the SDK answers calls with broken JSON itself, and `dependsOn` gets no siblings', async () => {
    const known: number[] = [];
    const dependsOn = (_call: unknown, siblings: readonly unknown[]): readonly string[] => {
      known.push(siblings.length);
      return [];
    };
    const run = reliableTools([find], { ...quick, tools: { find: { effect: 'read' } }, dependsOn }).startRun();
    const script = [
      {
        calls: [
          { name: 'find', arguments: "{'city': 'Oslo'}" },
          { name: 'find', arguments: { city: 'Rome' } },
        ],
      },
      done,
    ];
    await runnerOf(run, await start(script)).run(agentOf(run), 'Go on.', run.settings);
    expect(resultTexts()).toEqual(['found', 'found']);
    expect(new Set(known.splice(0))).toEqual(new Set([2]));
    await new Runner({ modelProvider: await start(script), tracingDisabled: true }).run(agentOf(run), 'Go on.', run.settings);
    expect(resultTexts()).toEqual([expect.stringMatching(/^An error occurred while parsing tool arguments/), 'found']);
    expect(known).toEqual([1]);
  });
});

it('an alternative gets a new context', async () => {
  const seen: unknown[] = [];
  const noting = (name: string, fails: boolean) => ({
    ...find,
    name,
    execute: (_input: unknown, context?: { readonly context: unknown }) => {
      seen.push(context?.context);
      if (fails) throw Object.assign(new Error('Service unavailable'), { status: 503 });
      return 'found';
    },
  });
  const tools = { one: { alternatives: ['two' as const], retry: { maxAttempts: 1 } } };
  await play(reliableTools([noting('one', true), noting('two', false)], { tools }).startRun(), [calls('one'), done], {
    context: { user: 7 },
  });
  expect(seen).toEqual([{ user: 7 }, {}]);
});

it('where the SDK may show data, each result has the mistakes of its own call, with the values', async () => {
  setSensitiveDataLoggingEnabled(true);
  const wrong = {
    calls: [
      { name: 'find', arguments: { city: 5 } },
      { name: 'find', arguments: { town: 'Oslo' } },
    ],
  };
  await play(reliableTools([find]).startRun(), [wrong, done]);
  expect(resultTexts()[0]).toMatch(/'city': must be text, got 5\n/);
  expect(resultTexts()[0]).not.toContain('missing');
  expect(resultTexts()[1]).toMatch(/'city' missing/);
  expect(resultTexts()[1]).not.toContain('got 5');
});

it('the error on the span of a tool has the code, not the message', async () => {
  setTracingDisabled(false);
  const errors: unknown[] = [];
  const ignore = (): Promise<void> => Promise.resolve();
  setTraceProcessors([
    {
      onTraceStart: ignore,
      onTraceEnd: ignore,
      onSpanStart: ignore,
      onSpanEnd: ({ error, spanData }) => Promise.resolve(void (spanData.type === 'function' && errors.push(error))),
      shutdown: ignore,
      forceFlush: ignore,
    },
  ]);
  const run = reliableTools([broken]).startRun();
  const runner = new Runner({ modelProvider: run.modelProvider(await start([calls('broken'), done])) });
  await runner.run(agentOf(run), 'Go on.', run.settings);
  setTraceProcessors([]);
  expect(errors).toMatchObject([{ data: { tool_name: 'broken', error: 'NOT_FOUND' } }]);
  expect(JSON.stringify(errors)).not.toContain('No such city');
});
