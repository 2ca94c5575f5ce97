/** Whatever a turn went through, its replay from the record decides the same and tells the same, call by call. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlannedCall, ProfileName, ToolPolicy, TraceEvent } from '../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../src/index.ts';
import { replayTurn } from '../../src/replay/index.ts';
import { when } from '../support/when.ts';
import { manualSystem } from '../../src/testing/index.ts';

type Behaviour = { readonly afterMs: number; readonly ends: 'ok' | '503' | '429' | '400' | 'reset' | 'never' | 'partial' };

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  afterMs: fc.integer({ min: 0, max: 400 }),
  ends: fc.constantFrom('ok', '503', '429', '400', 'reset', 'never', 'partial'),
});

const policy: fc.Arbitrary<ToolPolicy> = fc.record(
  {
    timeoutMs: fc.constantFrom(50, 300, 5_000),
    acceptPartial: fc.boolean(),
    effect: fc.constantFrom('read', 'idempotent', 'unsafe'),
    concurrency: fc.constantFrom(false as const, { limit: 1, queue: 2 }),
    hedge: fc.constantFrom(false as const, { afterMs: 40, maxHedges: 1 }),
    rateLimit: fc.constantFrom(false as const, { limit: 2, windowMs: 100 }),
    fallback: fc.constantFrom(undefined, { value: 'fallback' }),
    breaker: fc.constantFrom({ failureThreshold: 2, openMs: 200 }, { count: 'call' as const, failureThreshold: 1 }, false as const),
    retry: fc.constantFrom({ maxAttempts: 2 }, { initialDelayMs: 10 }, { jitter: 'full' as const }),
  },
  { requiredKeys: [] },
);

interface Scene {
  readonly scripts: readonly (readonly Behaviour[])[];
  readonly policies: readonly ToolPolicy[];
  readonly calls: readonly {
    readonly tool: number;
    readonly after: readonly number[];
    readonly optional: boolean;
    readonly covered: boolean;
  }[];
  readonly turn: {
    readonly timeoutMs: number;
    readonly concurrency: number;
    readonly onDeadline: 'detach' | 'abort';
    readonly maxRetries: number | null;
  };
  readonly profile: ProfileName;
  readonly cancelAt: number | undefined;
}

const scene: fc.Arbitrary<Scene> = fc.record({
  scripts: fc.array(fc.array(behaviour, { minLength: 1, maxLength: 6 }), { minLength: 3, maxLength: 3 }),
  policies: fc.array(policy, { minLength: 3, maxLength: 3 }),
  calls: fc.array(
    fc.record({ tool: fc.nat(2), after: fc.array(fc.nat(7), { maxLength: 2 }), optional: fc.boolean(), covered: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 7,
    },
  ),
  turn: fc.record({
    timeoutMs: fc.constantFrom(150, 2_000, 60_000),
    concurrency: fc.constantFrom(1, 3, 16),
    onDeadline: fc.constantFrom('detach', 'abort'),
    maxRetries: fc.constantFrom(null, 3),
  }),
  profile: fc.constantFrom('spec', 'service', 'adaptive'),
  cancelAt: fc.option(fc.integer({ min: 1, max: 600 }), { nil: undefined, freq: 4 }),
});

const errors: Readonly<Record<'503' | '429' | '400' | 'reset', Error>> = {
  503: Object.assign(new Error('Service unavailable'), { status: 503 }),
  429: Object.assign(new Error('Too many requests'), { status: 429, headers: { 'retry-after': '0.2' } }),
  400: Object.assign(new Error('Invalid airport code: XYZ'), { status: 400 }),
  reset: Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
};

/** Runs the scene for real on a manual clock; answers the trace as another process would read it. */
async function record({ scripts, policies, calls, turn, profile, cancelAt }: Scene): Promise<readonly TraceEvent[]> {
  const system = manualSystem();
  const cancel = new AbortController();
  const tools = scripts.map((script, index) => {
    let uses = 0;
    return defineTool({
      name: `tool_${index}`,
      ...policies[index],
      ...(index === 0 ? { alternatives: ['tool_1'] } : {}),
      run: (_args: unknown, { reportPartial }) => {
        const { afterMs, ends } = script[uses++ % script.length] as Behaviour;
        if (ends === 'partial') reportPartial({ have: uses });
        return new Promise((resolve, reject) => {
          if (ends !== 'never')
            system.setTimer(afterMs, () => (ends === 'ok' || ends === 'partial' ? resolve(uses) : reject(errors[ends])));
        });
      },
    });
  });
  const service = new ToolExecutionService({ tools, system, seed: 'scene', profile });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  const plan: PlannedCall[] = calls.map(({ tool, after, optional, covered }, index) => {
    const dependsOn = [...new Set(after.filter((other) => other < index))].map((other) => `c${other}`);
    const defaults = covered ? { defaults: Object.fromEntries(dependsOn.map((name) => [name, null])) } : {};
    return { callId: `c${index}`, toolName: `tool_${tool}`, dependsOn, optional, ...defaults };
  });
  if (cancelAt !== undefined) system.setTimer(cancelAt, () => cancel.abort(new Error('enough')));
  await system.until(service.executeTurn({ ...turn, turnId: 'scene', calls: plan }, { signal: cancel.signal }));
  await system.advance(200_000);
  return JSON.parse(JSON.stringify(events.filter(({ turn_id }) => turn_id === 'scene'))) as TraceEvent[];
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value;
}

/** By call, in order; two events of different calls at one moment may be told in either order. */
function byCall(events: readonly TraceEvent[]): Readonly<Record<string, readonly unknown[]>> {
  const calls: Record<string, unknown[]> = {};
  for (const { seq: _seq, ...event } of JSON.parse(JSON.stringify(events), rounded) as TraceEvent[]) {
    (calls['call_id' in event ? (event.call_id ?? '') : ''] ??= []).push(event);
  }
  return calls;
}

test('an exact replay takes the same decisions and tells the same events', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (given) => {
      const recorded = await record(given);
      const { differences, trace, assumptions } = replayTurn(recorded);
      expect(differences).toEqual([]);
      expect(assumptions).toEqual([]);
      expect(byCall(trace)).toEqual(byCall(recorded));
    }),
    { numRuns: 300 },
  );
});

test('a what-if under any other settings ends, answers every call once and says what it assumed', async () => {
  await fc.assert(
    fc.asyncProperty(scene, policy, async (given, other) => {
      const recorded = await record(given);
      const { report, trace, assumptions } = replayTurn(recorded, { policy: other });
      expect(report.results.map(({ callId }) => callId).toSorted()).toEqual(given.calls.map((_, index) => `c${index}`));
      expect(trace.filter(({ event_type }) => event_type === 'CallCompleted')).toHaveLength(given.calls.length);
      expect(assumptions.every((said) => /was never made|was cut off after/.test(said))).toBe(true);
      for (const unknownAttempts of ['fail', 'succeed'] as const) {
        const bound = replayTurn(recorded, { policy: other, unknownAttempts });
        expect(bound.report.results).toHaveLength(given.calls.length);
        // What was not assumed was known: no result of it changes with the way of assuming.
        const ends = (results: typeof report.results): readonly unknown[] =>
          results.map(({ callId, status, attempts }) => [callId, status, attempts]);
        when(bound.assumptions.length + assumptions.length === 0, () => expect(ends(bound.report.results)).toEqual(ends(report.results)));
      }
    }),
    { numRuns: 150 },
  );
});
