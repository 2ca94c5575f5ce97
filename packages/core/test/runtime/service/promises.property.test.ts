/** Properties of a service across its parts, end to end on a manual clock: each is named in its title. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../../src/engine/call/result.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { hints } from '../../support/hints.ts';
import { sameDraws } from '../../support/same-draws.ts';

const unavailable = Object.assign(new Error('down'), { status: 503 });
const down = (): never => {
  throw unavailable;
};

/** The delays before the first and second retry of calls that all failed at the same moment. */
async function firstDelays(seed: string, calls: number): Promise<readonly (readonly [number, number])[]> {
  const system = manualSystem();
  const service = new ToolExecutionService({ system, seed, tools: [defineTool({ name: 'down', run: down, breaker: false })] });
  const plan = Array.from({ length: calls }, (_, index) => ({ callId: `c${index}`, toolName: 'down' }));
  const { trace } = await system.until(service.executeTurn({ turnId: 'turn', calls: plan, concurrency: calls }));
  const delays = new Map<string, number[]>(plan.map(({ callId }) => [callId, []]));
  for (const event of trace) if (event.event_type === 'RetryScheduled') delays.get(event.call_id)?.push(event.delay_ms);
  return [...delays.values()].map(([first = Number.NaN, second = Number.NaN]) => [first, second]);
}

describe('jitter dispersion and independence', () => {
  // Fixed seeds: they only select the streams, so that the test is deterministic.
  it.each(['one', 'two', 'three'])('callers that fail together return spread over the whole band, seed %s', async (seed) => {
    const pairs = await firstDelays(seed, 500);
    const places = pairs.map(([first, second]) => [(first - 90) / 20, (second - 180) / 40] as const);
    for (const which of [0, 1] as const) {
      const sorted = places.map((place) => place[which]).toSorted((a, b) => a - b);
      expect(sorted[0]).toBeGreaterThanOrEqual(0);
      expect(sorted.at(-1)).toBeLessThanOrEqual(1);
      const distance = Math.max(...sorted.map((value, index) => Math.abs(value - (index + 0.5) / sorted.length)));
      // Kolmogorov and Smirnov at 0.1 %.
      expect(distance).toBeLessThan(1.95 / Math.sqrt(sorted.length));
    }
  });

  it('the delay of a call is independent of its next, and of its neighbour’s', async () => {
    const pairs = await firstDelays('seed', 500);
    const firsts = pairs.map(([first]) => first);
    const seconds = pairs.map(([, second]) => second);
    for (const [xs, ys] of [
      [firsts, seconds],
      [firsts.slice(1), firsts.slice(0, -1)],
      [firsts.slice(1), seconds.slice(0, -1)],
    ] as const)
      expect(Math.abs(correlation(xs, ys))).toBeLessThan(4 / Math.sqrt(xs.length));
  });
});

function correlation(xs: readonly number[], ys: readonly number[]): number {
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [mx, my] = [mean(xs), mean(ys)];
  const product = (as: readonly number[], ma: number, bs: readonly number[], mb: number): number =>
    as.reduce((sum, a, index) => sum + (a - ma) * ((bs[index] ?? 0) - mb), 0);
  return product(xs, mx, ys, my) / Math.sqrt(product(xs, mx, xs, mx) * product(ys, my, ys, my));
}

describe('Retry-After is never undercut', () => {
  const scene = fc.record({
    form: fc.constantFrom(...Object.keys(hints)),
    askedMs: fc.integer({ min: 1, max: 90_000 }),
    startedAtMs: fc.nat(5_000),
    attemptMs: fc.nat(500),
    jitter: fc.constantFrom('none' as const, 'proportional' as const, 'full' as const, 'equal' as const, 'decorrelated' as const),
    others: fc.array(fc.nat(100_000), { maxLength: 4 }),
    seed: fc.nat(),
  });

  /** Each form at least once in every run. */
  const eachForm = fc
    .sample(scene, { seed: 1, numRuns: Object.keys(hints).length })
    .map((drawn, index): [typeof drawn] => [{ ...drawn, form: Object.keys(hints)[index] ?? '' }]);

  it('in any of its forms: not by the call that received it, and for 10 s not by any other of the tool', async () => {
    const reached = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scene, async ({ form, askedMs, startedAtMs, attemptMs, jitter, others, seed }) => {
        const system = manualSystem({ epochMs: Date.UTC(2026, 0, 5, 10) });
        await system.advance(startedAtMs);
        const make = hints[form] as (typeof hints)[string];
        const starts: { readonly at: number; readonly callId: string }[] = [];
        let wait: { readonly callId: string; readonly at: number; readonly until: number } | undefined;
        const service = new ToolExecutionService({
          system,
          seed,
          tools: [
            defineTool({
              name: 'limited',
              retry: { jitter, maxTotalTimeMs: 200_000, maxAttempts: 3 },
              // Five calls may fail before the first Retry-After: the circuit is not the subject here.
              breaker: { failureThreshold: 100 },
              timeoutMs: 1_000,
              run: (_input, { callId }) => {
                starts.push({ at: system.now(), callId });
                if (wait) return 'served';
                return new Promise((_resolve, reject) => {
                  system.setTimer(attemptMs, () => {
                    if (wait) return reject(unavailable);
                    const { error, promisedMs } = make(askedMs, system.epochMs());
                    wait = { callId, at: system.now(), until: system.now() + promisedMs };
                    reject(error);
                  });
                });
              },
            }),
          ],
        });
        const call = (callId: string): Promise<ToolResult> => service.executeTool({ toolName: 'limited', callId });
        const first = call('first');
        const more = others.map(
          (delay, index) => new Promise<unknown>((resolve) => void system.setTimer(delay, () => resolve(call(`other ${index}`)))),
        );
        const result = await system.until(first);
        // Only this loop advances the clock.
        for (const answer of more) await system.until(answer);
        if (!wait) throw new Error('no caller was notified');
        const { callId, at, until } = wait;
        for (const start of starts.filter((begun) => begun.at > at))
          expect(start.at).toBeGreaterThanOrEqual(start.callId === callId ? until : Math.min(until, at + 10_000));
        expect(result.status).toBe('success');
        reached.add(form);
      }),
      { numRuns: 600, examples: eachForm },
    );
    expect([...reached].toSorted()).toEqual(Object.keys(hints).toSorted());
  });
});

describe('retry budget conservation', () => {
  const scene = fc.record({
    ratio: fc.constantFrom(0, 0.1, 0.5),
    floor: fc.nat(3),
    gaps: fc.array(fc.nat(400), { minLength: 1, maxLength: 40 }),
    works: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
  });

  it('retries of all calls and turns together stay within the floor and the share of the calls', async () => {
    let retried = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(scene, async ({ ratio, floor, gaps, works }) => {
        const system = manualSystem();
        let uses = 0;
        const run = (): unknown => (works[(uses += 1) % works.length] ? 1 : down());
        // An endless window: it contains all calls and retries.
        const service = new ToolExecutionService({
          system,
          tools: [defineTool({ name: 'weak', run, breaker: false, retryBudget: { ratio, floor, windowMs: 1e9 } })],
        });
        const count = { firsts: 0, retries: 0 };
        const breaches: unknown[] = [];
        service.subscribe((event) => {
          if (event.event_type === 'CallCompleted' && event.stopped_by === 'budget') refused += 1;
          if (event.event_type !== 'AttemptStarted') return;
          if (event.attempt === 1) count.firsts += 1;
          else count.retries += 1;
          // A listener that throws is removed, so the events are recorded.
          if (count.retries >= floor + ratio * count.firsts + 1) breaches.push({ ...count });
        });
        const answers: Promise<unknown>[] = [];
        for (const [index, gap] of gaps.entries()) {
          await system.advance(gap);
          answers.push(
            index % 3 === 0
              ? service.executeTurn({ calls: [{ toolName: 'weak' }, { toolName: 'weak' }] })
              : service.executeTool({ toolName: 'weak' }),
          );
        }
        await system.until(Promise.all(answers));
        retried += count.retries;
        expect(breaches).toEqual([]);
      }),
      { numRuns: 150, examples: sameDraws(75, scene) },
    );
    expect(Math.min(retried, refused)).toBeGreaterThan(20);
  });
});
