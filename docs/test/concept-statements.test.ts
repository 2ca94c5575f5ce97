/** Proves what concept pages say that Holdfast does not do, where no test of a package does. */
import { defineTool, ref, ToolExecutionService, type TurnResult } from '@holdfast/core';
import { AgentRun, Session } from '@holdfast/core/agent';
import { runJournaledTurn } from '@holdfast/core/journal';
import { replayTurn } from '@holdfast/core/replay';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import { processRunner } from '@holdfast/runners';
import { expect, test } from 'vitest';

const unavailable = (): never => {
  throw Object.assign(new Error('Service Unavailable'), { status: 503 });
};

const denied = (): never => {
  throw Object.assign(new Error('no access'), { status: 403 });
};

const hang = (): Promise<never> => new Promise(() => {});

test('a batch reads no references, and returns only the results; its trace goes to listeners', async () => {
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'echo', run: (args) => args })] });
  const types: string[] = [];
  service.subscribe(({ event_type }) => types.push(event_type));
  const results = await service.executeToolBatch([
    { callId: 'a', toolName: 'echo', arguments: { city: 'Oslo' } },
    { callId: 'b', toolName: 'echo', arguments: { city: { $from: 'a' } } },
  ]);
  expect(Array.isArray(results)).toBe(true);
  expect(results[1]?.output).toEqual({ city: { $from: 'a' } });
  expect(types).toContain('CallCompleted');
});

test('a wait for a slot may be longer than the time limit of an attempt', async () => {
  const system = manualSystem();
  const run = (): Promise<string> => new Promise((resolve) => system.setTimer(80, () => resolve('done')));
  const tool = defineTool({ name: 'slow', timeoutMs: 100, concurrency: { limit: 1 }, run });
  const service = new ToolExecutionService({ tools: [tool], system, seed: 'statements' });
  const calls = Array.from({ length: 4 }, () => ({ toolName: 'slow' }));
  const results = await system.until(service.executeToolBatch(calls));
  expect(results.map(({ status, attempts }) => [status, attempts])).toEqual(calls.map(() => ['success', 1]));
  expect(results[3]?.executionTime).toBe(320);
});

test('a refusal is never answered with a retry: an alternative or a fallback may follow', async () => {
  const backup = defineTool({ name: 'backup', run: () => 'found' });
  const tools = [
    defineTool({ name: 'search', run: unavailable, alternatives: ['backup'] }),
    defineTool({ name: 'advice', run: unavailable, fallback: { value: 'none today' } }),
    backup,
  ];
  const service = new ToolExecutionService({ tools });
  for (const name of ['search', 'advice']) service.controlCircuit(name, 'forced_open');
  const actions: string[] = [];
  service.subscribe((event) => {
    if (event.event_type === 'RecoveryDecided') actions.push(event.decision.action);
  });
  const [search, advice] = await service.executeToolBatch([{ toolName: 'search' }, { toolName: 'advice' }]);
  expect([search?.servedBy, search?.attempts, advice?.output, advice?.attempts]).toEqual(['backup', 1, 'none today', 0]);
  expect(actions.toSorted()).toEqual(['use_alternative', 'use_default']);
});

test('a single call has no time limit of its own by default', async () => {
  const system = manualSystem();
  const tenHours = 36_000_000;
  const run = (): Promise<string> => new Promise((resolve) => system.setTimer(tenHours, () => resolve('done')));
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'long', timeoutMs: Infinity, run })], system, seed: 'statements' });
  const { status, executionTime } = await system.until(service.executeTool({ toolName: 'long' }));
  expect([status, executionTime]).toEqual(['success', tenHours]);
});

test('an alternative that no tool has is refused when the service is created, and in the result of a call', async () => {
  const search = defineTool({ name: 'search', run: denied });
  expect(() => new ToolExecutionService({ tools: [defineTool({ name: 'search', run: denied, alternatives: ['bakcup'] })] })).toThrow(
    'bakcup',
  );
  const { error } = await new ToolExecutionService({ tools: [search] }).executeTool({
    toolName: 'search',
    policy: { alternatives: ['bakcup'] },
  });
  expect(error?.code).toBe('INVALID_CALL');
});

test('alternatives of an alternative are not used', async () => {
  let isUsed = false;
  const tools = [
    defineTool({ name: 'first', run: denied, alternatives: ['second'] }),
    defineTool({ name: 'second', run: denied, alternatives: ['third'] }),
    defineTool({ name: 'third', run: () => (isUsed = true) }),
  ];
  const { status, servedBy } = await new ToolExecutionService({ tools }).executeTool({ toolName: 'first' });
  expect([status, servedBy, isUsed]).toEqual(['error', 'second', false]);
});

test('at the deadline of the turn neither an alternative nor a fallback is used', async () => {
  const system = manualSystem();
  let isUsed = false;
  const tools = [
    defineTool({ name: 'search', run: hang, alternatives: ['backup'], fallback: { value: 'nothing' } }),
    defineTool({ name: 'backup', run: () => (isUsed = true) }),
  ];
  const service = new ToolExecutionService({ tools, system, seed: 'statements' });
  const { results } = await system.until(service.executeTurn({ timeoutMs: 1_000, calls: [{ toolName: 'search' }] }));
  expect([results[0]?.error?.code, results[0]?.output, isUsed]).toEqual(['TURN_DEADLINE', undefined, false]);
});

test('only an advisor skips a call, and the call ends as with fail', async () => {
  const tools = [defineTool({ name: 'search', run: denied })];
  const run = async (action: 'skip' | 'fail'): Promise<unknown> => {
    const service = new ToolExecutionService({ tools, advisor: (_notice, _inputs, builtIn) => ({ ...builtIn, action }) });
    const { outcome, results } = await service.executeTurn({ calls: [{ toolName: 'search', optional: true }] });
    return [outcome, results[0]?.status, results[0]?.error?.code];
  };
  expect(await run('skip')).toEqual(await run('fail'));
  expect(await run('skip')).toEqual(['success', 'error', 'PERMISSION_DENIED']);
});

test('the tools that rules name are not checked where the service is created without tools', () => {
  const recoveryRules = [{ name: 'once', when: { tool: 'later' }, deny: 'retry' }] as const;
  expect(() => new ToolExecutionService({ tools: [defineTool({ name: 'now', run: denied })], recoveryRules })).toThrow('later');
  const service = new ToolExecutionService({ tools: [], recoveryRules });
  expect(() => service.replaceTools([defineTool({ name: 'now', run: denied })])).not.toThrow();
});

test.each(['breaker', 'concurrency', 'rateLimit', 'retryBudget'])('%s cannot be set on a call', async (setting) => {
  let isRun = false;
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'search', run: () => (isRun = true) })] });
  const { error } = await service.executeTool({ toolName: 'search', policy: { [setting]: false } });
  expect([error?.code, isRun]).toEqual(['INVALID_CALL', false]);
});

test('a process that takes over a turn delivers no event to its listeners that was delivered before', async () => {
  const system = manualSystem();
  const run = (): Promise<string> => new Promise((resolve) => system.setTimer(100, () => resolve('done')));
  const tools = ['search', 'book'].map((name) => defineTool({ name, run }));
  const plan = {
    calls: [
      { callId: 'A', toolName: 'search' },
      { callId: 'B', toolName: 'book', arguments: { found: ref('A') } },
    ],
  };
  const delivered: string[][] = [];
  const journal = memoryJournal({ system });
  const turn = journal.run((process) => {
    const service = new ToolExecutionService({ tools, seed: 'statements', system: process.system });
    const events: string[] = [];
    delivered.push(events);
    service.subscribe((event) => events.push(`${event.event_type} ${'call_id' in event ? String(event.call_id) : ''}`));
    return runJournaledTurn({ service, turnId: 'trip', plan, journal: process.journal });
  });
  await system.advance(150);
  journal.kill();
  await system.until(turn);
  const [first = [], second = []] = delivered;
  expect(first).toContain('CallCompleted A');
  expect(second).toContain('CallCompleted B');
  expect(second).toContain('TurnTakenOver ');
  expect(second.filter((event) => event.endsWith(' A'))).toEqual([]);
});

test('by default the trace has neither arguments nor outputs', async () => {
  const echo = defineTool({ name: 'echo', run: () => ({ found: 'crocus' }) });
  const { trace } = await new ToolExecutionService({ tools: [echo] }).executeTurn({
    calls: [{ toolName: 'echo', arguments: { word: 'saffron' } }],
  });
  expect(JSON.stringify(trace)).not.toMatch(/saffron|crocus/u);
});

test('the live error and the output are not redacted, the message is', async () => {
  const secret = 'api_key=abcdef123456';
  const tools = [
    defineTool({ name: 'leaky', run: () => Promise.reject(Object.assign(new Error(secret), { status: 401 })) }),
    defineTool({ name: 'open', run: () => secret }),
  ];
  const [leaky, open] = await new ToolExecutionService({ tools }).executeToolBatch([{ toolName: 'leaky' }, { toolName: 'open' }]);
  expect(leaky?.error?.message).toBe('Tool error: api_key=[redacted]');
  expect(leaky?.error?.cause).toMatchObject({ message: secret });
  expect(open?.output).toBe(secret);
});

test('without a store the trace is in the result of the turn, and goes to listeners', async () => {
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'echo', run: () => 'done' })] });
  const heard: unknown[] = [];
  service.subscribe((event) => heard.push(event.event_type));
  const { trace } = await service.executeTurn({ calls: [{ toolName: 'echo' }] });
  expect(trace.map(({ event_type }) => event_type)).toEqual(heard);
  expect(heard.at(-1)).toBe('TurnCompleted');
});

test('attempts belong to the run: a restored session does not count them', async () => {
  const book = defineTool({ name: 'book', input: { type: 'object', required: ['flight'] }, run: () => 'booked' });
  const service = new ToolExecutionService({ tools: [book] });
  const call = { callId: 'a', toolName: 'book', arguments: {} };
  const session = new Session({});
  const [first] = await new AgentRun({ service, session }).answer([call]);
  const [again] = await new AgentRun({ service, session: Session.restore(session.save(), {}) }).answer([call]);
  expect([first?.text, again?.text]).toEqual([expect.stringContaining('attempt 1 of 3'), expect.stringContaining('attempt 1 of 3')]);
});

test('a program is started without a shell', async () => {
  const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
  const run = processRunner({ command: process.execPath, args: ['-e', script, '--', '{{arguments.text}}'] });
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'print', run })] });
  const text = '$HOME; echo hello | cat > file && $(ls)';
  const { output } = await service.executeTool({ toolName: 'print', arguments: { text } });
  expect(output).toEqual([text]);
  await service.close();
});

/** A turn whose tool fails once, then succeeds. */
async function recovered(): Promise<TurnResult['trace']> {
  let attempts = 0;
  const run = (): string => ((attempts += 1) === 1 ? unavailable() : 'done');
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'busy', retry: { initialDelayMs: 1 }, run })], capture: 'all' });
  return (await service.executeTurn({ calls: [{ toolName: 'busy', arguments: { word: 'saffron' } }] })).trace;
}

test('a what-if compares only decisions', async () => {
  const { differences } = replayTurn(await recovered(), { policy: { retry: { maxAttempts: 1 } } });
  expect(new Set(differences.map(({ kind }) => kind))).toEqual(new Set(['decision']));
});

test('an exact replay does not compare captured arguments', async () => {
  const edited = JSON.parse(JSON.stringify(await recovered()).replaceAll('saffron', 'crocus')) as TurnResult['trace'];
  expect(JSON.stringify(edited)).toContain('crocus');
  expect(replayTurn(edited).differences).toEqual([]);
});

test('an outcome that was edited in the record is replayed as edited, without a difference', async () => {
  const text = JSON.stringify(await recovered())
    .replaceAll('"done"', '"edited"')
    .replaceAll('Service Unavailable', 'gone away');
  const { differences, report } = replayTurn(JSON.parse(text) as TurnResult['trace']);
  expect([differences, report.results[0]?.output]).toEqual([[], 'edited']);
});
