import { describe, expect, it } from 'vitest';
import { health } from '../../../src/engine/admission/health.ts';
import { createAgenda } from '../../../src/runtime/drivers/virtual/agenda.ts';
import { createVirtualTools } from '../../../src/runtime/drivers/virtual/virtual-tools.ts';
import { createVirtualWorld } from '../../../src/runtime/drivers/virtual/virtual-world.ts';
import { failedOutcome } from '../../../src/runtime/drivers/virtual/failed-outcome.ts';
import { VirtualHost } from '../../../src/runtime/drivers/virtual/virtual-host.ts';
import { TurnTrace } from '../../../src/engine/trace/turn-trace.ts';
import { checkPlan, ErrorHandler, profiles } from '../../../src/index.ts';
import type { ToolResult, ToolSettings } from '../../../src/index.ts';
import { circuitBreakerDefaults } from '../../../src/engine/settings/defaults.ts';

const down = failedOutcome(Object.assign(new Error('down'), { status: 503 }), { nowEpochMs: 0 });
const found = { ok: true, output: 1 } as const;
const { tool } = profiles.spec;

/** The duration of an attempt, and whether it fails. */
type Answer = readonly [afterMs: number, fails?: boolean];

/** One tool that many turns call once each. */
class Tool {
  readonly agenda = createAgenda();
  readonly tools;
  readonly attempts: { readonly turnId: string; readonly at: number }[] = [];
  readonly ended = new Map<string, { readonly at: number; readonly result: ToolResult }>();
  readonly traces: TurnTrace[] = [];
  readonly #world;

  constructor(settings: Partial<ToolSettings>, answer: (turnId: string, at: number) => Answer) {
    const { agenda } = this;
    this.tools = createVirtualTools({ search: { ...tool, retry: { ...tool.retry, maxAttempts: 1 }, ...settings }, backup: tool });
    const host = new VirtualHost({
      agenda,
      handler: new ErrorHandler(),
      tools: this.tools,
      perform: ({ turnId, toolName, now }, settle) => {
        this.attempts.push({ turnId, at: now });
        const [afterMs, fails = false] = toolName === 'backup' ? [5] : answer(turnId, now);
        agenda.at(now + afterMs, () => settle(fails ? down : found));
        return undefined;
      },
    });
    this.#world = createVirtualWorld({ host, tools: this.tools, base: tool });
  }

  get gated() {
    const gated = this.tools.get('search');
    if (!gated) throw new Error('there is one tool');
    return gated;
  }

  start(turnId: string, at: number, timeoutMs: number | null = 60_000): this {
    const checked = checkPlan([{ callId: 'a', toolName: 'search' }]);
    if (!checked.ok) throw new Error('the plan is sound');
    const onSettled = ({ results }: { readonly results: readonly ToolResult[] }): void => {
      const [result] = results;
      if (result) this.ended.set(turnId, { at: this.agenda.now(), result });
    };
    const settings = { ...profiles.spec.turn, timeoutMs };
    this.agenda.at(at, () => {
      const trace = new TurnTrace({ turnId, startedAt: at, timestamp: String });
      this.traces.push(trace);
      this.#world.startTurn({ turnId, seed: 's', graph: checked.graph, settings, trace, onSettled });
    });
    return this;
  }
}

describe('a waiting call', () => {
  const waiting = { waitForRecovery: { maxWaitMs: 60_000 }, breaker: { ...circuitBreakerDefaults, failureThreshold: 1, openMs: 2_000 } };

  it('leaves the gate when its turn ends: nothing of it is kept', () => {
    const search = new Tool({ concurrency: { limit: 1, queue: 10 } }, () => [1_000]);
    search.start('one', 0).start('two', 10, 300).start('three', 20);
    search.agenda.at(500, () => expect(search.gated.waiters.size).toBe(1));
    search.agenda.run();
    expect(search.ended.get('two')).toMatchObject({ at: 310, result: { error: { code: 'TURN_DEADLINE' } } });
    expect(search.ended.get('three')).toMatchObject({ at: 2_000, result: { status: 'success' } });
    expect(search.gated.waiters.size).toBe(0);
    expect(search.gated.gate.bulkhead).toMatchObject({ held: 0, reserved: 0, queued: 0 });
  });

  it('that waits only for a slot may start until the deadline, however long the tool usually takes', () => {
    const settings = { ...waiting, breaker: circuitBreakerDefaults, concurrency: { limit: 1, queue: 10 } };
    const search = new Tool(settings, (turnId) => [turnId === 'holds' ? 19_900 : turnId === 'quick' ? 50 : 600]);
    for (let nth = 0; nth < 40; nth += 1) search.start(`usual ${nth}`, nth * 1_000);
    search.start('holds', 100_000).start('quick', 101_000, 19_000).start('never', 101_000, 18_000);
    search.agenda.run();
    expect(search.ended.get('quick')).toMatchObject({ at: 119_950, result: { status: 'success' } });
    expect(search.ended.get('never')).toMatchObject({ at: 119_000, result: { error: { code: 'TURN_DEADLINE' } } });
  });

  it('of a healthy tool that takes ten minutes waits for its slot as long as its turn lasts', () => {
    const settings = { ...waiting, timeoutMs: Infinity, breaker: circuitBreakerDefaults, concurrency: { limit: 1, queue: 10 } };
    const search = new Tool(settings, () => [600_000]);
    for (const turn of ['one', 'two', 'three']) search.start(turn, 0, 3_600_000);
    search.agenda.run();
    for (const [nth, turn] of ['one', 'two', 'three'].entries())
      expect(search.ended.get(turn)).toMatchObject({ at: (nth + 1) * 600_000, result: { status: 'success', attempts: 1 } });
  });

  it('has a total waiting time from its start, including the time before it waited', () => {
    const settings = {
      waitForRecovery: { maxWaitMs: 20_000 },
      concurrency: { limit: 1, queue: 10 },
      retry: { ...tool.retry, maxAttempts: 2 },
    };
    const search = new Tool(settings, (turnId) => (turnId === 'hangs' ? [29_000] : [10_000, true]));
    search.start('one', 0).start('hangs', 5_000);
    search.agenda.run();
    expect(search.ended.get('one')).toMatchObject({ at: 20_000, result: { attempts: 1, error: { stoppedBy: 'budget' } } });
  });

  it('does not wait for a tool if an alternative is available', () => {
    const search = new Tool({ ...waiting, alternatives: ['backup'] }, () => [20, true]);
    search.start('first', 0).start('one', 100);
    search.agenda.run();
    expect(search.ended.get('one')).toMatchObject({ at: 105, result: { status: 'success', servedBy: 'backup' } });
  });

  it('that has failed waits as long as the gate holds it, and reports how long', () => {
    const search = new Tool({ ...waiting, retry: { ...tool.retry, maxAttempts: 2, jitter: 'none' } }, (_turnId, at) => [20, at < 10]);
    let openUntil = Number.NaN;
    search.agenda.at(25, () => ({ openUntil } = search.gated.gate.breaker));
    search.start('one', 0);
    search.agenda.run();
    expect(search.ended.get('one')).toMatchObject({ at: openUntil + 20, result: { status: 'success', attempts: 2 } });
    const decided = search.traces[0]?.events.find((event) => event.event_type === 'RecoveryDecided');
    const inputs = { held_ms: Math.ceil(openUntil - 20), circuit_breaker_state: 'open' };
    expect(decided).toMatchObject({ inputs, decision: { action: 'retry' } });
  });

  it('is woken by the gate alone: to probe, and when a success has paid for it', () => {
    const search = new Tool(waiting, (turnId) => [20, turnId === 'down']);
    search.start('down', 0, 10_000).start('one', 30).start('two', 40).start('new', 15_000);
    let openUntil = Number.NaN;
    search.agenda.at(50, () => ({ openUntil } = search.gated.gate.breaker));
    search.agenda.run();
    const endOf = (turnId: string): number | undefined => search.ended.get(turnId)?.at;
    expect(endOf('one')).toBe(openUntil + 20);
    expect(endOf('new')).toBe(15_020);
    expect(endOf('two')).toBe(15_040);
    expect(search.gated.alarm.set).toBeUndefined();
  });
});

describe('a hedge after the usual duration', () => {
  it.each([
    ['is made for a tool that usually takes a few milliseconds', 3, [0, 10]],
    ['is not made for a tool that runs in the same process', 0.5, [0]],
  ])('%s', (_what, usualMs, wanted) => {
    const search = new Tool(
      {
        effect: 'read',
        hedge: { afterMs: 'p95', maxHedges: 1 },
        waitForRecovery: { maxWaitMs: 60_000 },
        retry: tool.retry,
      },
      (turnId) => [turnId === 'slow' ? 200 : usualMs],
    );
    for (let nth = 0; nth < 40; nth += 1) search.start(`usual ${nth}`, nth * 10);
    search.start('slow', 1_000);
    search.agenda.run();
    expect(search.attempts.filter(({ turnId }) => turnId === 'slow').map(({ at }) => at - 1_000)).toEqual(wanted);
  });
});

describe('a hedge while calls wait', () => {
  const hedged = {
    effect: 'read',
    hedge: { afterMs: 50, maxHedges: 1 },
    retry: { ...tool.retry, maxAttempts: 2 },
    waitForRecovery: { maxWaitMs: 60_000 },
    retryBudget: { ratio: 0, floor: 5, windowMs: 60_000 },
  } as const;

  it('is made if there is a free slot and earlier successes have paid for it', () => {
    const search = new Tool(hedged, (turnId) => [turnId === 'slow' ? 200 : 10]);
    for (let nth = 0; nth < 20; nth += 1) search.start(`call ${nth}`, nth * 100);
    search.start('slow', 2_000);
    search.agenda.run();
    expect(search.attempts.filter(({ turnId }) => turnId === 'slow').map(({ at }) => at - 2_000)).toEqual([0, 50]);
    expect(health(search.gated.gate, search.agenda.now()).retryBudgetLeft).toBe(4);
  });

  it('is not made for a process that rarely calls: many of them would hedge at the same moment', () => {
    const search = new Tool(hedged, (turnId) => [turnId === 'slow' ? 200 : 10]);
    for (let nth = 0; nth < 20; nth += 1) search.start(`call ${nth}`, nth * 5_000);
    search.start('slow', 100_000);
    search.agenda.run();
    expect(search.attempts.filter(({ turnId }) => turnId === 'slow')).toHaveLength(1);
  });

  it('neither waits nor pays without a free slot', () => {
    const search = new Tool({ ...hedged, concurrency: { limit: 1, queue: 10 } }, () => [200]);
    search.start('one', 0);
    search.agenda.at(60, () => expect(search.gated.gate.bulkhead.queued).toBe(0));
    search.agenda.run();
    expect(search.attempts).toHaveLength(1);
    expect(health(search.gated.gate, search.agenda.now()).retryBudgetLeft).toBe(5);
  });

  it('is not a probe of a circuit that has opened meanwhile', () => {
    const settings = {
      ...hedged,
      breaker: { ...circuitBreakerDefaults, failureThreshold: 1, openMs: 20 },
      retry: { ...tool.retry, maxAttempts: 1 },
    };
    const search = new Tool({ ...settings, retry: hedged.retry }, (turnId) => (turnId === 'one' ? [200] : [10, true]));
    search.start('one', 0).start('two', 0, 25);
    search.agenda.run();
    expect(search.attempts.filter(({ turnId }) => turnId === 'one')).toHaveLength(1);
  });

  it('is not made for a tool that often fails: retries need the budget', () => {
    const fails = new Set<number>();
    for (let nth = 0; nth < 100; nth += 4) fails.add(nth * 1_000);
    const often = {
      ...hedged,
      breaker: false,
      retryBudget: false,
    } as const;
    const search = new Tool(often, (_turnId, at) => [at === 200_000 ? 200 : 10, fails.has(at)]);
    for (let nth = 0; nth < 100; nth += 1) search.start(`call ${nth}`, nth * 1_000);
    search.start('slow', 200_000);
    search.agenda.run();
    expect(health(search.gated.gate, 200_000).failureShare).toBeGreaterThan(0.15);
    expect(search.attempts.filter(({ turnId }) => turnId === 'slow')).toHaveLength(1);
  });
});
