/** Which policy of validation retries counts, in any order of changes and calls; errors that an application's own tools and policies name; memory and circuits after a restart. */
import { defineTool, memoryStore, ref, ToolExecutionService, type AnyTool, type TraceEvent } from '@holdfast/core';
import { AgentRun, Session } from '@holdfast/core/agent';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from './support/property-runs.ts';
import { fails, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { eventsOf } from './support/stage.ts';

const names = ['weather', 'hotels'] as const;
const limits = fc.constantFrom(undefined, 51, 52, 53, 54);
const input = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

const moves = fc.array(
  fc.oneof(
    fc.record({ set: fc.constantFrom('all' as const, ...names), to: limits }),
    fc.record({ ask: fc.constantFrom('output' as const, ...names), own: limits }),
  ),
  { minLength: 1, maxLength: 12 },
);
const layerOf = (maxAttempts: number | undefined) => (maxAttempts === undefined ? {} : { maxAttempts });

test(
  'call over run over tool over global over default, from the next decision on',
  { tags: ['S2-layers', 'S2-policy', 'S2-question-adjust'] },
  async () => {
    await fc.assert(
      fc.asyncProperty(limits, limits, limits, moves, async (global, defined, ofRun, script) => {
        const system = manualSystem();
        const tools = names.map((name) =>
          defineTool({ name, input, run: () => 'found', validationRetries: layerOf(name === 'weather' ? defined : undefined) }),
        );
        const run = new AgentRun({
          service: new ToolExecutionService({ tools, system }),
          validationRetries: layerOf(global),
          toolValidationRetries: { weather: layerOf(ofRun) },
          maxIdenticalFailures: 100,
        });
        const inForce: Record<string, number | undefined> = { all: global, weather: ofRun };
        for (const [index, move] of script.entries()) {
          if ('set' in move) {
            inForce[move.set] = move.to;
            run.setRetryPolicy(move.to === undefined ? undefined : layerOf(move.to), move.set === 'all' ? undefined : move.set);
            continue;
          }
          const { ask, own } = move;
          const text =
            ask === 'output'
              ? await system.until(run.readOutput('{}', input, { validationRetries: layerOf(own) }))
              : (
                  await system.until(
                    run.answer([{ callId: 'a', toolName: ask, arguments: { city: index }, validationRetries: layerOf(own) }]),
                  )
                )[0];
          const tool = ask === 'output' ? undefined : (inForce[ask] ?? (ask === 'weather' ? defined : undefined));
          expect(text && 'text' in text ? text.text : '').toContain(` of ${own ?? tool ?? inForce['all'] ?? 3}`);
          run.resume();
        }
      }),
      propertyRuns(150),
    );
  },
);

class CityError extends Error {
  override readonly name = 'CityError';
}

describe('an error of a tool', () => {
  test.each([
    ['CityError', ['ToolValidationError', 'CityError'], true],
    ['CityError', ['ToolValidationError', CityError], true],
    ['CityError', ['ToolValidationError'], false],
    ['Error', ['ToolValidationError', 'CityError'], false],
  ] as const)(
    '%s, where a policy names %s: the model corrects it: %s',
    { tags: ['S2-policy', 'S2-principle-recoverable'] },
    async (name, retryableErrors, isRetried) => {
      const system = manualSystem();
      const error = name === 'CityError' ? new CityError('Osl is no city') : new Error('Osl is no city');
      const { tool } = scriptedTool(system, 'weather', [fails(error)], { retry: { maxAttempts: 1 } });
      const session = new Session({ system });
      const run = new AgentRun({
        service: new ToolExecutionService({ tools: [tool], system }),
        session,
        validationRetries: { retryableErrors },
      });
      await system.until(run.answer([{ callId: 'a', toolName: 'weather', arguments: {} }]));
      expect(session.feedback.map(({ errorType, toolName, attempt }) => [errorType, toolName, attempt])).toEqual(
        isRetried ? [[name, 'weather', 1]] : [],
      );
    },
  );
});

test('every missing parameter is named', { tags: ['S3-error-3', 'S2-feedback'] }, async () => {
  const tool = defineTool({ name: 'weather', input: { type: 'object', required: ['city', 'day', 'unit'] }, run: () => 'sunny' });
  const { error } = await new ToolExecutionService({ tools: [tool] }).executeTool({ toolName: 'weather', arguments: { day: 1 } } as never);
  expect(error?.message).toBe("Required parameter 'city' missing; Required parameter 'unit' missing");
});

test(
  'a call whose input is a part that an output lacks is not run, and the others are',
  { tags: ['S0-5.2', 'S1-5.1', 'S1-5.4'] },
  async () => {
    const system = manualSystem();
    const search = scriptedTool(system, 'flight_search', [succeeds({ offers: [] })]);
    const book = scriptedTool(system, 'book', [succeeds()]);
    const hotels = scriptedTool(system, 'hotels', [succeeds('found')]);
    const service = new ToolExecutionService({ tools: [search, book, hotels].map(({ tool }) => tool), system });
    const { results, outcome } = await system.until(
      service.executeTurn({
        calls: [
          { callId: 'flights', toolName: 'flight_search' },
          { callId: 'booking', toolName: 'book', arguments: { price: ref('flights', 'offers.0.price') } },
          { callId: 'hotels', toolName: 'hotels', dependsOn: ['flights'] },
        ],
      }),
    );
    expect(outcome).toBe('partial');
    expect(results.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['success', 1],
      ['error', 0],
      ['success', 1],
    ]);
    expect(results[1]?.error?.message).toContain("no 'flights.offers.0.price'");
    expect(book.starts).toEqual([]);
  },
);

test('after a restart, circuits and memory are as before', { tags: ['S0-7.3', 'S0-9', 'S0-6.2'] }, async () => {
  const system = manualSystem();
  const store = memoryStore();
  const open = (script: readonly Parameters<typeof scriptedTool>[2][number][]) => {
    const tool: AnyTool = scriptedTool(system, 'flight_search', script, {
      retry: { maxAttempts: 2, jitter: 'none' },
      breaker: { failureThreshold: 100 },
    }).tool;
    const other: AnyTool = scriptedTool(system, 'hotels', [fails('Connection reset')], { breaker: { failureThreshold: 2 } }).tool;
    const service = new ToolExecutionService({ tools: [tool, other], system, store, useMemory: true });
    const events: TraceEvent[] = [];
    service.subscribe((event) => void events.push(event));
    const evidence = () => eventsOf(events, 'RecoveryDecided').at(-1)?.inputs.evidence;
    return { service, evidence, search: () => system.until(service.executeTool({ toolName: 'flight_search' })) };
  };
  const first = open([fails('Connection reset')]);
  for (let call = 0; call < 4; call++) await first.search(); // oxlint-disable-line no-await-in-loop -- one after the other
  await system.until(first.service.executeTool({ toolName: 'hotels' }));
  await system.until(first.service.close());
  const second = open([fails('Connection reset'), succeeds()]);
  await system.until(second.service.restore());
  expect(second.service.getToolHealth('hotels')).toMatchObject({ circuit: 'open' });
  await second.search();
  expect(second.evidence()).toMatchObject([{ strategy: 'retry', tried: 4, succeeded: 0 }]);
});

test('an alternative that is disabled is not available', { tags: ['S0-1.2', 'S0-6.1', 'S1-6.4'] }, async () => {
  const system = manualSystem();
  const search = scriptedTool(system, 'flight_search', [fails('Invalid airport code: XYZ')], {
    alternatives: ['flight_backup', 'flight_archive'],
  });
  const [backup, archive] = ['flight_backup', 'flight_archive'].map((name) => scriptedTool(system, name, [succeeds(name)]));
  const disabled = { ...backup?.tool, enabled: false } as AnyTool;
  const service = new ToolExecutionService({ tools: [search.tool, disabled, archive?.tool as AnyTool], system });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  const result = await system.until(service.executeTool({ toolName: 'flight_search' }));
  expect(result).toMatchObject({ status: 'success', servedBy: 'flight_archive', attempts: 2 });
  expect(backup?.starts).toEqual([]);
  expect(eventsOf(events, 'AlternativeUsed').map(({ alternative }) => alternative)).toEqual(['flight_archive']);
});
