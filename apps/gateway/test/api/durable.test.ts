/** The Turn API over an engine that answers, hangs, is lost, or has no worker: its answers, and that no client waits forever. */
import { defineTool, memoryStore, ToolExecutionService, type TurnPlan } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { afterEach, expect, test, vi } from 'vitest';
import type { EngineOutcome, EngineReport, TurnEngine } from '../../src/engine/turn-engine.ts';
import { createKit, type Kit } from './kit.ts';

const lost = (trouble = 'unreachable'): Error => Object.assign(new Error('away'), { code: 'ENGINE_UNAVAILABLE', trouble });

/** An engine in memory, whose turns end when a test ends them. */
class Engine implements TurnEngine {
  readonly timeoutMs = 50;
  readonly plans = new Map<string, TurnPlan>();
  readonly reports = new Map<string, EngineReport>();
  readonly failed = new Set<string>();
  readonly #waiting = new Map<string, (report: EngineReport) => void>();
  /** Replaces every answer. */
  trouble: (() => Promise<never>) | undefined;

  async submit({ turnId, plan }: { readonly turnId: string; readonly plan: TurnPlan }): Promise<'accepted' | 'known'> {
    await this.trouble?.();
    if (this.plans.has(turnId)) return 'known';
    this.plans.set(turnId, plan);
    return 'accepted';
  }
  async attach(turnId: string): Promise<EngineReport> {
    await this.trouble?.();
    return this.reports.get(turnId) ?? new Promise((resolve) => this.#waiting.set(turnId, resolve));
  }
  async outcome(turnId: string): Promise<EngineOutcome> {
    await this.trouble?.();
    const report = this.reports.get(turnId);
    if (report) return { state: 'completed', report };
    if (this.failed.has(turnId)) return { state: 'failed' };
    return { state: this.plans.has(turnId) ? 'running' : 'unknown' };
  }
  async cancel(turnId: string): Promise<'cancelled' | 'over' | 'unknown'> {
    const { state } = await this.outcome(turnId);
    if (state === 'running') this.end(turnId, { outcome: 'cancelled', summary: 'Echo was cancelled' });
    return state === 'running' ? 'cancelled' : state === 'completed' ? 'over' : 'unknown';
  }
  async health(): Promise<void> {
    await this.trouble?.();
  }
  end(turnId: string, given: Partial<EngineReport> = {}): void {
    const { calls = [] } = this.plans.get(turnId) ?? {};
    const results = calls.map(({ toolName }, index) => ({
      callId: calls[index]?.callId ?? `call-${index + 1}`,
      toolName,
      status: 'success',
      output: 'done',
      attempts: 1,
      executionTime: 1,
      servedBy: toolName,
    }));
    const report = {
      turnId,
      outcome: 'success',
      summary: 'Completed echo',
      escalated: false,
      executionTime: 1,
      criticalPath: [],
      results,
      ...given,
    };
    this.reports.set(turnId, report as unknown as EngineReport);
    this.#waiting.get(turnId)?.(report as unknown as EngineReport);
  }
}

const kits: Kit[] = [];
afterEach(async () => {
  for (const kit of kits.splice(0)) await kit.api.drain(0);
});

function world(turnTimeoutMs = 60_000) {
  const engine = new Engine();
  const kit = createKit({ engine, turnTimeoutMs });
  kits.push(kit);
  return { engine, ...kit };
}

const plan = (turnId?: string) => ({ ...(turnId === undefined ? {} : { turn_id: turnId }), calls: [{ call_id: 'a', tool_id: 'echo' }] });

test('a turn is submitted to the engine and answered with its report; a repeated request does not run it again', async () => {
  const { engine, post, get } = world();
  const answered = post('/v1/turns', plan('one'));
  await vi.waitFor(() => expect([...engine.plans.keys()]).toEqual(['one']));
  expect((await get('/v1/turns/one')).body).toMatchObject({ state: 'running', events: [] });
  engine.end('one');
  expect(await answered).toMatchObject({ status: 200, body: { turn_id: 'one', outcome: 'success', results: [{ output: 'done' }] } });
  expect(await post('/v1/turns', plan('one'))).toMatchObject({ status: 200, body: { outcome: 'success' } });
  expect((await get('/v1/turns/one')).body).toMatchObject({ state: 'completed', report: { outcome: 'success' } });
});

test('a request with wait=false is answered as soon as the engine has the turn', async () => {
  const { engine, post } = world();
  expect(await post('/v1/turns?wait=false', plan('one'))).toMatchObject({ status: 202, body: { turn_id: 'one', state: 'running' } });
  // Another gateway has submitted it before: the same turn is waited for.
  const again = post('/v1/turns', plan('one'));
  engine.end('one');
  expect(await again).toMatchObject({ status: 200, body: { turn_id: 'one' } });
});

test('another plan under an id that the engine knows is a conflict', async () => {
  const { engine, post } = world();
  await engine.submit({ turnId: 'one', plan: { turnId: 'one', calls: [{ callId: 'other', toolName: 'echo' }] } });
  engine.end('one');
  expect(await post('/v1/turns', plan('one'))).toMatchObject({ status: 409, body: { error: { code: 'TURN_EXISTS' } } });
});

test('a plan that a worker cannot run is answered like any other invalid plan', async () => {
  const { engine, post } = world();
  const answered = post('/v1/turns', plan('one'));
  await vi.waitFor(() => expect(engine.plans.size).toBe(1));
  engine.end('one', { problems: ["There is no tool 'echo'."] });
  expect(await answered).toMatchObject({ status: 422, body: { error: { code: 'INVALID_PLAN', message: "There is no tool 'echo'." } } });
});

test.each([
  ['is away', () => Promise.reject(lost())],
  ['fails only after a while', async () => new Promise<never>((_, reject) => setTimeout(() => reject(lost('timeout')), 20))],
])('an engine that %s: everything that needs it is refused with a hint', async (_, trouble) => {
  const { engine, post, get } = world();
  engine.trouble = trouble;
  const refused = {
    status: 503,
    body: { error: { code: 'ENGINE_UNAVAILABLE', hint: expect.stringContaining('holdfast doctor') as string } },
  };
  expect(await post('/v1/turns', plan('one'))).toMatchObject(refused);
  expect(await post('/v1/turns?wait=false', plan())).toMatchObject(refused);
  expect(await post('/v1/turns/one/cancel')).toMatchObject(refused);
  expect(await get('/v1/turns/one')).toMatchObject(refused);
  expect(await get('/v1/turns/one/events')).toMatchObject(refused);
});

test('an engine that refuses is quoted', async () => {
  const { engine, post } = world();
  engine.trouble = () => Promise.reject(Object.assign(lost('fault'), { message: 'No worker is registered.' }));
  expect(await post('/v1/turns', plan('one'))).toMatchObject({
    status: 503,
    body: { error: { code: 'ENGINE_FAILED', message: expect.stringContaining('No worker is registered') as string } },
  });
});

test('an engine that hangs during a wait is noticed, and the turn can be requested again', async () => {
  const { engine, post } = world();
  const answered = post('/v1/turns', plan('one'));
  await vi.waitFor(() => expect(engine.plans.size).toBe(1));
  engine.trouble = () => Promise.reject(lost('timeout'));
  expect(await answered).toMatchObject({
    status: 503,
    body: { error: { code: 'ENGINE_UNAVAILABLE', hint: expect.stringContaining("'one'") as string } },
  });
  engine.trouble = undefined;
  const again = post('/v1/turns', plan('one'));
  engine.end('one');
  expect(await again).toMatchObject({ status: 200 });
});

test('a turn is cancelled at the engine, and only once', async () => {
  const { post } = world();
  expect(await post('/v1/turns/none/cancel')).toMatchObject({ status: 404 });
  await post('/v1/turns?wait=false', plan('one'));
  expect(await post('/v1/turns/one/cancel')).toMatchObject({ status: 200, body: { outcome: 'cancelled' } });
  expect(await post('/v1/turns/one/cancel')).toMatchObject({ status: 200, body: { outcome: 'cancelled' } });
  const { engine, post: other } = world();
  await other('/v1/turns?wait=false', plan('two'));
  engine.end('two');
  expect(await other('/v1/turns/two/cancel')).toMatchObject({ status: 409, body: { error: { code: 'TURN_OVER' } } });
});

test('a gateway that shuts down stops waiting for turns that others run', async () => {
  const { engine, api, post } = world();
  const answered = post('/v1/turns', plan('one'));
  await vi.waitFor(() => expect(engine.plans.size).toBe(1));
  await api.drain(1);
  expect(await answered).toMatchObject({
    status: 503,
    body: { error: { code: 'DRAINING', message: expect.stringContaining('continues') as string } },
  });
  expect(engine.reports.size).toBe(0);
  expect(await post('/v1/turns', plan('two'))).toMatchObject({ status: 503, body: { error: { code: 'DRAINING' } } });
});

test('a turn that the engine has ended is completed with its report, whatever the record lacks', async () => {
  const { engine, get, post } = world();
  // Nothing of it is in the record.
  await engine.submit({ turnId: 'one', plan: { calls: [{ callId: 'a', toolName: 'echo' }] } });
  engine.end('one');
  expect((await get('/v1/turns/one')).body).toMatchObject({ state: 'completed', report: { results: [{ output: 'done' }] } });
  expect(await post('/v1/turns?wait=false', plan('one'))).toMatchObject({
    status: 200,
    body: { outcome: 'success', results: [{ output: 'done' }] },
  });
});

test('a turn that the record shows as interrupted has the state that the engine knows', async () => {
  const store = memoryStore();
  const list = store.listTurns.bind(store);
  const interrupted: Store = {
    ...store,
    listTurns: async (query) => (await list(query)).map((turn) => ({ ...turn, state: 'interrupted' as const })),
  };
  const engine = new Engine();
  const kit = createKit({ engine, turnTimeoutMs: 60_000, store: interrupted });
  kits.push(kit);
  const service = new ToolExecutionService({ tools: [], store });
  await service.executeTurn({ turnId: 'one', calls: [] });
  await service.close();
  const events = (await store.readTurn('one')) ?? [];
  const begun = memoryStore();
  begun.append(events.slice(0, 1));
  Object.assign(interrupted, { readTurn: begun.readTurn.bind(begun) });
  const standing = async () => {
    const { state, report } = (await kit.get('/v1/turns/one')).body;
    return [state, report?.outcome];
  };
  expect(await standing()).toEqual(['interrupted', undefined]);
  await engine.submit({ turnId: 'one', plan: { calls: [] } });
  expect(await standing()).toEqual(['running', undefined]);
  engine.failed.add('one');
  expect(await standing()).toEqual(['interrupted', undefined]);
  engine.failed.clear();
  engine.end('one');
  expect(await standing()).toEqual(['completed', 'success']);
});

test('while the engine cannot be reached, the report is the one in the record, without the outputs that it does not have', async () => {
  const store = memoryStore();
  const engine = new Engine();
  const kit = createKit({ engine, turnTimeoutMs: 60_000, store });
  kits.push(kit);
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'echo', run: () => 'done' })], store });
  await service.executeTurn({ turnId: 'one', calls: [{ callId: 'a', toolName: 'echo' }] });
  await service.close();
  engine.trouble = () => Promise.reject(lost());
  const recorded = (await kit.get('/v1/turns/one')).body['report'];
  expect(recorded).toMatchObject({ from_trace: true, outcome: 'success', results: [{ call_id: 'a', status: 'success' }] });
  expect(recorded.results[0].output).toBeUndefined();
});

test('a turn that was ended at the engine is interrupted, not completed without a report', async () => {
  const { engine, get } = world();
  engine.failed.add('one');
  expect((await get('/v1/turns/one')).body).toMatchObject({ state: 'interrupted', events: [] });
});
