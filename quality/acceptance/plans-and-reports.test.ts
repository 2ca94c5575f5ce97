/** What a turn refuses before it runs, and what it reports when it has ended: sections 4.2 and 5 of S0, and what S1 5 and S4 say of the same. */
import type { PlannedCall, TurnPlan } from '@holdfast/core';
import { ref } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import type { ScriptedToolOptions, Step } from './support/scripted-tool.ts';
import { fails, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { eventsOf, stage } from './support/stage.ts';

const invalid = fails('Invalid airport code: XYZ');
const names = ['flight_search', 'hotel_search', 'compare_prices', 'create_itinerary'] as const;

type Scripts = Readonly<Partial<Record<(typeof names)[number], readonly Step[]>>>;

async function turnOf(plan: TurnPlan, scripts: Scripts = {}, options: ScriptedToolOptions = {}) {
  const clock = manualSystem();
  const tools = new Map(
    names.map((name) => [name, scriptedTool(clock, name, scripts[name] ?? [succeeds(name)], name === 'flight_search' ? options : {})]),
  );
  const { service } = stage(clock, [...tools.values()]);
  const turn = await clock.until(service.executeTurn(plan));
  return {
    ...turn,
    starts: [...tools.values()].flatMap(({ starts }) => starts),
    received: (name: (typeof names)[number]) => tools.get(name)?.received,
  };
}

const flights: PlannedCall = { callId: 'A', toolName: 'flight_search' };

describe('a plan that cannot be run is refused as a whole, and nothing of it runs', () => {
  test.each<readonly [string, readonly PlannedCall[], RegExp]>([
    ['two calls with one id', [flights, { callId: 'A', toolName: 'hotel_search' }], /'A'/],
    ['a dependency that is not in the plan', [flights, { toolName: 'hotel_search', dependsOn: ['B'] }], /'B', which is not in the plan/],
    ['a reference to a call that is not in the plan', [{ toolName: 'hotel_search', arguments: { flight: ref('B') } }], /'B'/],
    [
      'calls that wait for each other',
      [
        { ...flights, dependsOn: ['B'] },
        { callId: 'B', toolName: 'hotel_search', dependsOn: ['A'] },
      ],
      /A → B → A/,
    ],
    ['a call that depends on itself', [{ ...flights, dependsOn: ['A'] }], /A → A/],
    ['a dependency that is not a list', [flights, { toolName: 'hotel_search', dependsOn: 'A' as never }], /dependsOn/],
    ['an option of the wrong type', [{ ...flights, optional: 'yes' as never }], /optional/],
    ['an unknown option', [flights, { toolName: 'hotel_search', depends_on: ['A'] } as PlannedCall], /dependsOn/],
    ['a default for what a call does not depend on', [flights, { toolName: 'hotel_search', defaults: { A: [] } }], /'A'/],
  ])('%s', { tags: ['S0-5.1'] }, async (_name, calls, problem) => {
    const { problems, results, starts, trace } = await turnOf({ calls });
    expect(problems?.join('\n')).toMatch(problem);
    expect(results.map(({ status }) => status)).toEqual(calls.map(() => 'error'));
    expect([starts, trace]).toEqual([[], []]);
  });
});

describe('a report', () => {
  test('informs the user how each call ended', { tags: ['S0-4.2'] }, async () => {
    const { summary, outcome } = await turnOf(
      {
        timeoutMs: 10_000,
        calls: [
          { callId: 'Oslo', toolName: 'flight_search' },
          { callId: 'Rome', toolName: 'flight_search' },
          { callId: 'hotel', toolName: 'hotel_search' },
          { callId: 'prices', toolName: 'compare_prices' },
          { toolName: 'create_itinerary', dependsOn: ['prices'] },
        ],
      },
      { hotel_search: [hangs], compare_prices: [invalid] },
    );
    expect(outcome).toBe('deadline');
    expect(summary).toBe(
      'Completed flight search (Oslo) and flight search (Rome), but hotel search timed out; compare prices failed; create itinerary was skipped',
    );
  });

  test('is a failure without any success, and partial with one', { tags: ['S0-5.2'] }, async () => {
    const calls: readonly PlannedCall[] = [flights, { toolName: 'hotel_search' }];
    expect(await turnOf({ calls }, { flight_search: [invalid], hotel_search: [invalid] })).toMatchObject({ outcome: 'failed' });
    expect(await turnOf({ calls }, { flight_search: [invalid] })).toMatchObject({ outcome: 'partial' });
    expect(await turnOf({ calls })).toMatchObject({ outcome: 'success' });
  });

  test('has the path that took longest, from its first call to its last', { tags: ['S0-5.2'] }, async () => {
    const calls: readonly PlannedCall[] = [
      flights,
      { callId: 'B', toolName: 'hotel_search' },
      { callId: 'C', toolName: 'create_itinerary', dependsOn: ['A', 'B'] },
    ];
    const { criticalPath } = await turnOf(
      { calls },
      { flight_search: [succeeds('LH 400', 2_000)], hotel_search: [succeeds('Ritz', 1_000)], create_itinerary: [succeeds('done', 100)] },
    );
    expect(criticalPath).toEqual(['A', 'C']);
  });

  test('tells the user of a required call that was not run', { tags: ['S1-5.2'] }, async () => {
    const { trace } = await turnOf(
      { calls: [flights, { callId: 'C', toolName: 'create_itinerary', dependsOn: ['A'] }] },
      { flight_search: [invalid] },
    );
    expect(eventsOf(trace, 'Escalated').at(-1)).toMatchObject({ call_id: 'C', user_message: expect.stringContaining('create itinerary') });
  });
});

test('the calls that depend on a tool run on its static fallback', { tags: ['S4-fallback'] }, async () => {
  const calls: readonly PlannedCall[] = [flights, { callId: 'B', toolName: 'compare_prices', arguments: { flights: ref('A') } }];
  const { results, received } = await turnOf({ calls }, { flight_search: [invalid] }, { fallback: { value: [] } });
  expect(results).toMatchObject([{ status: 'error', output: [], fallbackUsed: true }, { status: 'success' }]);
  expect(received('compare_prices')).toEqual([{ flights: [] }]);
});
