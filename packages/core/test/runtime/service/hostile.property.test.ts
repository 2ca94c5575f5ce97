import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ToolCall } from '../../../src/runtime/service/tool-call.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { expectComplete } from '../../support/complete-result.ts';
import { within } from '../../support/drive.ts';
import {
  hostileAdvisors,
  hostileListeners,
  hostilePolicies,
  hostileStores,
  hostileValidations,
  schemaOf,
} from '../../support/hostile-hooks.ts';
import { hostileTools } from '../../support/hostile-tools.ts';
import { hostileValues } from '../../support/hostile-values.ts';
import { watchProcess } from '../../support/watch-process.ts';

const anyOf = (table: Readonly<Record<string, unknown>>, harmless: string): fc.Arbitrary<string> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(harmless) }, { weight: 1, arbitrary: fc.constantFrom(...Object.keys(table)) });

const scenario = fc.record({
  tool: fc.constantFrom(...hostileTools.keys()),
  backup: fc.constantFrom(...hostileTools.keys()),
  input: anyOf(hostileValidations, 'passes'),
  output: anyOf(hostileValidations, 'passes'),
  advisor: anyOf(hostileAdvisors, 'agrees'),
  listener: anyOf(hostileListeners, 'listens'),
  around: anyOf(hostilePolicies, 'passes'),
  store: anyOf(hostileStores, 'keeps'),
  args: fc.constantFrom(...Object.keys(hostileValues)),
  profile: fc.constantFrom('spec' as const, 'service' as const, 'adaptive' as const),
  capture: fc.constantFrom('none' as const, 'all' as const),
  acceptPartial: fc.boolean(),
  effect: fc.constantFrom('read' as const, 'idempotent' as const, 'unsafe' as const, undefined),
});

const maxOutputChars = 50_000;

it('answers every call with a complete result, whatever tools, hooks and arguments do', { timeout: 300_000 }, async () => {
  const watch = watchProcess();
  let sinceLook = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const system = manualSystem();
      const service = new ToolExecutionService({
        system,
        seed: 'hostile',
        profile: given.profile,
        capture: given.capture,
        advisor: hostileAdvisors[given.advisor] as (typeof hostileAdvisors)[string],
        middleware: [hostilePolicies[given.around] as (typeof hostilePolicies)[string]],
        store: (hostileStores[given.store] as (typeof hostileStores)[string])(),
        policy: { maxOutputChars, timeoutMs: 1_000 },
        tools: [
          defineTool({
            name: 'search',
            input: schemaOf(hostileValidations[given.input] as never),
            output: schemaOf(hostileValidations[given.output] as never),
            alternatives: ['backup'],
            acceptPartial: given.acceptPartial,
            effect: given.effect,
            run: hostileTools.get(given.tool) as never,
          }),
          defineTool({ name: 'backup', run: hostileTools.get(given.backup) as never }),
        ],
      });
      service.subscribe(hostileListeners[given.listener] as (typeof hostileListeners)[string]);
      const args = hostileValues[given.args]?.();
      const single = await within(system, 400_000, service.executeTool({ toolName: 'search', arguments: args }));
      expectComplete(single, { maxChars: maxOutputChars * 8 });
      const calls: readonly ToolCall[] = [
        { toolName: 'search', arguments: args },
        { toolName: 'backup', callId: 'call-1' },
        { toolName: 'nonexistent' },
      ];
      const batch = await within(system, 400_000, service.executeToolBatch(calls));
      expect(batch.map(({ callId, toolName }) => [callId, toolName])).toEqual([
        ['call-1', 'search'],
        ['call-1', 'backup'],
        ['call-3', 'nonexistent'],
      ]);
      for (const result of batch) expectComplete(result, { maxChars: maxOutputChars * 8 });
      await within(system, 1_000, service.close());
      sinceLook += 1;
      const seen = sinceLook % 20 === 0 ? await watch.look() : [];
      expect(seen).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
  expect(await watch.look()).toEqual([]);
  watch.stop();
});
