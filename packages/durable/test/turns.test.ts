import { ref, type TurnPlan } from '@holdfast/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from './support/observe.ts';
import { echo, echoAndHang, startScene, type Scene } from './support/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});

afterAll(() => scene.stop());

describe('a durable turn', () => {
  test('ends as in process: outputs reach the calls that refer to them', async () => {
    const plan: TurnPlan = {
      turnId: 'diamond',
      calls: [
        { callId: 'A', toolName: 'echo', arguments: { x: 1 } },
        { callId: 'B', toolName: 'echo', arguments: { of: ref('A', 'args.x') } },
        { callId: 'C', toolName: 'throwing', dependsOn: ['A'], optional: true },
        { callId: 'D', toolName: 'echo', arguments: { b: ref('B', 'args.of') } },
      ],
    };
    const result = await scene.client.run(plan);
    expect(result).toMatchObject({ turnId: 'diamond', outcome: 'success', escalated: false });
    expect(result.results.map(({ callId, status }) => [callId, status])).toEqual([
      ['A', 'success'],
      ['B', 'success'],
      ['C', 'error'],
      ['D', 'success'],
    ]);
    expect(result.results[3]).toMatchObject({ output: { callId: 'D', args: { b: 1 } } });
    expect(result).not.toHaveProperty('trace');
  });

  test('returns its trace if it is requested', async () => {
    const { trace } = await scene.client.run(echo('traced'), { trace: true, executionId: 'run-1' });
    expect(trace?.map(({ event_type: type }) => type)).toEqual([
      'TurnStarted',
      'CallStarted',
      'AttemptStarted',
      'ToolSucceeded',
      'CallCompleted',
      'TurnCompleted',
    ]);
    expect(trace?.[0]).toMatchObject({ turn_id: 'traced', execution_id: 'run-1' });
  });

  test('without an id gets one', async () => {
    const { turnId } = await scene.client.run({ calls: [{ toolName: 'echo' }] });
    const other = await scene.client.run({ calls: [{ toolName: 'echo' }] });
    expect(turnId).not.toBe(other.turnId);
    expect(scene.ran).toEqual(expect.arrayContaining([`${turnId} call-1`, `${other.turnId} call-1`]));
  });

  test('may have any string as its id', async () => {
    const turnId = "it's/a turn?#%😀";
    expect((await scene.client.run(echo(turnId))).turnId).toBe(turnId);
    expect(await scene.client.state(turnId)).toBe('completed');
  });

  test('that is submitted twice runs once', async () => {
    expect(await scene.client.submit(echo('twice'))).toEqual({ turnId: 'twice', status: 'accepted' });
    expect(await scene.client.submit(echo('twice'))).toEqual({ turnId: 'twice', status: 'known' });
    const results = await Promise.all([scene.client.run(echo('twice')), scene.client.result('twice')]);
    expect(results[0]).toEqual(results[1]);
    expect(scene.ran.filter((one) => one.startsWith('twice'))).toEqual(['twice A']);
  });

  test('whose id belongs to another plan is refused', async () => {
    await scene.client.run(echo('taken'));
    const other = scene.client.run({ turnId: 'taken', calls: [{ callId: 'B', toolName: 'echo' }] });
    await expect(other).rejects.toMatchObject({ code: 'TURN_CONFLICT', turnId: 'taken' });
    expect(scene.ran.filter((one) => one.startsWith('taken'))).toEqual(['taken A']);
  });

  test('without a valid plan is refused once, with field, value and fix', async () => {
    const plan = { turnId: 'no-plan', calls: 3 } as unknown as TurnPlan;
    const refusal = 'plan = {"turnId":"no-plan","calls":3} is invalid. Give a plan: { calls: [{ callId, toolName, arguments }] }.';
    await expect(scene.client.run(plan)).rejects.toMatchObject({ code: 'TURN_REFUSED', message: refusal });
    await expect(scene.client.peek('no-plan')).rejects.toMatchObject({ code: 'TURN_REFUSED' });
    expect(await scene.client.state('no-plan')).toBe('failed');
    expect(scene.logs.filter(({ turnId }) => turnId === 'no-plan').map(({ message }) => message)).toEqual([
      `The turn ended without a result: ${refusal}`,
    ]);
  });

  test.each([
    ['not JSON', 'The body must be JSON { plan }, got "not JSON".'],
    ['[]', 'The body must be JSON { plan }, got [].'],
    ['', 'The body must be JSON { plan }, got "".'],
    ['{"plam":{}}', 'plam = {} is not a field of a turn. Leave it out.'],
    ['{"plan":{"calls":[]},"trace":1}', 'trace = 1 is invalid. Give true or false, or leave it out.'],
    ['{"plan":{"calls":[]},"executionId":""}', 'executionId = "" is invalid. Give a string, or leave it out.'],
  ])('passed as %s is refused', async (body, message) => {
    const url = `${scene.server.ingressUrl}/holdfast_turn/${encodeURIComponent(`raw ${body}`)}/run`;
    const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect([answer.status, ((await answer.json()) as { readonly message: string }).message]).toEqual([400, message]);
  });

  test('with a plan that cannot run reports it in its result', async () => {
    const result = await scene.client.run({ turnId: 'cycle', calls: [{ callId: 'A', toolName: 'echo', dependsOn: ['B'] }] });
    expect(result).toMatchObject({ outcome: 'failed', problems: ["Call 'A' depends on 'B', which is not in the plan."] });
  });

  test('ends at its deadline with the finished calls', async () => {
    const result = await scene.client.run({ ...echoAndHang('late'), timeoutMs: 300 });
    expect(result.outcome).toBe('deadline');
    expect(result.results.map(({ status }) => status)).toEqual(['success', 'timeout']);
    expect(result.executionTime).toBeGreaterThanOrEqual(300);
  });

  test('that is cancelled returns what was finished', async () => {
    await scene.client.submit(echoAndHang('cancelled'));
    await until(() => scene.ran.includes('cancelled A') && scene.hanging.includes('cancelled H'), 'both calls run');
    expect(await scene.client.state('cancelled')).toBe('running');
    expect(await scene.client.peek('cancelled')).toBeUndefined();
    expect(await scene.client.cancel('cancelled', 'the user went away')).toBe('cancelled');
    const result = await scene.client.result('cancelled');
    expect(result.outcome).toBe('cancelled');
    expect(JSON.stringify(result.results[1])).toContain('the user went away');
    expect(await scene.client.cancel('cancelled')).toBe('over');
    expect(await scene.client.peek('cancelled')).toEqual(result);
  });

  test('that is cancelled in Restate returns it, too', async () => {
    await scene.client.submit(echoAndHang('operator'));
    await until(() => scene.hanging.includes('operator H'), 'the call hangs');
    const answer = await fetch(`${scene.server.adminUrl}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: "SELECT id FROM sys_invocation WHERE target_service_key = 'operator'" }),
    });
    const { rows } = (await answer.json()) as { readonly rows: readonly { readonly id: string }[] };
    await fetch(`${scene.server.adminUrl}/invocations/${rows[0]?.id ?? ''}/cancel`, { method: 'PATCH' });
    expect((await scene.client.result('operator')).outcome).toBe('cancelled');
  });

  test('of 200 calls ends', async () => {
    const calls = Array.from({ length: 200 }, (_, index) => ({
      callId: `C${index}`,
      toolName: 'echo',
      dependsOn: index < 100 ? [] : [`C${index - 100}`],
    }));
    const result = await scene.client.run({ turnId: 'wide', calls, concurrency: 64 });
    expect(result.outcome).toBe('success');
    expect(new Set(scene.ran.filter((one) => one.startsWith('wide'))).size).toBe(200);
  });

  test('with outputs that are not JSON has them as in its journal', async () => {
    const result = await scene.client.run({ turnId: 'odd', calls: [{ callId: 'A', toolName: 'odd' }] });
    expect(result.results[0]).toMatchObject({ status: 'success' });
  });

  test('with an output of 1 MB ends; an output beyond Restate’s limit is truncated, and the turn continues', async () => {
    const large = (turnId: string, size: number): TurnPlan => ({
      turnId,
      calls: [
        { callId: 'A', toolName: 'large', arguments: { size } },
        { callId: 'B', toolName: 'echo', dependsOn: ['A'] },
      ],
    });
    const { results } = await scene.client.run(large('large', 1_000_000));
    expect(results[0]).toMatchObject({ status: 'success', output: 'x'.repeat(1_000_000) });
    expect(results[0]).not.toHaveProperty('altered');
    const { results: cut, truncated } = await scene.client.run(large('too large', 17_000_000));
    const output = expect.stringMatching(/x{10}… \[truncated, 17000000 characters\]$/) as unknown;
    expect(cut).toMatchObject([{ status: 'success', attempts: 1, altered: 'truncated', output }, { status: 'success' }]);
    expect(String(cut[0]?.output).length).toBeGreaterThan(14_000_000);
    expect(truncated).toBeUndefined();
    expect(scene.ran.filter((one) => one.startsWith('too large'))).toEqual(['too large B']);
  });

  test('whose outputs are too large together keeps the result of every call; the largest outputs are truncated', async () => {
    const size = { A: 1000, B: 9_000_000, C: 8_500_000 };
    const calls = Object.entries(size).map(([callId, chars]) => ({ callId, toolName: 'large', arguments: { size: chars } }));
    const { outcome, results, truncated } = await scene.client.run({ turnId: 'together', calls });
    expect(outcome).toBe('success');
    expect(results.map(({ callId, status }) => [callId, status])).toEqual(calls.map(({ callId }) => [callId, 'success']));
    expect(truncated).toEqual({ calls: ['B'], trace: false });
    expect(results[1]).toMatchObject({ altered: 'truncated', output: `${'x'.repeat(2000)}… [truncated, 9000000 characters]` });
    expect(results[2]?.output).toHaveLength(size.C);
  });
});
