import { describe, expect, it } from 'vitest';
import { runInference } from '../../../src/agent/index.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { modelCall, runBench } from './support.ts';

const notFound = (): never => {
  throw Object.assign(new Error('no such file'), { status: 404 });
};

describe('identical failures', () => {
  it('tells the third one with advice and runs no further same call, whatever its spelling', async () => {
    let runs = 0;
    const read = defineTool({
      name: 'read',
      effect: 'read',
      alternatives: ['search'],
      run: () => {
        runs += 1;
        return notFound();
      },
    });
    const { texts, of, run } = runBench([read, defineTool({ name: 'search', run: notFound })]);
    const spellings = ['{"a":1,"b":{"c":2.0,"d":[3]}}', { b: { d: [3], c: 2 }, a: 1 }, '{ "b": {"d":[3.00],"c":2e0}, "a": 1.0 }'];
    const told = [];
    for (const spelling of spellings) told.push((await texts(modelCall('read', spelling)))[0]);
    const before = runs;
    expect(told[1]).not.toContain('failed 2 times');
    expect(told[2]).toContain('This very call has failed 3 times');
    expect(told[2]).toContain('use search');

    const [refused] = await texts(modelCall('read', spellings[0]));
    expect(refused).toContain('REPEATED_FAILURE');
    expect(runs).toBe(before);
    expect(of('AgentCallRefused')).toMatchObject([{ code: 'REPEATED_FAILURE', tool_id: 'read' }]);
    expect((await texts(modelCall('read', { a: 2 })))[0]).toContain('NOT_FOUND');
    expect(run.stopped).toBeUndefined();
  });

  it('counts failures of one kind, not of several', async () => {
    let runs = 0;
    const tool = defineTool({
      name: 'odd',
      run: () => {
        runs += 1;
        throw Object.assign(new Error(runs % 2 === 0 ? 'even' : 'odd'), { status: 400 });
      },
    });
    const { texts } = runBench([tool]);
    const told = [];
    for (let count = 0; count < 5; count++) told.push((await texts(modelCall('odd')))[0]);
    expect(told.findIndex((text) => text?.includes('failed 3 times'))).toBe(4);
  });

  it('does not take ids and counts in messages for other failures', async () => {
    let runs = 0;
    const tool = defineTool({
      name: 'busy',
      run: () => {
        throw Object.assign(new Error(`request 0f8fad5b-d9cb-469f-a165-70867728950${(runs += 1)} turned down after ${runs * 7} ms`), {
          status: 400,
        });
      },
    });
    const { texts } = runBench([tool]);
    await texts(modelCall('busy'));
    await texts(modelCall('busy'));
    expect((await texts(modelCall('busy')))[0]).toContain('failed 3 times');
  });

  it('forgets a call that succeeded, and allows one more try when something may have changed', async () => {
    let there = false;
    const read = defineTool({ name: 'read', effect: 'read', run: () => (there ? 'text' : notFound()) });
    const write = defineTool({ name: 'write', run: () => 'written' });
    const look = defineTool({ name: 'look', effect: 'read', run: () => 'seen' });
    const { texts } = runBench([read, write, look]);
    for (const _ of [1, 2, 3]) await texts(modelCall('read'));
    await texts(modelCall('look'));
    expect((await texts(modelCall('read')))[0]).toContain('REPEATED_FAILURE');
    await texts(modelCall('write'));
    expect((await texts(modelCall('read')))[0]).toContain('failed 3 times');
    expect((await texts(modelCall('read')))[0]).toContain('REPEATED_FAILURE');
    there = true;
    await texts(modelCall('write'));
    expect(await texts(modelCall('read'))).toEqual(['text']);
    there = false;
    expect((await texts(modelCall('read')))[0]).not.toContain('failed');
  });

  it('tries what may pass by itself once more after a while', async () => {
    const flaky = defineTool({
      name: 'flaky',
      retry: { maxAttempts: 1 },
      breaker: false,
      run: () => {
        throw Object.assign(new Error('down'), { status: 503 });
      },
    });
    const { texts, system } = runBench([flaky], { identicalFailureCoolDownMs: 5_000 });
    for (const _ of [1, 2, 3]) await texts(modelCall('flaky'));
    expect((await texts(modelCall('flaky')))[0]).toContain('REPEATED_FAILURE');
    await system.advance(5_000);
    expect((await texts(modelCall('flaky')))[0]).toContain('SERVICE_UNAVAILABLE');
    expect((await texts(modelCall('flaky')))[0]).toContain('REPEATED_FAILURE');
  });
});

describe('refused calls', () => {
  it.each([
    ['an unknown tool', 'nonesuch', { callId: 'a', toolName: 'nonesuch', arguments: {} }],
    ['a disabled tool', 'off', { callId: 'a', toolName: 'off', arguments: {} }],
  ])('a model that calls %s for ever is stopped', async (_what, _name, forever) => {
    const off = defineTool({ name: 'off', enabled: false, run: () => 'never' });
    const service = new ToolExecutionService({ tools: [off], system: manualSystem() });
    const result = await runInference({ model: () => ({ calls: [forever] }), messages: [], service, maxTurns: 1_000 });
    expect(result.outcome).toBe('stopped');
    expect(result.stopped?.reason).toBe('repeated_failure');
    expect(result.turns).toBeLessThanOrEqual(6);
    expect(result.trace.filter(({ event_type }) => event_type === 'AgentRunStopped')).toHaveLength(1);
  });

  it('a model that calls a dead tool for ever is stopped, whatever its arguments', async () => {
    const system = manualSystem();
    let runs = 0;
    const dead = defineTool({
      name: 'dead',
      run: () => {
        runs += 1;
        throw Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
      },
    });
    const service = new ToolExecutionService({ tools: [dead], system });
    let asked = 0;
    const model = (): { calls: { callId: string; toolName: string; arguments: unknown }[] } => ({
      calls: [{ callId: `call-${(asked += 1)}`, toolName: 'dead', arguments: { page: asked } }],
    });
    const result = await system.until(runInference({ model, messages: [], service, maxTurns: 1_000 }));
    expect(result).toMatchObject({ outcome: 'stopped', stopped: { reason: 'too_many_refusals' } });
    expect(runs).toBe(5);
    expect(asked).toBeLessThan(15);
  });

  it('a flood of calls of one answer ends the run; twenty that meet an open circuit do not', async () => {
    const tool = defineTool({ name: 'tool', run: () => 'fine' });
    const { run, service, texts } = runBench([tool]);
    service.controlCircuit('tool', 'forced_open');
    const flood = (count: number) => Array.from({ length: count }, (_, index) => modelCall('tool', { index }, { callId: `${index}` }));
    await texts(...flood(20));
    expect(run.stopped).toBeUndefined();
    await texts(...flood(32));
    expect(run.stopped?.reason).toBe('too_many_refusals');
  });

  it('a stopped run runs nothing, until it is resumed', async () => {
    let runs = 0;
    const { run, texts } = runBench([defineTool({ name: 'tool', run: () => (runs += 1) })], { maxRefusals: 1 });
    await texts(modelCall('nonesuch'));
    expect(run.stopped).toBeDefined();
    expect((await texts(modelCall('tool')))[0]).toContain('Call no more tools');
    expect(runs).toBe(0);
    run.resume();
    expect(await texts(modelCall('tool'))).toEqual(['1']);
  });
});

it('the same unknown name a third time is told so, before it is turned down', async () => {
  const { texts } = runBench([defineTool({ name: 'tool', run: () => 1 })]);
  const told = [];
  for (let count = 0; count < 4; count++) told.push((await texts(modelCall('nonesuch')))[0]);
  expect(told[1]).toContain('Call only these tools: tool.');
  expect(told[2]).toContain('failed 3 times');
  expect(told[3]).toContain('REPEATED_FAILURE');
});
