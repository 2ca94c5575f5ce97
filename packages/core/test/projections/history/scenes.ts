/** Owns traces of real services for the tests of the history: tools with scripted outcomes on a manual clock. */
import fc from 'fast-check';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';

/** Outcome of an attempt; `durationMs` has how long each takes. */
export type Outcome = 'good' | 'slow' | 'down' | 'wrong' | 'hang';

export interface Scene {
  readonly events: readonly TraceEvent[];
  readonly service: ToolExecutionService;
  /** Milliseconds since 1970, at the end. */
  readonly now: number;
}

export interface SceneOptions {
  readonly outcomes: Readonly<Record<string, readonly Outcome[]>>;
  readonly policies?: Readonly<Record<string, ToolPolicy>>;
  /** The tools that are called, one after another; a nested list is called as one turn. */
  readonly calls: readonly (string | readonly string[])[];
  /** Pause between the calls. @default 100 */
  readonly pauseMs?: number;
}

export async function play({ outcomes, policies = {}, calls, pauseMs = 100 }: SceneOptions): Promise<Scene> {
  const system = manualSystem();
  const used = new Map<string, number>();
  const tools = Object.entries(outcomes).map(([name, script]) =>
    defineTool({
      name,
      timeoutMs: 1_000,
      ...policies[name],
      run: async () => {
        const place = used.get(name) ?? 0;
        used.set(name, place + 1);
        const outcome = script[Math.min(place, script.length - 1)] ?? 'good';
        await new Promise<void>((resolve) => void system.setTimer(durationMs[outcome], resolve));
        if (outcome === 'down') throw Object.assign(new Error(`connect ECONNREFUSED 10.0.0.${place}:80`), { code: 'ECONNREFUSED' });
        if (outcome === 'wrong') throw Object.assign(new Error(`no user ${place}`), { status: 400 });
        return { place };
      },
    }),
  );
  const events: TraceEvent[] = [];
  const service = new ToolExecutionService({ system, tools, seed: 'scene' });
  service.subscribe((event) => void events.push(event));
  for (const step of calls) {
    if (typeof step === 'string') await system.until(service.executeTool({ toolName: step }));
    else await system.until(service.executeTurn({ calls: step.map((toolName, index) => ({ callId: `c${index}`, toolName })) }));
    await system.advance(pauseMs);
  }
  await system.advance(5_000);
  return { events, service, now: system.epochMs() };
}

const durationMs: Readonly<Record<Outcome, number>> = { good: 5, slow: 300, down: 10, wrong: 2, hang: 4_000 };

const outcome = fc.constantFrom<Outcome>('good', 'good', 'slow', 'down', 'down', 'wrong', 'hang');
const name = fc.constantFrom('one', 'two', 'unregistered');

/** Scenes with any mix of outcomes and policies. */
export const anyScene: fc.Arbitrary<SceneOptions> = fc.record({
  outcomes: fc.record({ one: fc.array(outcome, { minLength: 1, maxLength: 12 }), two: fc.array(outcome, { minLength: 1, maxLength: 12 }) }),
  policies: fc.record({
    one: fc.record(
      {
        retry: fc.constantFrom({ maxAttempts: 1 }, { initialDelayMs: 700 }),
        breaker: fc.constantFrom(
          false as const,
          { failureThreshold: 2, openMs: 300 },
          { failureThreshold: 2, openMs: 300, count: 'call' as const },
        ),
        alternatives: fc.constantFrom([], ['two']),
        concurrency: fc.constantFrom({ limit: 1 }, { limit: 1, queue: 0 }),
        fallback: fc.constant({ value: 'stale' }),
      },
      { requiredKeys: ['retry'] },
    ),
    two: fc.constant({ retry: { maxAttempts: 2 } }),
  }),
  calls: fc.array(fc.oneof(name, fc.array(name, { minLength: 1, maxLength: 4 })), { minLength: 1, maxLength: 8 }),
  pauseMs: fc.constantFrom(0, 100, 1_700),
});
