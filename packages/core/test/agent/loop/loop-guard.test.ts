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
  it('adds advice to the third one and does not run the same call again in any notation', async () => {
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
    const notations = ['{"a":1,"b":{"c":2.0,"d":[3]}}', { b: { d: [3], c: 2 }, a: 1 }, '{ "b": {"d":[3.00],"c":2e0}, "a": 1.0 }'];
    const answers = [];
    for (const notation of notations) answers.push((await texts(modelCall('read', notation)))[0]);
    const before = runs;
    expect(answers[1]).not.toContain('failed 2 times');
    expect(answers[2]).toContain('This very call has failed 3 times');
    expect(answers[2]).toContain('use search');

    const [refused] = await texts(modelCall('read', notations[0]));
    expect(refused).toContain('REPEATED_FAILURE');
    expect(runs).toBe(before);
    expect(of('AgentCallRefused')).toMatchObject([{ code: 'REPEATED_FAILURE', tool_id: 'read' }]);
    expect((await texts(modelCall('read', { a: 2 })))[0]).toContain('NOT_FOUND');
    expect(run.stopped).toBeUndefined();
  });

  it('counts failures of each kind separately', async () => {
    let runs = 0;
    const tool = defineTool({
      name: 'odd',
      run: () => {
        runs += 1;
        throw Object.assign(new Error(runs % 2 === 0 ? 'even' : 'odd'), { status: 400 });
      },
    });
    const { texts } = runBench([tool]);
    const answers = [];
    for (let count = 0; count < 5; count++) answers.push((await texts(modelCall('odd')))[0]);
    expect(answers.findIndex((text) => text?.includes('failed 3 times'))).toBe(4);
  });

  it('ignores ids and numbers in messages', async () => {
    let runs = 0;
    const tool = defineTool({
      name: 'busy',
      run: () => {
        throw Object.assign(new Error(`request 0f8fad5b-d9cb-469f-a165-70867728950${(runs += 1)} refused after ${runs * 7} ms`), {
          status: 400,
        });
      },
    });
    const { texts } = runBench([tool]);
    await texts(modelCall('busy'));
    await texts(modelCall('busy'));
    expect((await texts(modelCall('busy')))[0]).toContain('failed 3 times');
  });

  it('clears a call that succeeded, and allows one more attempt when another tool may have changed something', async () => {
    let exists = false;
    const read = defineTool({ name: 'read', effect: 'read', run: () => (exists ? 'text' : notFound()) });
    const write = defineTool({ name: 'write', run: () => 'written' });
    const look = defineTool({ name: 'look', effect: 'read', run: () => 'seen' });
    const { texts } = runBench([read, write, look]);
    for (const _ of [1, 2, 3]) await texts(modelCall('read'));
    await texts(modelCall('look'));
    expect((await texts(modelCall('read')))[0]).toContain('REPEATED_FAILURE');
    await texts(modelCall('write'));
    expect((await texts(modelCall('read')))[0]).toContain('failed 3 times');
    expect((await texts(modelCall('read')))[0]).toContain('REPEATED_FAILURE');
    exists = true;
    await texts(modelCall('write'));
    expect(await texts(modelCall('read'))).toEqual(['text']);
    exists = false;
    expect((await texts(modelCall('read')))[0]).not.toContain('failed');
  });

  it('runs the same call again after a pause that has a longest duration', async () => {
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

describe('the same failing call, made at intervals', () => {
  /** Calls until the tool answers or the run ends. The tool answers 404 until `readyMs`. */
  async function callsEvery(everyMs: number, { readyMs = Infinity, calls = 700, effect }: Interval = {}) {
    let requests = 0;
    const run = (): string => {
      requests += 1;
      return bench.system.now() < readyMs ? notFound() : 'done';
    };
    const bench = runBench([defineTool({ name: 'get_job', run, ...(effect && { effect }) })], { service: { profile: 'adaptive' } });
    const answers: string[] = [];
    while (answers.length < calls && !bench.run.stopped && answers.at(-1) !== 'done') {
      if (answers.length > 0) await bench.system.advance(everyMs);
      answers.push(...(await bench.texts(modelCall('get_job', { id: 7 }))));
    }
    return { answers, requests, ...bench };
  }

  it.each([
    ['read', 5_000],
    ['read', 70_000],
    ['unsafe', 5_000],
    [undefined, 5_000],
    [undefined, 70_000],
  ] as const)('%s: a poll every %d ms gets the answer when it is there', async (effect, everyMs) => {
    const { answers, requests, run } = await callsEvery(everyMs, { readyMs: everyMs * 8, effect });
    expect(answers).toHaveLength(9);
    expect(answers.at(-1)).toBe('done');
    expect(requests).toBe(9);
    expect(run.stopped).toBeUndefined();
  });

  it.each([2_600, 5_000, 20_000])('a poll every %d ms loses at most an eighth of its time, however long it takes', async (everyMs) => {
    for (const readyMs of [10_000, 77_000, 300_000, 1_500_000]) {
      const { answers, system } = await callsEvery(everyMs, { readyMs });
      expect(answers.at(-1)).toBe('done');
      const bareMs = Math.ceil(readyMs / everyMs) * everyMs;
      expect(system.now()).toBeLessThanOrEqual(bareMs * 1.125);
    }
  });

  it.each([
    [0, 3],
    [500, 14],
    [2_000, 33],
  ])('a model that repeats it every %d ms sends %d requests, and is stopped', async (everyMs, atMost) => {
    const { answers, requests, run } = await callsEvery(everyMs);
    expect(requests).toBe(atMost);
    expect(answers.length).toBeLessThan(230);
    expect(run.stopped).toBeDefined();
  });

  it('a slow loop sends few requests, and is told each time how long the call is not run', async () => {
    const { answers, requests, run, of } = await callsEvery(2_600);
    expect(run.stopped).toBeUndefined();
    expect(requests).toBeLessThan(80);
    expect(of('AgentCallRefused')).toHaveLength(700 - requests);
    expect(answers[699]).toMatch(/Do not repeat it for \d+ s\. Change the arguments of get_job, or continue without it\./);
  });

  it('a failure with another content is counted anew', async () => {
    let runs = 0;
    const states = ['queued', 'queued', 'queued', 'started', 'started', 'started', 'saved'];
    const run = (): never => {
      throw Object.assign(new Error(states[runs++]), { status: 409 });
    };
    const { texts, system } = runBench([defineTool({ name: 'get_job', run })], { service: { profile: 'adaptive' } });
    const answers: (string | undefined)[] = [];
    for (let call = 0; call < 7; call++) {
      if (call === 3 || call === 6) await system.advance(1_000);
      answers.push((await texts(modelCall('get_job')))[0]);
    }
    expect(answers.map((text) => text?.includes('will not be run again'))).toEqual([false, false, true, false, false, true, false]);
  });

  it('what nothing was run for is not tried again, however much time passes', async () => {
    const { run, system, texts } = runBench([defineTool({ name: 'off', enabled: false, run: () => 'never' })]);
    let calls = 0;
    for (; calls < 100 && !run.stopped; calls++) {
      await texts(modelCall('off'));
      await system.advance(3_600_000);
    }
    expect(run.stopped?.reason).toBe('repeated_failure');
    expect(calls).toBe(6);
  });
});

interface Interval {
  readonly readyMs?: number;
  readonly calls?: number;
  readonly effect?: 'read' | 'unsafe' | undefined;
}

describe('refused calls', () => {
  it.each([
    ['an unknown tool', 'nonesuch', { callId: 'a', toolName: 'nonesuch', arguments: {} }],
    ['a disabled tool', 'off', { callId: 'a', toolName: 'off', arguments: {} }],
  ])('a model that keeps calling %s is stopped', async (_what, _name, call) => {
    const off = defineTool({ name: 'off', enabled: false, run: () => 'never' });
    const service = new ToolExecutionService({ tools: [off], system: manualSystem() });
    const result = await runInference({ model: () => ({ calls: [call] }), messages: [], service, maxTurns: 1_000 });
    expect(result.outcome).toBe('stopped');
    expect(result.stopped?.reason).toBe('repeated_failure');
    expect(result.turns).toBeLessThanOrEqual(6);
    expect(result.trace.filter(({ event_type }) => event_type === 'AgentRunStopped')).toHaveLength(1);
  });

  it('a model that keeps calling a failing tool with changing arguments is stopped', async () => {
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
    let requests = 0;
    const model = (): { calls: { callId: string; toolName: string; arguments: unknown }[] } => ({
      calls: [{ callId: `call-${(requests += 1)}`, toolName: 'dead', arguments: { page: requests } }],
    });
    const result = await system.until(runInference({ model, messages: [], service, maxTurns: 1_000 }));
    expect(result).toMatchObject({ outcome: 'stopped', stopped: { reason: 'too_many_refusals' } });
    expect(runs).toBe(5);
    expect(requests).toBeLessThan(15);
  });

  it('very many refused calls of one answer stop the run; twenty for an open circuit do not', async () => {
    const tool = defineTool({ name: 'tool', run: () => 'fine' });
    const { run, service, texts } = runBench([tool]);
    service.controlCircuit('tool', 'forced_open');
    const flood = (count: number) => Array.from({ length: count }, (_, index) => modelCall('tool', { index }, { callId: `${index}` }));
    await texts(...flood(20));
    expect(run.stopped).toBeUndefined();
    await texts(...flood(32));
    expect(run.stopped?.reason).toBe('too_many_refusals');
  });

  it('a stopped run runs no call until it is resumed', async () => {
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

it('an unknown name gets advice the third time, and is refused after that', async () => {
  const { texts } = runBench([defineTool({ name: 'tool', run: () => 1 })]);
  const answers = [];
  for (let count = 0; count < 4; count++) answers.push((await texts(modelCall('nonesuch')))[0]);
  expect(answers[1]).toContain('Call only these tools: tool.');
  expect(answers[2]).toContain('failed 3 times');
  expect(answers[3]).toContain('REPEATED_FAILURE');
});
