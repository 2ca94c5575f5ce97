/** What times and counters say about calls that wait, take unusually long or end with their turn. */
import { createEpisodicMemory, defineTool, ToolExecutionService } from '@holdfast/core';
import { AgentRun, ConstantBackoff, runInference } from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import { expect, test } from 'vitest';
import { scriptedModel } from './support/agent.ts';
import { fails, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';

const call = { toolName: 'weather', arguments: {} };
const unavailable = Object.assign(new Error('Service Unavailable'), { status: 503 });

test('the execution time of a failed call includes its wait for a slot', { tags: ['S4-result'] }, async () => {
  const system = manualSystem();
  const { tool } = scriptedTool(system, 'weather', [succeeds('sunny', 400), fails('Invalid input', 30)], { concurrency: { limit: 1 } });
  const service = new ToolExecutionService({ tools: [tool], system });
  const results = await system.until(Promise.all([service.executeTool(call), service.executeTool(call)]));
  expect(results.map(({ status, executionTime }) => [status, executionTime])).toEqual([
    ['success', 400],
    ['error', 430],
  ]);
});

test('the execution time of a failed call includes its wait for recovery', { tags: ['S4-result'] }, async () => {
  const system = manualSystem();
  const scripted = scriptedTool(system, 'weather', [fails(unavailable), fails('Invalid input', 30)], {
    waitForRecovery: { maxWaitMs: 60_000 },
    breaker: { failureThreshold: 1, openMs: 1_000 },
    retry: { maxAttempts: 1 },
  });
  const service = new ToolExecutionService({ tools: [scripted.tool], system });
  await system.until(service.executeTool(call));
  const startedAt = system.now();
  const { executionTime, error } = await system.until(service.executeTool(call));
  const probedAt = scripted.starts[1] ?? 0;
  expect(probedAt - startedAt).toBeGreaterThanOrEqual(1_000);
  expect([executionTime, error?.message]).toEqual([probedAt + 30 - startedAt, 'Tool error: Invalid input']);
});

test('a Retry-After that is shorter than the backoff does not shorten it', { tags: ['S0-2.1'] }, async () => {
  const system = manualSystem();
  const busy = Object.assign(new Error('Too Many Requests'), { status: 429, headers: { 'retry-after': '1' } });
  const scripted = scriptedTool(system, 'weather', [fails(busy), succeeds()], {
    retry: { initialDelayMs: 8_000, maxDelayMs: 8_000, maxTotalTimeMs: 60_000, jitter: 'none' },
  });
  const service = new ToolExecutionService({ tools: [scripted.tool], system });
  expect((await system.until(service.executeTool(call))).status).toBe('success');
  expect((scripted.starts[1] ?? 0) - (scripted.starts[0] ?? 0)).toBe(8_000);
});

test('a probe has the time limit of its tool, and is the only one for so long', { tags: ['S0-3.1'] }, async () => {
  const system = manualSystem();
  const scripted = scriptedTool(system, 'weather', [fails(unavailable), succeeds('sunny', 150_000)], {
    timeoutMs: 200_000,
    retry: { maxAttempts: 1 },
    breaker: { failureThreshold: 1, openMs: 1_000 },
  });
  const service = new ToolExecutionService({ tools: [scripted.tool], system });
  await system.until(service.executeTool(call));
  await system.advance(1_000);
  const probe = service.executeTool(call);
  await system.advance(140_000);
  expect((await system.until(service.executeTool(call))).error?.code).toBe('CIRCUIT_OPEN');
  expect((await system.until(probe)).status).toBe('success');
  expect(scripted.starts).toHaveLength(2);
  expect(service.getToolHealth('weather')?.circuit).toBe('closed');
});

test.each([
  [399, false],
  [400, true],
])('a time budget of 2.4 s, with two waits of 1 s, and %s ms between', { tags: ['S2-policy'] }, async (pauseMs, ends) => {
  const system = manualSystem();
  const weather = defineTool({
    name: 'weather',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run: () => 'sunny',
  });
  const service = new ToolExecutionService({ tools: [weather], system });
  const run = new AgentRun({ service, validationRetries: { timeBudgetSeconds: 2.4, maxAttempts: 9, backoff: new ConstantBackoff(1) } });
  const answer = async (callId: string) => (await system.until(run.answer([{ ...call, callId }])))[0];
  await answer('a');
  await system.advance(pauseMs);
  expect((await answer('b'))?.exhausted?.stoppedBy).toBe(ends ? 'time_budget' : undefined);
});

test('two skipped calls are joined in the words of their ending', { tags: ['S0-4.2'] }, async () => {
  const system = manualSystem();
  const tools = ['root', 'left', 'right'].map((name) => scriptedTool(system, name, [fails('Invalid input')]).tool);
  const service = new ToolExecutionService({ tools, system });
  const calls = ['root', 'left', 'right'].map((toolName) => ({
    callId: toolName,
    toolName,
    arguments: {},
    ...(toolName === 'root' ? {} : { dependsOn: ['root'], optional: true }),
  }));
  expect((await system.until(service.executeTurn({ calls }))).summary).toBe('Root failed; left was skipped, as was right');
});

test('a retry that the deadline of its turn ended proves nothing about retries', { tags: ['S0-6.1'] }, async () => {
  const system = manualSystem();
  const { tool } = scriptedTool(system, 'weather', [fails(unavailable), hangs]);
  const service = new ToolExecutionService({ tools: [tool], system });
  const memory = createEpisodicMemory();
  service.subscribe((event) => memory.observe(event));
  await system.until(service.executeTurn({ timeoutMs: 5_000, calls: [{ callId: 'a', ...call }] }));
  expect(memory.takeLearned(0)).toEqual([]);
  await system.until(service.executeTurn({ calls: [{ callId: 'a', ...call }] }));
  expect(memory.takeLearned(0)).not.toEqual([]);
});

test('each answer of a run ends with the time limit of a turn', { tags: ['S3-loop'] }, async () => {
  const system = manualSystem();
  const { tool } = scriptedTool(system, 'weather', [hangs, hangs], { effect: 'read' });
  const service = new ToolExecutionService({ tools: [tool], system, profile: 'adaptive' });
  const { model } = scriptedModel({ calls: [{ ...call, callId: 'a' }] }, { text: 'I do not know.' });
  const startedAt = system.now();
  const messages = [{ role: 'user', content: 'Warm?' }] as const;
  const result = await system.until(runInference({ model, messages, service, timeoutMs: 600_000, turn: { timeoutMs: 20_000 } }));
  expect(result).toMatchObject({ outcome: 'answered', text: 'I do not know.', turns: 2 });
  expect(system.now() - startedAt).toBe(20_000);
});

test('the last advice of used up attempts names the alternatives', { tags: ['S2-exhaustion'] }, async () => {
  const input = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
  const weather = defineTool({ name: 'weather', input, alternatives: ['radar'], run: () => 'sunny' });
  const radar = defineTool({ name: 'radar', input, run: () => 'sunny' });
  const run = new AgentRun({ service: new ToolExecutionService({ tools: [weather, radar] }), validationRetries: { maxAttempts: 1 } });
  const [answer] = await run.answer([{ ...call, callId: 'a' }]);
  expect(answer?.text).toContain('Do not call weather again: the attempts are used up. Use radar. Continue without it, or tell the user.');
});
