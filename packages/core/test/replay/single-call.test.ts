/** The trace of a single call has what its replay needs, in a short form. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { CallPolicy, RecoveryRule, ToolExecutionServiceOptions, ToolPolicy, TraceEvent } from '../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../src/index.ts';
import { readRecording, replayTurn } from '../../src/replay/index.ts';
import { manualSystem } from '../../src/testing/index.ts';
import { toolsOf, turnPolicy, turnScene, type TurnScene } from '../support/turn-scenes.ts';
import { foldTurn } from '../../src/projections/turn/index.ts';

type Trace = readonly TraceEvent[];

/** As another process reads it. */
const asJson = (events: Trace): Trace => JSON.parse(JSON.stringify(events)) as Trace;

/** One call of a tool that fails as often as given and then answers; the trace without that of earlier calls. */
async function record(
  failures: number,
  options: Partial<ToolExecutionServiceOptions> & { readonly tool?: ToolPolicy; readonly call?: CallPolicy; readonly before?: number } = {},
): Promise<Trace> {
  const { tool, call, before = 0, ...others } = options;
  const system = manualSystem();
  let left = failures;
  const search = defineTool({
    name: 'search',
    ...tool,
    run: () => {
      if (left-- > 0) throw Object.assign(new Error('HTTP 503'), { status: 503 });
      return 'found';
    },
  });
  const service = new ToolExecutionService({ tools: [search], system, seed: 'seed', ...others });
  const traces: TraceEvent[][] = [];
  service.subscribe((event) => void (event.seq === 1 ? traces.push([event]) : traces.at(-1)?.push(event)));
  for (let index = 0; index <= before; index++)
    await system.until(service.executeTool({ toolName: 'search', callId: 'c', ...(call && { policy: call }) }));
  return asJson(traces.at(-1) ?? []);
}

const settingsIn = ([first]: Trace): unknown => (first as { readonly settings?: unknown }).settings;

describe('the record', () => {
  it('has only the settings that differ from those of the profile', async () => {
    expect(settingsIn(await record(0))).toEqual({
      seed: 'seed',
      profile: 'spec',
      profile_id: expect.stringMatching(/^[0-9a-f]{8}$/),
      tools: { search: {} },
    });
    const trace = await record(0, { profile: 'service', policy: { timeoutMs: 700 }, tool: { effect: 'read' }, call: { timeoutMs: 50 } });
    expect(settingsIn(trace)).toMatchObject({
      profile: 'service',
      tools: { search: { effect: 'read', timeoutMs: 700 } },
      base: { timeoutMs: 700 },
      policy: { timeoutMs: 50 },
    });
    expect(settingsIn(await record(0, { tool: { retry: { maxAttempts: 2 }, hedge: {}, fallback: { value: { a: 1 } } } }))).toMatchObject({
      tools: { search: { retry: { maxAttempts: 2 }, hedge: { afterMs: 'p95', maxHedges: 1 }, fallback: { value: { a: 1 } } } },
    });
    expect(JSON.stringify(settingsIn(await record(0))).length).toBeLessThan(120);
  });

  it('has the settings of its own tool, and the circuit as it is', async () => {
    const starts: unknown[] = [];
    const system = manualSystem();
    const busy = (): never => {
      throw Object.assign(new Error('busy'), { status: 503 });
    };
    const tools = ['a', 'b'].map((name) => defineTool({ name, run: busy }));
    const service = new ToolExecutionService({ tools, system, policy: { retry: { maxAttempts: 1 } } });
    service.subscribe((event) => void (event.event_type === 'CallStarted' && starts.push(event.settings)));
    for (const toolName of ['a', 'b', 'a', 'b']) await system.until(service.executeTool({ toolName }));
    const of = (name: string): unknown => expect.objectContaining({ tools: { [name]: { retry: { maxAttempts: 1 } } } });
    expect(starts).toEqual([of('a'), of('b'), of('a'), of('b')]);
    expect(starts.map((settings) => Object.keys((settings as { circuits?: object }).circuits ?? {}))).toEqual([[], [], ['a'], ['b']]);
  });

  it('masks a fallback like all data', async () => {
    const trace = await record(0, { tool: { fallback: { value: { password: 'letmein' } } } });
    expect(JSON.stringify(trace)).not.toContain('letmein');
  });

  it('reads as complete settings', async () => {
    const { tools, base, settings, single, graph } = readRecording(await record(0, { profile: 'adaptive', tool: { effect: 'read' } }));
    expect(tools['search']).toMatchObject({ effect: 'read', timeoutMs: Infinity, waitForRecovery: { maxWaitMs: 300_000 } });
    expect(base.effect).toBeUndefined();
    expect(settings).toMatchObject({ timeoutMs: null, maxRetries: 50 });
    expect([single?.profile, graph.nodes.length]).toEqual(['adaptive', 1]);
  });
});

describe('an exact replay', () => {
  it('repeats the decisions', async () => {
    const { differences, report, trace, interrupted } = replayTurn(await record(2));
    expect({ differences, interrupted }).toEqual({ differences: [], interrupted: false });
    expect(report).toMatchObject({ outcome: 'success', results: [{ status: 'success', attempts: 3 }] });
    expect(foldTurn(trace)).toMatchObject({ single: true, outcome: 'success' });
  });

  it('needs the settings, and the numbers of the profile', async () => {
    const recorded = await record(0);
    const [first, ...others] = recorded as [TraceEvent & { settings: object }, ...TraceEvent[]];
    const { settings, ...older } = first;
    expect(() => replayTurn([older as TraceEvent, ...others])).toThrow(/contain no TurnStarted.*which older versions did not record/);
    for (const change of [{ profile_id: '00000000' }, { profile: 'toString' }])
      expect(() => replayTurn([{ ...first, settings: { ...settings, ...change } } as TraceEvent, ...others])).toThrow(
        /Replay it with that version/,
      );
    expect(() =>
      replayTurn([{ ...first, settings: { ...settings, tools: { search: { timeoutMs: 'soon' } } } } as TraceEvent, ...others]),
    ).toThrow("events[0].settings.tools['search']");
    expect(() => replayTurn(others)).toThrow('contain no TurnStarted');
  });

  it('refuses a call that never ended', async () => {
    const recorded = await record(2);
    expect(() => replayTurn(recorded.slice(0, -1))).toThrow(/interrupted/);
  });
});

describe('a what-if', () => {
  it('runs the call under other settings, and says what it assumes', async () => {
    const recorded = await record(2);
    const fewer = replayTurn(recorded, { policy: { retry: { maxAttempts: 2 } } });
    expect(fewer.report).toMatchObject({ outcome: 'failed', results: [{ status: 'error', attempts: 2 }] });
    expect(fewer.assumptions).toEqual([]);
    expect(
      replayTurn(await record(9, { tool: { breaker: false } }), { policy: { retry: { maxAttempts: 6, maxTotalTimeMs: 60_000 } } })
        .assumptions,
    ).toEqual([expect.stringContaining("Attempt 6 of search in call 'c' was never made")]);
  });

  it('can be replayed itself', async () => {
    const { trace } = replayTurn(await record(2), { policy: {} });
    expect(replayTurn(trace, { policy: { retry: { maxAttempts: 2 } } }).report.results).toMatchObject([{ attempts: 2 }]);
  });

  it('starts with the recorded circuit', async () => {
    const recorded = await record(9, { tool: { breaker: { failureThreshold: 3, openMs: 60_000 }, retry: { maxAttempts: 3 } }, before: 1 });
    expect(settingsIn(recorded)).toMatchObject({ circuits: { search: { state: 'open' } } });
    expect(replayTurn(recorded, { policy: {} }).report.results).toMatchObject([{ attempts: 0, error: { code: 'CIRCUIT_OPEN' } }]);
  });

  it('has the recovery rules, and leaves out settings of a turn that a single call does not have', async () => {
    const recoveryRules: readonly RecoveryRule[] = [{ name: 'never', deny: 'retry' }];
    const recorded = await record(1, { recoveryRules });
    expect(replayTurn(recorded).differences).toEqual([]);
    expect(replayTurn(recorded, { policy: {} }).report.results).toMatchObject([{ status: 'error', attempts: 1 }]);
    expect(replayTurn(await record(1), { turn: { timeoutMs: 1 } }).report.outcome).toBe('success');
    expect(replayTurn(await record(1), { turn: { maxRetries: 0 } }).report.outcome).toBe('failed');
  });
});

/** Every call of the scene as a single call; twice, so that the second ones meet open circuits. */
async function recordScene(scene: TurnScene): Promise<readonly Trace[]> {
  const system = manualSystem();
  const { profile, cancelAt, turn, policies } = scene;
  const service = new ToolExecutionService({
    tools: toolsOf(scene, system),
    system,
    seed: 'scene',
    profile,
    turn: { maxRetries: turn.maxRetries },
  });
  const traces = new Map<string, TraceEvent[]>();
  service.subscribe((event) => void traces.set(event.turn_id, [...(traces.get(event.turn_id) ?? []), event]));
  const begin = ({ tool, covered }: TurnScene['calls'][number], index: number): Promise<unknown> => {
    const cancel = new AbortController();
    if (cancelAt !== undefined) system.setTimer(cancelAt, () => cancel.abort(new Error('enough')));
    const { timeoutMs, acceptPartial } = policies[tool] ?? {};
    return service.executeTool(
      { toolName: `tool_${tool}`, callId: `c${index}`, ...(covered && { policy: { timeoutMs, acceptPartial } }) },
      { signal: cancel.signal, ...((profile === 'adaptive' || turn.timeoutMs < 60_000) && { timeoutMs: turn.timeoutMs }) },
    );
  };
  for (const calls of [scene.calls, scene.calls.slice(0, 2)]) await system.until(Promise.all(calls.map(begin)));
  await system.advance(200_000);
  return [...traces.values()].map(asJson);
}

test('the replay of any single call has the same decisions and events', async () => {
  const ended: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(turnScene, turnPolicy, async (scene, other) => {
      for (const recorded of await recordScene(scene)) {
        const { differences, trace, report } = replayTurn(recorded);
        expect(differences).toEqual([]);
        const types = (events: Trace): readonly string[] => events.map(({ event_type }) => event_type);
        expect(types(trace)).toEqual(types(recorded));
        const code = report.results[0]?.error?.code ?? 'success';
        ended[code] = (ended[code] ?? 0) + 1;
        expect(replayTurn(recorded, { policy: other }).report.results).toHaveLength(1);
      }
    }),
    { numRuns: 100 },
  );
  for (const code of ['success', 'TURN_DEADLINE', 'CANCELLED', 'TOOL_TIMEOUT', 'CIRCUIT_OPEN'])
    expect(ended[code] ?? 0, JSON.stringify(ended)).toBeGreaterThan(0);
});
