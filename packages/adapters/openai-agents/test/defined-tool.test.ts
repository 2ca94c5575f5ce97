/** The SDK checks arguments before their approval, and hides rejected ones; it finds the parser of a tool by its function. */
import { reliableTools } from '@holdfast/openai-agents';
import { Agent, Runner, setSensitiveDataLoggingEnabled } from '@openai/agents';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentOf, city, done, play, quick, requests, resultTexts, start } from './support/play.ts';

const secret = 'SECRET_123';
const days = z.object({ days: z.number() });
const wrong = { days: secret };
const plan = { name: 'plan', description: 'Plans', parameters: days, execute: ({ days: count }: z.infer<typeof days>) => `${count} days` };
const one = (args: unknown): { calls: { name: string; arguments: unknown }[] } => ({ calls: [{ name: 'plan', arguments: args }] });

afterEach(() => setSensitiveDataLoggingEnabled(false));

describe('rejected arguments', () => {
  it('are told by field without their values, as the SDK hides these by default', async () => {
    await play(reliableTools([plan]).startRun(), [one(wrong) as never, done]);
    expect(resultTexts()[0]).toMatch(/^Error INVALID_ARGUMENTS: Parameter 'days': must be a number\n/);
    expect(resultTexts()[0]).toMatch(/takes: days: number/);
    expect(resultTexts()[0]).not.toContain(secret);
  });

  it('are told with their values where the SDK may show these', async () => {
    setSensitiveDataLoggingEnabled(true);
    await play(reliableTools([plan]).startRun(), [one(wrong) as never, done]);
    expect(resultTexts()[0]).toContain(`must be a number, got "${secret}"`);
  });

  it('of several calls are all told where the SDK does not say which call it was', async () => {
    const parameters = z.object({ from: z.string(), seats: z.number() });
    const book = { name: 'book', description: 'Books', parameters, execute: () => 'booked' };
    const call = (args: unknown) => ({ name: 'book', arguments: args });
    const answer = { calls: [call({ from: 1, seats: 1 }), call({ from: 'Oslo', seats: 2 }), call({ from: 'Oslo' })] };
    await play(reliableTools([book]).startRun(), [answer as never, done]);
    const [first, second, third] = resultTexts();
    expect(first).toMatch(/'from': must be text.*; or Required parameter 'seats' missing/);
    expect(second).toBe('booked');
    expect(third).toMatch(/'from': must be text.*; or Required parameter 'seats' missing/);
  });

  it('are forgotten with their answer', async () => {
    const run = reliableTools([plan]).startRun();
    await play(run, [one(wrong) as never, one({}) as never, done]);
    expect(resultTexts()[1]).toMatch(/Required parameter 'days' missing/);
    expect(resultTexts()[1]).not.toMatch(/must be a number|; or/);
  });

  it('are not shown to hooks, and their approval is asked with what was sent', async () => {
    const seen: unknown[] = [];
    const needsApproval = (_context: unknown, input: unknown): Promise<boolean> => Promise.resolve(seen.push(input) < 0);
    const run = reliableTools([{ ...plan, needsApproval }]).startRun();
    const agent = agentOf(run);
    agent.on('agent_tool_end', (_context, _tool, _result, { toolCall }) => {
      seen.push((toolCall as { readonly arguments: string }).arguments);
    });
    await new Runner({ modelProvider: await start([one(wrong) as never, done]), tracingDisabled: true }).run(agent, 'Go on.', run.settings);
    expect(seen).toEqual([wrong, '']);
  });

  it('never name what the schema does not know', async () => {
    await play(reliableTools([plan]).startRun(), [one({ [secret]: 1, days: 'x' }) as never, done]);
    expect(resultTexts()[0]).toMatch(/'days'/);
    expect(resultTexts()[0]).not.toContain(secret);
  });
});

describe('arguments with one reading', () => {
  it('are read without a wrapped model, before the policy of approvals', async () => {
    const asked: unknown[] = [];
    const needsApproval = (_context: unknown, input: unknown): Promise<boolean> => Promise.resolve(asked.push(input) < 0);
    const run = reliableTools([{ ...plan, needsApproval }], quick).startRun();
    const runner = new Runner({ modelProvider: await start([one({ days: '3' }) as never, done]), tracingDisabled: true });
    await runner.run(agentOf(run), 'Go on.', run.settings);
    expect(resultTexts()).toEqual(['3 days']);
    expect(asked).toEqual([{ days: 3 }]);
  });

  it('are read by another Standard Schema too', async () => {
    const standard = { '~standard': days['~standard'] };
    const run = reliableTools([{ ...plan, parameters: standard as unknown as typeof days }], quick).startRun();
    const runner = new Runner({
      modelProvider: await start([one({ days: '4' }) as never, one(wrong) as never, done]),
      tracingDisabled: true,
    });
    await runner.run(agentOf(run), 'Go on.', run.settings);
    expect(resultTexts()[0]).toBe('4 days');
    expect(resultTexts()[1]).toMatch(/^Error INVALID_ARGUMENTS: Parameter 'days'/);
  });
});

it('a tool that is invoked without details gets what its schema made of the arguments', async () => {
  const parameters = z.object({ city: z.string().max(4).toUpperCase() });
  const seen: unknown[] = [];
  const [made] = reliableTools([{ name: 'find', description: 'Finds', parameters, execute: (input) => void seen.push(input) }]).startRun()
    .tools;
  await made?.invoke({} as never, '{"city":"Oslo"}');
  expect(seen).toEqual([{ city: 'OSLO' }]);
});

it('the function of a tool may be replaced, as instrumentation does', async () => {
  const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
  const [made] = run.tools;
  if (!made) throw new Error('no tool');
  const { invoke } = made;
  expect(made.invoke).toBe(invoke);
  made.invoke = async (context, text, details) => `traced ${String(await invoke(context, text, details))}`;
  await play(run, [{ calls: [{ name: 'find', arguments: { city: 'Oslo' } }] }, done]);
  expect(resultTexts()).toEqual(['traced found']);
  expect(requests()).toHaveLength(2);
  expect(new Agent({ name: 'Agent', tools: run.tools }).tools).toEqual(run.tools);
});
