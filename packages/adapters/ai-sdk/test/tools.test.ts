import { reliableTools } from '@holdfast/ai-sdk';
import type { ModelMessage, ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sdk6, sdk7 } from './support/sdks.ts';
import { done, never, stage, wait } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });
const call = (name: string, city = 'Oslo') => ({ name, arguments: { city } });
/** A tool that never ends, and a signal that is aborted once it runs. */
function abortedByTool(): { readonly signal: AbortSignal; readonly execute: () => Promise<string> } {
  const controller = new AbortController();
  const execute = (): Promise<string> => {
    setTimeout(() => controller.abort(), 0);
    return never();
  };
  return { signal: controller.signal, execute };
}
const unavailable = (): Error => Object.assign(new Error('unavailable'), { status: 503 });

test.each([
  [[{ execute: done }], 'an array'],
  [Promise.resolve({}), 'a promise'],
  [undefined, 'undefined'],
])('tools that are no object are refused: %s', (tools, shown) => {
  expect(() => reliableTools(tools as never)).toThrow(`The tools must be an object of tools by name, got ${shown}.`);
});

describe.each([sdk7, sdk6])('ai $version', (sdk) => {
  test('all properties of a tool except its execution are passed on', async () => {
    const heard: string[] = [];
    const look = sdk.tool({
      title: 'Look',
      description: 'Looks.',
      inputSchema: z.object({ city: z.string().transform((city) => city.length) }),
      inputExamples: [{ input: { city: 'Rome' as never } }],
      strict: true,
      providerOptions: { openai: { some: 'option' } },
      onInputAvailable: ({ input }) => void heard.push(`available ${JSON.stringify(input)}`),
      execute: (input) => ({ length: input.city }),
      toModelOutput: ({ output }) => ({ type: 'text', value: `told ${output.length}` }),
    });
    const { run, request, resultsIn } = await stage(sdk, { look }, [{ calls: [call('look')] }, done]);
    const { execute: _own, ...rest } = look;
    const { execute: _wrapped, ...wrapped } = run.tools.look;
    expect(wrapped).toEqual(rest);
    const { steps } = await sdk.generateText({ ...request, ...run.settings });
    expect(steps[0]?.toolResults[0]).toMatchObject({ input: { city: 4 }, output: { length: 4 } });
    expect(heard).toEqual(['available {"city":4}']);
    expect(resultsIn()).toEqual(['told 4']);
  });

  test('the tool gets the options of the framework, and its arguments by reference', async () => {
    class Town {
      readonly name: string;
      constructor(name: string) {
        this.name = name;
      }
    }
    let given: unknown[] = [];
    const output = { at: new Date(0) };
    const look = sdk.tool({
      inputSchema: z.object({ city: z.string().transform((name) => new Town(name)) }),
      execute(...all) {
        given = [this, ...all];
        return output;
      },
    });
    const { run, request } = await stage(sdk, { look }, [{ calls: [{ ...call('look'), id: 'call_7' }] }, done]);
    const context = { user: 'u-1' };
    const contexts: object = sdk.version === '7' ? { toolsContext: { look: context } } : { experimental_context: context };
    const { steps } = await sdk.generateText({ ...request, ...run.settings, ...contexts });
    const [self, input, options] = given as [unknown, { city: Town }, Record<string, unknown>];
    expect(self).toBe(look);
    expect(input.city).toBeInstanceOf(Town);
    expect(options['toolCallId']).toBe('call_7');
    expect(options['messages']).toEqual([{ role: 'user', content: 'Go on.' }]);
    expect(options['abortSignal']).toBeUndefined();
    expect(sdk.version === '7' ? options['context'] : options['experimental_context']).toEqual(context);
    expect(steps[0]?.toolResults[0]?.output).toBe(output);
  });

  test('tools that others run stay the same objects, and their calls are not changed', async () => {
    const ask = sdk.tool({ description: 'Asks the user.', inputSchema }) as ToolSet[string];
    const search = { type: 'provider', id: 'openai.web_search', name: 'search', args: {}, inputSchema } as unknown as ToolSet[string];
    const { run, reliable, request } = await stage(sdk, { ask, search }, [{ calls: [call('ask')] }, done]);
    expect(run.tools.ask).toBe(ask);
    expect(run.tools.search).toBe(search);
    const { steps } = await sdk.generateText({ ...request, ...run.settings, activeTools: ['ask'] });
    expect(steps).toHaveLength(1);
    expect(steps[0]?.toolCalls[0]).toMatchObject({ toolName: 'ask', input: { city: 'Oslo' } });
    expect(reliable.service.tools.map(({ name }) => name)).toEqual(['ask', 'search']);
  });

  test('dynamic tools stay dynamic', async () => {
    const look = { ...sdk.tool({ inputSchema, execute: () => 'seen' }), type: 'dynamic' } as unknown as ToolSet[string];
    const { run, request, resultsIn } = await stage(sdk, { look }, [{ calls: [call('look')] }, done]);
    const { steps } = await sdk.generateText({ ...request, ...run.settings });
    expect(steps[0]?.toolResults[0]).toMatchObject({ dynamic: true, output: 'seen' });
    expect(resultsIn()).toEqual(['seen']);
  });

  test('approvals: requested, granted, denied; the tool runs once, by the service', async () => {
    const runs: string[] = [];
    let failing = 1;
    const pay = sdk.tool({
      inputSchema,
      needsApproval: true,
      execute: ({ city }) => {
        runs.push(city);
        if (failing-- > 0) throw unavailable();
        return `paid in ${city}`;
      },
    });
    const script = [{ calls: [call('pay'), call('pay', 'Rome')] }, done, { calls: [call('pay', 'Bern')] }, done];
    const { run, request, resultsIn, double, events } = await stage(sdk, { pay }, script, { turn: { timeoutMs: 400 } });
    const { prompt, ...rest } = request;
    const messages: ModelMessage[] = [{ role: 'user', content: prompt }];
    /** The same array continues growing, as chats do. */
    const turn = async (): Promise<readonly { approvalId: string }[]> => {
      const { content, response, responseMessages } = await sdk.generateText({ ...rest, ...run.settings, messages });
      messages.push(...(sdk.version === '7' ? responseMessages : response.messages));
      return content.flatMap((part) => (part.type === 'tool-approval-request' ? [part] : []));
    };
    const answer = (approvals: readonly { approvalId: string }[], ...approved: boolean[]): void => {
      const content = approvals.map(({ approvalId }, index) => ({
        type: 'tool-approval-response' as const,
        approvalId,
        approved: approved[index] === true,
        reason: 'as the user says',
      }));
      messages.push({ role: 'tool', content });
    };
    const asked = await turn();
    expect(asked).toHaveLength(2);
    expect(runs).toEqual([]);
    answer(asked, true, false);
    await turn();
    expect(runs).toEqual(['Oslo', 'Oslo']);
    expect(resultsIn(1)[0]).toBe('paid in Oslo');
    expect(resultsIn(1)).toHaveLength(2);
    messages.push({ role: 'user', content: 'Once more.' });
    const again = await turn();
    await wait(450);
    answer(again, true);
    await turn();
    // The duration of the first answer differs from that of the second.
    expect(runs).toEqual(['Oslo', 'Oslo', 'Bern']);
    expect(resultsIn().at(-1)).toBe('paid in Bern');
    expect(double.requests.every(({ refused }) => !refused)).toBe(true);
    expect(events.filter(({ event_type }) => event_type === 'TranscriptRepaired')).toEqual([]);
  });

  test("the tool's conversion for the model reads its own output, also one that is not JSON", async () => {
    const made: unknown[] = [];
    const options = {
      inputSchema,
      toModelOutput: ({ output }: { output: { rows: unknown[] } }) => {
        made.push(output);
        return { type: 'text' as const, value: `${output.rows.length} rows` };
      },
    };
    const fine = sdk.tool({ ...options, execute: () => ({ rows: [1] }) } as never) as ToolSet[string];
    const odd = sdk.tool({
      ...options,
      execute: ({ city }: { city: string }) => ({ rows: city === 'Oslo' ? [1n] : [2] }),
    } as never) as ToolSet[string];
    const large = sdk.tool({ inputSchema, execute: () => ({ rows: 'x'.repeat(5_000) }) });
    const unable = sdk.tool({
      inputSchema,
      execute: () => ({ rows: [3n as unknown as number] }),
      toModelOutput: ({ output }) => ({ type: 'text', value: JSON.stringify(output) }),
    });
    const calls = [call('fine'), call('odd'), call('odd', 'Rome'), call('large'), call('unable')];
    const { run, request, resultsIn } = await stage(sdk, { fine, odd, large, unable }, [{ calls }, done], {
      tools: { large: { maxOutputChars: 1_000 } },
    });
    const { steps } = await sdk.generateText({ ...request, ...run.settings });
    expect(made).toEqual([{ rows: [1] }, { rows: [1n] }, { rows: [2] }]);
    expect(steps[0]?.toolResults[1]?.output).toEqual({ rows: [1n] });
    expect(resultsIn()[0]).toBe('1 rows');
    expect(resultsIn()[1]).toBe('1 rows');
    expect(resultsIn()[2]).toBe('1 rows');
    expect(resultsIn()[3]).toMatch(/^\{"rows":"x+… \[truncated.*\nNote: the output was too large and was truncated\.$/s);
    expect(resultsIn()[4]).toBe('{"rows":["3"]}');
    expect(run.tools.fine.toModelOutput).toBe(fine.toModelOutput);
  });

  test('a repeated call id gets its own output', async () => {
    let runs = 0;
    const odd = sdk.tool({
      inputSchema,
      execute: () => ({ rows: runs++ === 0 ? [1n as unknown as number] : [2, 3] }),
      toModelOutput: ({ output }) => ({ type: 'text', value: `${output.rows.length} rows` }),
    });
    const calls = [{ ...call('odd'), id: 'call_0' }];
    const { run, request, resultsIn } = await stage(sdk, { odd }, [{ calls }, { calls }, done]);
    await sdk.generateText({ ...request, ...run.settings });
    expect(resultsIn().map((text) => text.includes('rows'))).toEqual([true, true]);
    expect(resultsIn()[1]).toBe('2 rows');
  });

  test('the output of an alternative is formatted by the alternative', async () => {
    const primary = sdk.tool({
      inputSchema,
      execute: (): { degrees: number } => {
        throw unavailable();
      },
      toModelOutput: ({ output }) => ({ type: 'text', value: output.degrees.toFixed(1) }),
    });
    const backup = sdk.tool({
      inputSchema,
      execute: () => ({ warm: true }),
      toModelOutput: ({ output }) => ({ type: 'text', value: `warm: ${output.warm}` }),
    });
    const plain = sdk.tool({ inputSchema, execute: () => ({ warm: false }) });
    const tools = { primary, backup, plain };
    const first = await stage(sdk, tools, [{ calls: [call('primary')] }, done], { tools: { primary: { alternatives: ['backup'] } } });
    await sdk.generateText({ ...first.request, ...first.run.settings });
    expect(first.resultsIn()).toEqual(['warm: true']);
    const second = await stage(sdk, tools, [{ calls: [call('primary')] }, done], { tools: { primary: { alternatives: ['plain'] } } });
    await sdk.generateText({ ...second.request, ...second.run.settings });
    expect(second.resultsIn()).toEqual(['{"warm":false}']);
  });

  test('a tool without `execute` cannot be an alternative', async () => {
    const primary = sdk.tool({
      inputSchema,
      execute: (): string => {
        throw unavailable();
      },
    });
    const ask = sdk.tool({ inputSchema }) as ToolSet[string];
    const { run, request, resultsIn } = await stage(sdk, { primary, ask }, [{ calls: [call('primary')] }, done], {
      tools: { primary: { alternatives: ['ask'] } },
    });
    await sdk.generateText({ ...request, ...run.settings });
    expect(resultsIn()[0]).toMatch(/Error/);
  });

  test("the caller's abort is thrown unchanged, even if the tool ignores it", async () => {
    const seen: unknown[] = [];
    const look = sdk.tool({
      inputSchema,
      execute: (_, { abortSignal }): Promise<string> => {
        abortSignal?.addEventListener('abort', () => seen.push(abortSignal.reason));
        return never();
      },
    });
    const { run } = await stage(sdk, { look }, []);
    const controller = new AbortController();
    const reason = new Error('the user left');
    const running = run.tools.look.execute?.({ city: 'Oslo' }, { toolCallId: 'c', messages: [], abortSignal: controller.signal } as never);
    setTimeout(() => controller.abort(reason), 20);
    await expect(running).rejects.toBe(reason);
    expect(seen).toEqual([reason]);
  });

  test('an abort ends generateText while a tool hangs', async () => {
    const { signal, execute } = abortedByTool();
    const look = sdk.tool({ inputSchema, execute });
    const { run, request, double } = await stage(sdk, { look }, [{ calls: [call('look')] }, done]);
    const running = sdk.generateText({ ...request, ...run.settings, abortSignal: signal });
    await expect(running).rejects.toThrow(/abort|timeout/i);
    expect(double.requests).toHaveLength(1);
  });

  test('an abort ends streamText while a tool hangs', async () => {
    const { signal, execute } = abortedByTool();
    const look = sdk.tool({ inputSchema, execute });
    const { run, request, double } = await stage(sdk, { look }, [{ calls: [call('look')] }, done]);
    const kinds: string[] = [];
    const given = { ...request, ...run.settings, abortSignal: signal, onError: () => undefined };
    for await (const { type } of sdk.streamText(given).fullStream) kinds.push(type);
    expect(kinds.at(-1)).toBe('abort');
    expect(double.requests).toHaveLength(1);
  });
});

test('the time limit of version 7 for tools also ends a tool that ignores it', async () => {
  const look = sdk7.tool({ inputSchema, execute: (): Promise<string> => never() });
  const { run, request, resultsIn } = await stage(sdk7, { look }, [{ calls: [call('look')] }, done]);
  await sdk7.generateText({ ...request, ...run.settings, timeout: { toolMs: 50 } });
  expect(resultsIn()[0]).toMatch(/time ?out/i);
});

test('descriptions may be functions in version 7', async () => {
  const down = sdk7.tool({
    description: ({ context }: { context: { name: string } }) => `Looks for ${context.name}.`,
    contextSchema: z.object({ name: z.string() }),
    inputSchema,
    execute: (): string => {
      throw unavailable();
    },
  });
  const { run, request, double } = await stage(sdk7, { down }, [{ calls: [call('down')] }, done], {
    tools: { down: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false } },
    run: { openCircuits: 'annotate' },
  });
  await sdk7.generateText({ ...request, ...run.settings, toolsContext: { down: { name: 'Ann' } } });
  const offered = double.requests.map(({ neutral }) => neutral.tools[0]?.description);
  expect(offered[0]).toBe('Looks for Ann.');
  expect(offered[1]).toMatch(/^Looks for Ann\.\n\nCurrently unavailable/);
});
