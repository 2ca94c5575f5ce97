/** Turns over random plans, end to end on a manual clock: each property is named in its title. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ToolExecutionService } from '../../../src/index.ts';
import type { PlannedCall, TurnResult } from '../../../src/index.ts';
import { replayTurn } from '../../../src/replay/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { when } from '../../support/when.ts';
import type { AttemptContext } from '../../../src/engine/tool/runner.ts';
import { sameDraws } from '../../support/same-draws.ts';

const ends = ['ok', 'ok', 'ok', 'refused', 'flaky'] as const;
const drawnCall = fc.record({
  after: fc.array(fc.nat(1_000), { maxLength: 4 }),
  takesMs: fc.integer({ min: 1, max: 900 }),
  end: fc.constantFrom(...ends),
  optional: fc.boolean(),
  standsIn: fc.boolean(),
});
const graph = fc.record({
  calls: fc.array(drawnCall, { minLength: 1, maxLength: 25 }),
  concurrency: fc.integer({ min: 1, max: 8 }),
  seed: fc.nat(),
});
type Graph = typeof graph extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function planOf({ calls }: Graph): readonly PlannedCall[] {
  return calls.map(({ after, optional, standsIn }, index) => {
    const dependsOn = index === 0 ? [] : [...new Set(after.map((number) => `c${number % index}`))];
    const [first] = dependsOn;
    return {
      callId: `c${index}`,
      toolName: 'work',
      arguments: { index },
      dependsOn,
      optional,
      ...(standsIn && first !== undefined ? { defaults: { [first]: 0 } } : {}),
    };
  });
}

interface Ran {
  readonly report: TurnResult;
  readonly startedAt: ReadonlyMap<string, number>;
  readonly settledAt: ReadonlyMap<string, number>;
}

async function run(drawn: Graph, plan: readonly PlannedCall[]): Promise<Ran> {
  const system = manualSystem();
  const startedAt = new Map<string, number>();
  const settledAt = new Map<string, number>();
  const work = (_args: unknown, { callId, attempt }: AttemptContext): Promise<unknown> => {
    if (!startedAt.has(callId)) startedAt.set(callId, system.now());
    const { takesMs, end } = drawn.calls[Number(callId.slice(1))] ?? { takesMs: 0, end: 'ok' };
    return new Promise((resolve, reject) => {
      system.setTimer(takesMs, () => {
        if (end === 'refused') reject(Object.assign(new Error('bad'), { status: 400 }));
        else if (end === 'flaky' && attempt < 3) reject(Object.assign(new Error('down'), { status: 503 }));
        else resolve({ of: callId });
      });
    });
  };
  const service = new ToolExecutionService({
    system,
    seed: drawn.seed,
    tools: [defineTool({ name: 'work', run: work, retry: { maxTotalTimeMs: 60_000 }, breaker: false })],
  });
  service.subscribe((event) => {
    if (event.event_type === 'CallCompleted') settledAt.set(event.call_id, system.now());
  });
  const report = await system.until(
    service.executeTurn({ turnId: 'turn', calls: plan, concurrency: drawn.concurrency, timeoutMs: 10_000_000 }),
  );
  return { report, startedAt, settledAt };
}

it('DAG order: no call starts before its dependencies have ended; a failed call affects only the calls that cannot continue', async () => {
  let skipped = 0;
  await fc.assert(
    fc.asyncProperty(graph, async (drawn) => {
      const plan = planOf(drawn);
      const { report, startedAt, settledAt } = await run(drawn, plan);
      const lost = new Set<string>();
      for (const [index, { callId = '', dependsOn = [], optional, defaults = {} }] of plan.entries()) {
        const missing = dependsOn.filter((name) => lost.has(name));
        const isBlocked = optional ? missing.length > 0 : missing.some((name) => !Object.hasOwn(defaults, name));
        const result = report.results[index];
        if (isBlocked || drawn.calls[index]?.end === 'refused') lost.add(callId);
        expect(startedAt.has(callId)).toBe(!isBlocked);
        expect(result?.status).toBe(lost.has(callId) ? 'error' : 'success');
        if (isBlocked) skipped += 1;
        when(isBlocked, () => expect(missing).toContain(result?.error?.causedBy?.[0]));
        when(!isBlocked, () => {
          for (const name of dependsOn) expect(startedAt.get(callId)).toBeGreaterThanOrEqual(settledAt.get(name) ?? Number.NaN);
        });
      }
    }),
    { numRuns: 300, examples: sameDraws(100, graph) },
  );
  expect(skipped).toBeGreaterThan(50);
});

it('a seed reproduces a turn event for event, in any order of submission', async () => {
  await fc.assert(
    fc.asyncProperty(graph, fc.array(fc.nat(), { minLength: 25, maxLength: 25 }), async (drawn, keys) => {
      const plan = planOf(drawn);
      const shuffled = plan
        .map((call, index) => ({ call, key: keys[index] ?? 0 }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ call }) => call);
      const one = await run(drawn, plan);
      const same = await run(drawn, plan);
      const other = await run(drawn, shuffled);
      expect(same.report).toEqual(one.report);
      expect(other.report.trace).toEqual(one.report.trace);
      expect(other.report.results.map(({ callId }) => callId)).toEqual(shuffled.map(({ callId }) => callId));
    }),
    { numRuns: 150 },
  );
});

it('replay(trace) = trace: the same events at the same times, call by call', async () => {
  await fc.assert(
    fc.asyncProperty(graph, async (drawn) => {
      const { report } = await run(drawn, planOf(drawn));
      const recorded = JSON.parse(JSON.stringify(report.trace)) as typeof report.trace;
      const replayed = replayTurn(recorded);
      expect([replayed.differences, replayed.assumptions]).toEqual([[], []]);
      const comparable = (events: typeof recorded): readonly string[] =>
        events
          .map(({ seq: _seq, ...event }) =>
            JSON.stringify(event, (_key, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(6)) : value)),
          )
          .toSorted();
      expect(comparable(replayed.trace)).toEqual(comparable(recorded));
    }),
    { numRuns: 150 },
  );
});

it('at most one probe in half-open, over any interleaving of turns that share a breaker', async () => {
  const use = fc.record({
    atMs: fc.nat(4_000),
    calls: fc.integer({ min: 1, max: 5 }),
    takesMs: fc.nat(300),
    cancelAfterMs: fc.option(fc.nat(500), { nil: undefined }),
    kind: fc.constantFrom('turn', 'batch', 'call'),
  });
  const outage = fc.record({ from: fc.nat(2_000), forMs: fc.integer({ min: 100, max: 2_500 }) });
  const draws = [fc.array(use, { minLength: 2, maxLength: 15 }), fc.array(outage, { minLength: 1, maxLength: 3 })] as const;
  let probes = 0;
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(...draws, async (uses, outages) => {
      const system = manualSystem();
      const isDown = (): boolean => outages.some(({ from, forMs }) => system.now() >= from && system.now() < from + forMs);
      const running = new Set<string>();
      const breaches: unknown[] = [];
      const service = new ToolExecutionService({
        system,
        tools: [
          defineTool({
            name: 'shared',
            breaker: { failureThreshold: 2, openMs: 200, probeLeaseMs: 10_000 },
            run: (args: unknown) =>
              new Promise((resolve, reject) => {
                system.setTimer((args as { takesMs: number }).takesMs, () =>
                  isDown() ? reject(Object.assign(new Error('down'), { status: 503 })) : resolve(1),
                );
              }),
          }),
        ],
      });
      service.subscribe((event) => {
        if (!('call_id' in event) || event.call_id === undefined) return;
        const key = `${event.turn_id} ${event.call_id}`;
        if (event.event_type === 'AttemptStarted') {
          const isProbe = event.probe === true;
          // A listener that throws is removed, so the events are recorded. A cancelled probe is returned at once.
          const isFine = event.circuit_breaker_state !== 'open' && isProbe === (event.circuit_breaker_state === 'half_open');
          if (!isFine || (isProbe && running.size > 0)) breaches.push({ ...event, running: [...running] });
          if (!isProbe) return;
          running.add(key);
          probes += 1;
        } else if (['ToolSucceeded', 'ToolError', 'CallCompleted'].includes(event.event_type)) running.delete(key);
        else if (event.event_type === 'CallRefused') refusals += 1;
      });
      const answers = uses.map(
        ({ atMs, calls, takesMs, cancelAfterMs, kind }) =>
          new Promise((resolve) => {
            system.setTimer(atMs, () => {
              const controller = new AbortController();
              if (cancelAfterMs !== undefined) system.setTimer(cancelAfterMs, () => controller.abort());
              const { signal } = controller;
              const plan = Array.from({ length: calls }, () => ({ toolName: 'shared', arguments: { takesMs } }));
              if (kind === 'turn') resolve(service.executeTurn({ calls: plan }, { signal }));
              else if (kind === 'batch') resolve(service.executeToolBatch(plan, { signal }));
              else resolve(service.executeTool(plan[0] as (typeof plan)[number], { signal }));
            });
          }),
      );
      await system.until(Promise.all(answers));
      expect(breaches).toEqual([]);
    }),
    { numRuns: 300, examples: sameDraws(150, ...draws) },
  );
  expect(probes).toBeGreaterThan(100);
  expect(refusals).toBeGreaterThan(100);
});
