/** Specific to tools of the OpenAI Agents SDK: schemas of arguments and outputs, time limits, hosted tools, disabled tools. */
import { reliableTools } from '@holdfast/openai-agents';
import { Agent, RunContext, Runner, setSensitiveDataLoggingEnabled, tool } from '@openai/agents';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentOf, calls, city, done, hang, lastBody, play, quick, requests, runnerOf, start, resultTexts } from './support/play.ts';

describe('schemas', () => {
  it('runs a tool with the arguments transformed by its schema, once', async () => {
    const seen: unknown[] = [];
    const parameters = z.object({ city: z.string().toUpperCase(), day: z.string().optional() });
    const count = {
      name: 'count',
      description: 'Counts',
      parameters,
      execute: (input: z.infer<typeof parameters>) => void seen.push(input),
    };
    await play(reliableTools([count], quick).startRun(), [{ calls: [{ name: 'count', arguments: { city: 'Oslo', day: null } }] }, done]);
    expect(seen).toEqual([{ city: 'OSLO' }]);
  });

  it('reports what is invalid, although the SDK hides it, and counts it', async () => {
    const events: string[] = [];
    const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }], {
      run: { onEvent: ({ event_type }) => void events.push(event_type) },
    }).startRun();
    const text = await play(run, () => ({ calls: [{ name: 'find', arguments: { town: 'Oslo' } }] }));
    expect(requests()).toHaveLength(3);
    expect(resultTexts()[0]).toMatch(/^Error .*city/);
    expect(run.stopped?.reason).toBe('validation_exhausted');
    expect(text).toBe(`Stopped: ${run.stopped?.message}`);
    expect(events).toContain('ValidationRetryExhausted');
  });

  it('repairs by the schema before the SDK validates', async () => {
    const parameters = z.object({ days: z.number() });
    const run = reliableTools(
      [{ name: 'plan', description: 'Plans', parameters, execute: ({ days }) => `${days + 1} days` }],
      quick,
    ).startRun();
    await play(run, [{ calls: [{ name: 'plan', arguments: '{"days":"3"}' }] }, done]);
    expect(resultTexts()).toEqual(['4 days']);
    expect(lastBody()).toContain(JSON.stringify('{"days":3}').slice(1, -1));
  });

  it('identifies each tool by its own parameters', () => {
    const parameters = { type: 'object' as const, properties: {}, required: [], additionalProperties: true as const };
    reliableTools([
      { name: 'one', description: 'One', parameters: z.object({ a: z.number() }), execute: ({ a }) => a.toFixed(1) },
      { name: 'two', description: 'Two', parameters: z.object({ b: z.string() }), execute: ({ b }) => b.trim() },
      { name: 'three', description: 'Three', parameters, strict: false, execute: (input: unknown) => input },
      tool({ name: 'four', description: 'Four', parameters: city, execute: ({ city: name }) => name }),
    ]);
  });

  it('refuses values that are not tools', () => {
    expect(() => reliableTools([{ name: 'x', description: 'X', parameters: city } as never])).toThrow(/no function to run/);
  });
});

describe('time limits of the SDK', () => {
  it('are enforced, and reported like other failures', async () => {
    const run = reliableTools([{ name: 'stuck', description: 'Hangs', parameters: city, timeoutMs: 40, execute: hang }], {
      policy: { retry: { maxAttempts: 1 } },
    }).startRun();
    expect(await play(run, [calls('stuck'), done])).toBe('All done.');
    expect(resultTexts()[0]).toMatch(/^Error /);
  });

  it('are refused in the SDK’s words', () => {
    const options = { name: 'find', description: 'Finds', parameters: city, timeoutMs: 0, execute: () => 'found' };
    expect(() => reliableTools([options])).toThrow(/timeoutMs must be greater than 0/);
  });

  it('end the run if they are configured to', async () => {
    const stuck = {
      name: 'stuck',
      description: 'Hangs',
      parameters: city,
      timeoutMs: 40,
      timeoutBehavior: 'raise_exception',
      execute: hang,
    } as const;
    await expect(play(reliableTools([stuck]).startRun(), [calls('stuck'), done])).rejects.toMatchObject({ name: 'ToolTimeoutError' });
  });
});

describe('output schemas', () => {
  const outputSchema = z.object({ sky: z.string() });
  const base = { name: 'look', description: 'Looks', parameters: city, outputSchema };
  const fail = (): never => {
    throw Object.assign(new Error('No such city'), { status: 404 });
  };

  it('accept valid outputs', async () => {
    await play(reliableTools([{ ...base, execute: () => ({ sky: 'grey' }) }]).startRun(), [calls('look'), done]);
    expect(resultTexts()).toEqual(['{"sky":"grey"}']);
  });

  it('end the run when a tool without an errorFunction finally fails, as in the SDK', async () => {
    const ended = play(reliableTools([{ ...base, execute: fail }], quick).startRun(), [calls('look'), done]);
    await expect(ended).rejects.toMatchObject({ name: 'ToolCallError', error: { message: 'No such city', status: 404 } });
  });

  it('reject invalid outputs as the SDK does, and the service counts a failure that is not repeated', async () => {
    let runs = 0;
    const tools = reliableTools([{ ...base, execute: () => (runs++, { sea: 'calm' }) as never }], {
      ...quick,
      tools: { look: { effect: 'read' } },
    });
    const ended = play(tools.startRun(), [calls('look'), done]);
    await expect(ended).rejects.toMatchObject({ name: 'ToolCallError', error: { name: 'InvalidToolOutputError' } });
    expect([runs, tools.service.getToolMetrics('look')?.errorCount]).toEqual([1, 1]);
  });

  it('read each output once, also if the tool returns one object with other contents', async () => {
    const reads: string[] = [];
    const counted = z.object({ sky: z.string().refine((sky) => reads.push(sky) > 0) });
    const weather = { sky: '' };
    const skies = ['grey', 'blue'];
    const look = { ...base, outputSchema: counted, execute: () => Object.assign(weather, { sky: skies.shift() }) };
    await play(reliableTools([look], quick).startRun(), [calls('look'), calls('look'), done]);
    expect(resultTexts()).toEqual(['{"sky":"grey"}', '{"sky":"blue"}']);
    expect(reads).toEqual(['grey', 'blue']);
  });

  it('let their errorFunction answer for an invalid output, which gets the SDK’s own error', async () => {
    const errorFunction = (_context: unknown, error: unknown) => ({ sky: (error as Error).name });
    await play(reliableTools([{ ...base, execute: () => ({ sea: 'calm' }) as never, errorFunction }], quick).startRun(), [
      calls('look'),
      done,
    ]);
    expect(JSON.parse(resultTexts()[0] ?? '')).toEqual({ sky: 'InvalidToolOutputError' });
  });

  it('accept the output of an alternative', async () => {
    const errorFunction = (_context: unknown, error: unknown) => ({ sky: (error as Error).message });
    await play(reliableTools([{ ...base, execute: fail, errorFunction }], quick).startRun(), [calls('look'), done]);
    expect(JSON.parse(resultTexts()[0] ?? '')).toEqual({ sky: 'No such city' });
  });

  it('or their own words for a final failure, of the error that the tool threw, or of what Holdfast says without one', async () => {
    const seen: unknown[] = [];
    const errorFunction = (_context: unknown, error: unknown) => {
      seen.push(error);
      return `Sorry: ${(error as Error).message}`;
    };
    const thrown = Object.assign(new Error('Request failed with status code 503'), { status: 503 });
    const down = { name: 'down', description: 'x', parameters: city, execute: () => Promise.reject(thrown), errorFunction };
    const slow = { name: 'slow', description: 'x', parameters: city, execute: hang, errorFunction };
    const options = { ...quick, tools: { slow: { timeoutMs: 20 } } };
    await play(reliableTools([down, slow], options).startRun(), [calls('down', 'slow'), done]);
    expect(resultTexts()[0]).toBe('Sorry: Request failed with status code 503');
    expect(resultTexts()[1]).toMatch(/^Sorry: Error TOOL_TIMEOUT/);
    expect(seen).toContain(thrown);
  });

  it('or arguments that the SDK cannot read, which their errorFunction gets as the SDK’s own error', async () => {
    const errorFunction = (_context: unknown, error: unknown) => `Sorry: ${(error as Error).name}`;
    const look = { name: 'look', description: 'x', parameters: city, execute: () => 'Rain', errorFunction };
    const call = { name: 'look', arguments: { city: 7 } };
    await play(reliableTools([look], quick).startRun(), [{ calls: [call] }, done]);
    expect(resultTexts()[0]).toBe('Sorry: InvalidToolInputError');
  });

  it.each(['wrapped', 'bare'])('or what the SDK makes of arguments that are no JSON, with a %s model', async (model) => {
    const seen: unknown[] = [];
    const errorFunction = (_context: unknown, error: unknown) => {
      seen.push((error as { readonly originalError?: unknown }).originalError);
      return { sky: (error as Error).name };
    };
    const json = { type: 'object' as const, properties: {}, required: [], additionalProperties: false as const };
    const look = { description: 'x', parameters: city, execute: () => ({ sky: 'grey' }) };
    const tools = [
      { ...look, name: 'own', errorFunction },
      { ...look, name: 'ends', errorFunction: null },
      { ...look, name: 'json', errorFunction, parameters: json },
      { ...look, name: 'checked', errorFunction, outputSchema: z.object({ sky: z.string() }) },
    ];
    const run = reliableTools(tools, quick).startRun();
    const provider = await start([{ calls: tools.map(({ name }) => ({ name, arguments: 'Oslo, I think' })) }, done]);
    const runner = model === 'wrapped' ? runnerOf(run, provider) : new Runner({ modelProvider: provider, tracingDisabled: true });
    setSensitiveDataLoggingEnabled(true);
    await runner.run(agentOf(run), 'Go on.', run.settings).finally(() => setSensitiveDataLoggingEnabled(false));
    const words = 'An error occurred while parsing tool arguments. Please try again with valid JSON.';
    expect(resultTexts()).toEqual([words, words, words, JSON.stringify({ sky: 'InvalidToolInputError' })]);
    expect(seen).toEqual([expect.any(SyntaxError)]);
  });

  it('or, where a program calls the tool itself, the description of what is no JSON', async () => {
    const run = reliableTools([{ name: 'look', description: 'x', parameters: city, execute: () => 'Rain' }], quick).startRun();
    for (const isShown of [true, false]) {
      setSensitiveDataLoggingEnabled(isShown);
      const told = run.tools[0]?.invoke(new RunContext(), 'Oslo, I think');
      expect(await told?.finally(() => setSensitiveDataLoggingEnabled(false))).toMatch(/^Error INVALID_ARGUMENTS/);
    }
  });

  it('or the end of the run, where errorFunction is null: with the error that the tool threw, after recovery', async () => {
    const thrown = Object.assign(new Error('Request failed with status code 503'), { status: 503 });
    let runs = 0;
    const execute = (): Promise<never> => {
      runs += 1;
      return Promise.reject(thrown);
    };
    const down = { name: 'down', description: 'x', parameters: city, execute, errorFunction: null };
    const ended = play(reliableTools([down], quick).startRun(), [calls('down'), done]);
    await expect(ended).rejects.toMatchObject({ name: 'ToolCallError', error: thrown });
    expect(runs).toBeGreaterThan(1);
  });
});

describe('tools created with `tool()`', () => {
  const broken = {
    name: 'broken',
    description: 'Breaks',
    parameters: city,
    execute: (): never => {
      throw Object.assign(new Error('No such city'), { status: 404 });
    },
  };

  it('run as they are; the SDK’s text for failures is recognized as a failure', async () => {
    const fine = tool({ name: 'fine', description: 'Works', parameters: city, execute: ({ city: name }) => `Rain in ${name}.` });
    await play(reliableTools([fine, tool(broken)], quick).startRun(), [calls('fine', 'broken'), done]);
    expect(resultTexts()).toEqual(['Rain in Oslo.', expect.stringMatching(/^Error .*hides the reason/)]);
  });

  it('without an errorFunction report what went wrong', async () => {
    await play(reliableTools([tool({ ...broken, errorFunction: null })], quick).startRun(), [calls('broken'), done]);
    expect(resultTexts()).toEqual([expect.stringMatching(/^Error .*No such city/)]);
  });

  it('may be agents', async () => {
    const inner = new Agent({ name: 'Inner', model: 'gpt-5.2' });
    const helper = inner.asTool({ toolName: 'helper', toolDescription: 'Helps' });
    const run = reliableTools([helper]).startRun();
    const provider = await start([{ calls: [{ name: 'helper', arguments: { input: 'Hi' } }] }, { text: 'From inside.' }, done]);
    const { finalOutput } = await runnerOf(run, provider).run(agentOf(run), 'Go on.', run.settings);
    expect(finalOutput).toBe('All done.');
    expect(resultTexts()).toEqual(['From inside.']);
  });
});

describe('disabled tools', () => {
  it('are not run when they are called', async () => {
    const runs: string[] = [];
    const run = reliableTools([
      { name: 'off', description: 'Off', parameters: city, isEnabled: false, execute: () => void runs.push('off') },
    ]).startRun();
    expect(await play(run, [calls('off', 'other'), done])).toBe('All done.');
    expect(runs).toEqual([]);
    expect(resultTexts()).toHaveLength(2);
    expect(requests()[0]?.neutral.tools).toEqual([]);
  });

  it('include those with an open circuit', async () => {
    const down = {
      name: 'down',
      description: 'Down',
      parameters: city,
      execute: (): never => {
        throw Object.assign(new Error('Service unavailable'), { status: 503 });
      },
    };
    const options = {
      ...quick,
      tools: { down: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false } },
      run: { openCircuits: 'remove' },
    } as const;
    const run = reliableTools([down], options).startRun();
    await play(run, [calls('down'), calls('down'), done]);
    expect(requests().map(({ neutral }) => neutral.tools.length)).toEqual([1, 0, 0]);
    expect(resultTexts()[1]).toMatch(/unavailable/i);
  });
});
