/** Random turns: what runs, on what, what is skipped, escalated or cut off by the deadline is what the specification says, written down as a plain program. */
/* oxlint-disable vitest/no-conditional-expect -- the plain program says what is expected */
import { ref, ToolExecutionService, type PlannedCall, type ToolResult } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectConsistent } from './support/consistent-trace.ts';
import { propertyRuns } from './support/property-runs.ts';
import { fails, hangs, scriptedTool, succeeds, type ScriptedTool } from './support/scripted-tool.ts';
import { eventsOf } from './support/stage.ts';
import { expectInOrder, expectView } from './support/turn-view-check.ts';
import {
  alternativeMs,
  idOf,
  modelTurn,
  outputOf,
  pathsOf,
  retryMs,
  toolTimeoutMs,
  type ModelCall,
  type ModelTurn,
} from './support/turn-model.ts';

const plans: fc.Arbitrary<readonly ModelCall[]> = fc
  .array(
    fc.record({
      does: fc.constantFrom(
        'succeed' as const,
        'succeed' as const,
        'fail' as const,
        'fail' as const,
        'fail' as const,
        'recover' as const,
        'alternative' as const,
        'hang_alternative' as const,
        'fallback' as const,
        'hang' as const,
      ),
      afterMs: fc.constantFrom(1, 30, 200, 450),
      links: fc.array(fc.record({ to: fc.nat(4), hasDefault: fc.constantFrom(true, true, true, false) }), { maxLength: 4 }),
      optional: fc.constantFrom(false, false, true),
      critical: fc.boolean(),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((drafts) =>
    drafts.map(({ links, ...rest }, index) => {
      const known = links.filter(({ to }, at) => to < index && links.findIndex((other) => other.to === to) === at);
      return {
        ...rest,
        dependsOn: known.map(({ to }) => to),
        defaults: known.filter(({ hasDefault }) => hasDefault).map(({ to }) => to),
      };
    }),
  );

/** Rows of events, whose order across parallel calls is not what is tested. */
const byText = (one: readonly unknown[], other: readonly unknown[]): number => (String(one) < String(other) ? -1 : 1);

function toolsOf(system: ReturnType<typeof manualSystem>, plan: readonly ModelCall[]): readonly ScriptedTool[] {
  return plan.flatMap(({ does, afterMs }, index) => {
    const output = outputOf(index, 'output');
    const name = `tool_${index}`;
    const invalid = fails('Invalid airport code: XYZ', afterMs);
    const once = { timeoutMs: toolTimeoutMs, retry: { maxAttempts: 1 } } as const;
    switch (does) {
      case 'succeed':
        return [scriptedTool(system, name, [succeeds(output, afterMs)])];
      case 'fail':
        return [scriptedTool(system, name, [invalid])];
      case 'hang':
        return [scriptedTool(system, name, [hangs], once)];
      case 'recover':
        return [scriptedTool(system, name, [fails('Connection reset', afterMs), succeeds(output, retryMs)], { retry: { jitter: 'none' } })];
      case 'fallback':
        return [scriptedTool(system, name, [invalid], { fallback: { value: outputOf(index, 'fallback') } })];
      case 'alternative':
        return [
          scriptedTool(system, name, [invalid], { alternatives: [`${name}_backup`] }),
          scriptedTool(system, `${name}_backup`, [succeeds(output, alternativeMs)]),
        ];
      case 'hang_alternative':
        return [
          scriptedTool(system, name, [hangs], { ...once, alternatives: [`${name}_backup`] }),
          scriptedTool(system, `${name}_backup`, [succeeds(output, alternativeMs)]),
        ];
    }
  });
}

/** Even dependencies are references in the arguments, odd ones are only waited for. */
const callsOf = (plan: readonly ModelCall[]): readonly PlannedCall[] =>
  plan.map(({ dependsOn, defaults, optional, critical }, index) => ({
    callId: idOf(index),
    toolName: `tool_${index}`,
    arguments: Object.fromEntries(dependsOn.filter((each) => each % 2 === 0).map((each) => [idOf(each), ref(idOf(each), pathsOf(each))])),
    dependsOn: dependsOn.filter((each) => each % 2 === 1).map(idOf),
    defaults: Object.fromEntries(defaults.map((each) => [idOf(each), outputOf(each, 'default')])),
    optional,
    critical,
  }));

const partOf = (value: unknown, path = ''): unknown =>
  path === '' ? value : path.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], value);

const argumentsOf = (model: ModelTurn, dependsOn: readonly number[], used: readonly number[]): object =>
  Object.fromEntries(
    dependsOn
      .filter((each) => each % 2 === 0)
      .map((each) => [idOf(each), partOf(used.includes(each) ? outputOf(each, 'default') : model.calls[each]?.output, pathsOf(each))]),
  );

const tags = ['S0-4.2', 'S0-4.3', 'S0-5.1', 'S0-5.2', 'S1-4.2', 'S1-5.1', 'S1-5.2', 'S1-5.3', 'S1-5.4', 'S4-batch', 'S4-fallback'];

test(
  'turns of calls that depend on each other: results, attempts, arguments and events are those of the plain program',
  { tags },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        fc.constantFrom(300_000, 333, 777, 1_333),
        fc.constantFrom('spec' as const, 'service' as const),
        async (plan, timeoutMs, profile) => {
          const system = manualSystem();
          const tools = toolsOf(system, plan);
          const service = new ToolExecutionService({
            tools: tools.map(({ tool }) => tool),
            system,
            seed: 'model',
            profile,
            turn: { timeoutMs },
          });
          const model = modelTurn(plan, timeoutMs);
          const turn = await system.until(service.executeTurn({ calls: callsOf(plan) }));
          const { outcome, escalated, executionTime, results, trace } = turn;
          expect({ outcome, escalated, executionTime }).toEqual({
            outcome: model.outcome,
            escalated: model.escalated,
            executionTime: model.endedAt,
          });
          expect(results.map(({ callId }) => callId)).toEqual(plan.map((_, index) => idOf(index)));

          for (const [index, expected] of model.calls.entries()) {
            const result = results[index] as ToolResult;
            const { status, attempts, executionTime: took, fallbackUsed = false, output, error } = result;
            const skipped = 'skipped' in result && result.skipped === true;
            const { byDeadline, missing } = expected;
            const own = {
              status: expected.status,
              attempts: expected.attempts,
              took: expected.endedAt - (expected.startedAt ?? expected.endedAt),
              skipped: expected.skipped,
              fallbackUsed: expected.fallbackUsed,
            };
            expect({ status, attempts, took, skipped, fallbackUsed }, idOf(index)).toEqual(own);
            expect(output).toEqual(expected.output);
            expect(error?.code === 'TURN_DEADLINE', idOf(index)).toBe(byDeadline);
            if (error) for (const text of [error.message, error.userMessage, error.advice]) expect(text).toMatch(/\S/u);
            if (error && !byDeadline)
              expect(error.stoppedBy).toBe(expected.stoppedBy ?? (plan[index]?.does === 'hang' && !skipped ? 'attempts' : undefined));
            const [cause, ...causes] = error?.causedBy ?? [];
            expect(cause === undefined).toBe(missing.length === 0);
            if (cause !== undefined) {
              expect(missing.map(idOf)).toContain(cause);
              expect(causes).toEqual(results.find(({ callId }) => callId === cause)?.error?.causedBy ?? []);
            }
            const tool = tools.find(({ tool: { name } }) => name === `tool_${index}`);
            expect(tool?.starts[0]).toBe(expected.startedAt);
            if (expected.startedAt !== undefined) {
              expect(tool?.received[0]).toEqual(argumentsOf(model, plan[index]?.dependsOn ?? [], expected.usedDefaults));
            }
          }
          expectEvents(trace, plan, model);
          expectView(turn, plan, model);
          expectInOrder(turn);
          expectConsistent(trace, results);
          await service.close();
        },
      ),
      propertyRuns(150),
    );
  },
);

function expectEvents(trace: Parameters<typeof eventsOf>[0], plan: readonly ModelCall[], model: ModelTurn): void {
  const skipped = model.calls.flatMap(({ skipped: is }, index) => (is ? [index] : []));
  expect(
    eventsOf(trace, 'ToolSkipped')
      .map(({ call_id, optional, decision, message }) => [call_id, optional, decision, message])
      .toSorted(byText),
  ).toEqual(
    skipped
      .map((index) => {
        const optional = plan[index]?.optional === true;
        const word = optional ? 'Optional' : 'Required';
        return [idOf(index), optional, optional ? 'skip' : 'escalate', `${word} tool skipped due to dependency failure`];
      })
      .toSorted(byText),
  );
  expect(
    eventsOf(trace, 'DefaultUsed')
      .filter(({ dependency }) => dependency !== undefined)
      .map(({ call_id, dependency, message }) => [call_id, dependency, message])
      .toSorted(byText),
  ).toEqual(
    model.calls
      .flatMap(({ usedDefaults }, index) => usedDefaults.map((each) => [idOf(index), idOf(each), `Used default value for tool_${index}`]))
      .toSorted(byText),
  );
  const escalated = model.calls.flatMap(({ status, byDeadline, fallbackUsed }, index) =>
    status !== 'success' && !byDeadline && !fallbackUsed && plan[index]?.optional !== true
      ? [[idOf(index), plan[index]?.critical === true] as const]
      : [],
  );
  expect(
    eventsOf(trace, 'Escalated')
      .map(({ call_id: id, critical }) => [id, critical] as const)
      .filter(([id]) => !model.calls.some(({ byDeadline }, index) => byDeadline && id === idOf(index)))
      .toSorted(byText),
  ).toEqual(escalated.toSorted(byText));
}
