/** Recorded turns of the real engine: one with all kinds of events, and random ones. */
import type { TraceEvent } from '@holdfast/core';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';

const failing = (status: number): Error => Object.assign(new Error('down'), { status });

interface Step {
  readonly takesMs: number;
  readonly failures: number;
  readonly status: number;
  readonly dependsOn: readonly number[];
  readonly optional: boolean;
  readonly alternative: boolean;
  readonly hedge: boolean;
}

export interface PlannedTurn {
  readonly steps: readonly Step[];
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly seed: string;
}

/** All events of a turn, including late ones. */
export async function recorded({ steps, timeoutMs, concurrency, seed }: PlannedTurn): Promise<readonly TraceEvent[]> {
  const system = manualSystem();
  const events: TraceEvent[] = [];
  const wait = (takesMs: number): Promise<void> => new Promise((resolve) => void system.setTimer(takesMs, resolve, false, system.now()));
  const tools = steps.map(({ takesMs, failures, status, alternative, hedge }, index) =>
    defineTool({
      name: `tool-${index}`,
      timeoutMs: 400,
      retry: { maxAttempts: 3, initialDelayMs: 50 },
      // A hedge takes its own slot.
      concurrency: { limit: hedge ? 2 : 1, queue: 10 },
      ...(hedge ? { effect: 'read' as const, hedge: { afterMs: 30 } } : {}),
      ...(alternative ? { alternatives: ['spare'] } : {}),
      run: async (_args: unknown, { attempt }) => {
        await wait(takesMs);
        if (attempt <= failures) throw failing(status);
        return index;
      },
    }),
  );
  const spare = defineTool({ name: 'spare', run: () => wait(5) });
  const service: ToolExecutionService = new ToolExecutionService({ tools: [...tools, spare], system, seed });
  service.subscribe((event) => void events.push(event));
  const calls = steps.map(({ dependsOn, optional }, index) => ({
    callId: `call-${index}`,
    toolName: `tool-${index}`,
    dependsOn: dependsOn.map((name) => `call-${name}`),
    optional,
  }));
  await system.until(service.executeTurn({ calls, timeoutMs, concurrency }));
  await system.advance(3_600_000);
  return events;
}

const step = (index: number): fc.Arbitrary<Step> =>
  fc.record({
    takesMs: fc.constantFrom(1, 7.25, 40, 100, 500),
    failures: fc.constantFrom(0, 0, 0, 1, 2, 9),
    status: fc.constantFrom(503, 404),
    dependsOn: index === 0 ? fc.constant([]) : fc.uniqueArray(fc.integer({ min: 0, max: index - 1 }), { maxLength: 2 }),
    optional: fc.boolean(),
    alternative: fc.boolean(),
    hedge: fc.boolean(),
  });

export const plannedTurns: fc.Arbitrary<PlannedTurn> = fc.record({
  steps: fc.integer({ min: 1, max: 6 }).chain((length) => fc.tuple(...Array.from({ length }, (_, index) => step(index)))),
  timeoutMs: fc.constantFrom(60, 300, 300_000),
  concurrency: fc.constantFrom(1, 16),
  seed: fc.string({ minLength: 1, maxLength: 3 }),
});

const fine: Step = { takesMs: 10, failures: 0, status: 503, dependsOn: [], optional: false, alternative: false, hedge: false };

/** A retry, an alternative, a dependency, a skip, a hedge. */
export const fullTurn: PlannedTurn = {
  seed: 'full',
  timeoutMs: 300_000,
  concurrency: 16,
  steps: [
    { ...fine, failures: 1 },
    { ...fine, dependsOn: [0] },
    { ...fine, failures: 9, status: 404, alternative: true },
    { ...fine, failures: 9, status: 404 },
    { ...fine, dependsOn: [3], optional: true },
    { ...fine, takesMs: 90, hedge: true },
  ],
};
