/** Readers of the trace and a broken clock cannot affect calls. */
import { describe, expect, test } from 'vitest';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const refusing = (): { readonly tool: ReturnType<typeof defineTool>; readonly runs: () => number } => {
  let runs = 0;
  const tool = defineTool({
    name: 'work',
    run: () => {
      runs += 1;
      throw Object.assign(new Error('no'), { status: 400 });
    },
  });
  return { tool, runs: () => runs };
};

test('a listener that rewrites a decision changes no later call and no later event', async () => {
  const { tool, runs } = refusing();
  const system = manualSystem();
  const service = new ToolExecutionService({ tools: [tool], system, seed: 'seed' });
  const seen: { readonly action: string; readonly guards: number }[] = [];
  service.subscribe((event) => {
    if (event.event_type !== 'RecoveryDecided') return;
    seen.push({ action: event.decision.action, guards: event.decision.guards.filter(({ guard }) => guard !== 'spoilt').length });
    const decision = event.decision as unknown as { action: string; delay_ms: number; guards: { guard: string }[] };
    decision.action = 'retry';
    decision.delay_ms = 0;
    for (const guard of decision.guards) guard.guard = 'spoilt';
  });
  for (let call = 0; call < 3; call += 1) await system.until(service.executeTool({ toolName: 'work' }));
  expect(runs()).toBe(3);
  expect(seen.map(({ action }) => action)).toEqual(['escalate', 'escalate', 'escalate']);
  expect(new Set(seen.map(({ guards }) => guards)).size).toBe(1);
});

describe('a clock that throws at one reading', () => {
  test.each(Array.from({ length: 24 }, (_, index) => index + 1))(
    'reading %i: the call is answered, and so is the next one',
    async (failing) => {
      const system = manualSystem();
      let readings = Number.NEGATIVE_INFINITY;
      const now = (): number => {
        readings += 1;
        if (readings === failing) throw new Error('no clock');
        return system.now();
      };
      let attempts = 0;
      const flaky = defineTool({
        name: 'flaky',
        run: async () => {
          attempts += 1;
          if (attempts < 3) throw Object.assign(new Error('busy'), { status: 503 });
          return 1;
        },
      });
      const service = new ToolExecutionService({ tools: [flaky], system: { ...system, now }, seed: 'seed' });
      readings = 0;
      const first = await system.until(service.executeTool({ toolName: 'flaky' }));
      expect(first.status === 'success' || first.error.code === 'INTERNAL_ERROR').toBe(true);
      attempts = 3;
      expect((await system.until(service.executeTool({ toolName: 'flaky' }))).toolName).toBe('flaky');
    },
  );
});
