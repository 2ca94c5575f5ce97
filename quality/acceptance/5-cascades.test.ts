import type { PlannedCall } from '@holdfast/core';
import { ref } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import type { Step } from './support/scripted-tool.ts';
import { fails, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { eventsOf, stage } from './support/stage.ts';

const invalid = fails('Invalid airport code: XYZ');

/** Runs a plan with tools of these scripts. */
async function runTurn(scripts: Readonly<Record<string, readonly Step[]>>, calls: readonly PlannedCall[]) {
  const system = manualSystem();
  const tools = new Map(Object.entries(scripts).map(([name, steps]) => [name, scriptedTool(system, name, steps)]));
  const { service } = stage(system, [...tools.values()]);
  const turn = await system.until(service.executeTurn({ calls }));
  const byId = new Map(turn.results.map((result) => [result.callId, result]));
  return {
    ...turn,
    result: (callId: string) => byId.get(callId),
    starts: (name: string) => tools.get(name)?.starts.length,
    received: (name: string) => tools.get(name)?.received,
    of: <Type extends Parameters<typeof eventsOf>[1]>(type: Type) => eventsOf(turn.trace, type),
  };
}

const flights: PlannedCall = { callId: 'A', toolName: 'flight_search' };

describe('cascading failures', () => {
  test('A fails, B and C are skipped, an independent tool continues', { tags: ['S1-5.1'] }, async () => {
    const { result, starts, of, outcome } = await runTurn(
      { flight_search: [invalid], compare_prices: [succeeds()], create_itinerary: [succeeds()], hotel_search: [succeeds('Ritz', 10)] },
      [
        flights,
        { callId: 'B', toolName: 'compare_prices', arguments: { flights: ref('A') } },
        { callId: 'C', toolName: 'create_itinerary', arguments: { prices: ref('B') } },
        { callId: 'D', toolName: 'hotel_search' },
      ],
    );
    expect(result('A')).toMatchObject({ status: 'error', attempts: 1, error: { message: 'Tool error: Invalid airport code: XYZ' } });
    expect(result('A')).not.toHaveProperty('skipped');
    expect(result('B')).toMatchObject({
      status: 'error',
      skipped: true,
      attempts: 0,
      error: { code: 'DEPENDENCY_FAILED', causedBy: ['A'] },
    });
    expect(result('C')).toMatchObject({
      status: 'error',
      skipped: true,
      attempts: 0,
      error: { code: 'DEPENDENCY_FAILED', causedBy: ['B', 'A'] },
    });
    expect(result('D')).toMatchObject({ status: 'success', output: 'Ritz' });
    expect([starts('flight_search'), starts('compare_prices'), starts('create_itinerary'), starts('hotel_search')]).toEqual([1, 0, 0, 1]);
    expect(of('ToolSkipped').map(({ call_id, caused_by }) => [call_id, caused_by])).toEqual([
      ['B', ['A']],
      ['C', ['B', 'A']],
    ]);
    expect(outcome).toBe('partial');
  });

  test('an optional dependant is skipped, a required one is escalated and not run', { tags: ['S1-5.2'] }, async () => {
    const { result, starts, of } = await runTurn(
      { flight_search: [invalid], compare_prices: [succeeds()], create_itinerary: [succeeds()] },
      [
        flights,
        { callId: 'B', toolName: 'compare_prices', optional: true, arguments: { flights: ref('A') } },
        { callId: 'C', toolName: 'create_itinerary', arguments: { flights: ref('A') } },
      ],
    );
    const skipped = of('ToolSkipped');
    expect(skipped.find(({ call_id }) => call_id === 'B')).toMatchObject({ tool_id: 'compare_prices', optional: true, decision: 'skip' });
    expect(skipped.find(({ call_id }) => call_id === 'C')).toMatchObject({
      tool_id: 'create_itinerary',
      optional: false,
      decision: 'escalate',
      message: 'Required tool skipped due to dependency failure',
    });
    expect(skipped.filter(({ message }) => message === 'Required tool skipped due to dependency failure')).toHaveLength(1);
    expect(of('Escalated').map(({ call_id }) => call_id)).toEqual(['A', 'C']);
    expect(result('B')).toMatchObject({ skipped: true, attempts: 0 });
    expect(result('C')).toMatchObject({ skipped: true, attempts: 0, status: 'error' });
    expect([starts('compare_prices'), starts('create_itinerary')]).toEqual([0, 0]);
  });

  test('an optional dependant is skipped even if it has a default', { tags: ['S1-5.2'] }, async () => {
    const { starts, of } = await runTurn({ flight_search: [invalid], compare_prices: [succeeds()] }, [
      flights,
      { callId: 'B', toolName: 'compare_prices', optional: true, dependsOn: ['A'], defaults: { A: [] } },
    ]);
    expect(starts('compare_prices')).toBe(0);
    expect(of('ToolSkipped')).toMatchObject([{ call_id: 'B', decision: 'skip' }]);
    expect(of('DefaultUsed')).toEqual([]);
  });

  test('Tool B executes with its default value and the turn continues normally', { tags: ['S1-5.3'] }, async () => {
    const defaultFlights = [{ flight: 'none', price: 0 }];
    const { result, received, of, outcome } = await runTurn(
      { flight_search: [invalid], 'Tool B': [succeeds('compared')], create_itinerary: [succeeds('planned')] },
      [
        { ...flights, optional: true },
        { callId: 'B', toolName: 'Tool B', arguments: { flights: ref('A'), currency: 'EUR' }, defaults: { A: defaultFlights } },
        { callId: 'C', toolName: 'create_itinerary', arguments: { prices: ref('B') } },
      ],
    );
    expect(result('A')).toMatchObject({ status: 'error' });
    expect(received('Tool B')).toEqual([{ flights: defaultFlights, currency: 'EUR' }]);
    expect(result('B')).toMatchObject({ status: 'success', output: 'compared' });
    expect(received('create_itinerary')).toEqual([{ prices: 'compared' }]);
    expect(result('C')).toMatchObject({ status: 'success', output: 'planned' });
    expect(outcome).toBe('success');
    expect(of('DefaultUsed')).toMatchObject([
      { tool_id: 'Tool B', call_id: 'B', dependency: 'A', message: 'Used default value for Tool B' },
    ]);
    expect(of('ToolSkipped')).toEqual([]);
  });

  test('a default is for failures only: an output of A wins over it', { tags: ['S1-5.3'] }, async () => {
    const { received, of } = await runTurn({ flight_search: [succeeds('LH 400')], 'Tool B': [succeeds()] }, [
      flights,
      { callId: 'B', toolName: 'Tool B', arguments: { flights: ref('A') }, defaults: { A: 'default' } },
    ]);
    expect(received('Tool B')).toEqual([{ flights: 'LH 400' }]);
    expect(of('DefaultUsed')).toEqual([]);
  });

  test('independent tools succeed although A fails', { tags: ['S1-5.4'] }, async () => {
    const { result, results, outcome, summary, of } = await runTurn(
      { flight_search: [invalid], hotel_search: [succeeds('Ritz', 20)], activity_search: [succeeds('Louvre', 30)] },
      [flights, { callId: 'B', toolName: 'hotel_search' }, { callId: 'C', toolName: 'activity_search' }],
    );
    expect(result('A')).toMatchObject({ status: 'error' });
    expect(result('B')).toMatchObject({ status: 'success', output: 'Ritz' });
    expect(result('C')).toMatchObject({ status: 'success', output: 'Louvre' });
    expect(results).toHaveLength(3);
    expect(outcome).toBe('partial');
    expect(summary).toBe('Completed hotel search and activity search, but flight search failed');
    expect(of('ToolSkipped')).toEqual([]);
  });

  test('a dependency that fails transiently is retried first; if it recovers, nothing cascades', { tags: ['S0-5.1'] }, async () => {
    const { result, received, of } = await runTurn(
      { flight_search: [fails('Connection reset'), succeeds('LH 400')], compare_prices: [succeeds('best')] },
      [flights, { callId: 'B', toolName: 'compare_prices', arguments: { flights: ref('A') } }],
    );
    expect(result('A')).toMatchObject({ status: 'success', attempts: 2 });
    expect(received('compare_prices')).toEqual([{ flights: 'LH 400' }]);
    expect(of('ToolSkipped')).toEqual([]);
  });

  test('a call with two dependencies runs when the slower one has been retried, with both outputs', { tags: ['S0-5.1'] }, async () => {
    const { result, starts, received } = await runTurn(
      {
        flight_search: [fails('Connection reset', 500), succeeds('LH 400', 500)],
        hotel_search: [succeeds('Ritz')],
        create_itinerary: [succeeds()],
      },
      [
        flights,
        { callId: 'B', toolName: 'hotel_search' },
        { callId: 'C', toolName: 'create_itinerary', arguments: { flights: ref('A'), hotels: ref('B') } },
      ],
    );
    expect(result('A')).toMatchObject({ status: 'success', attempts: 2 });
    expect(result('C')).toMatchObject({ status: 'success', attempts: 1 });
    expect(starts('create_itinerary')).toBe(1);
    expect(received('create_itinerary')).toEqual([{ flights: 'LH 400', hotels: 'Ritz' }]);
  });

  test('losing a call on the critical path escalates the turn', { tags: ['S0-5.2'] }, async () => {
    const calls = (critical: boolean): readonly PlannedCall[] => [
      flights,
      { callId: 'B', toolName: 'compare_prices', dependsOn: ['A'] },
      { callId: 'C', toolName: 'create_itinerary', dependsOn: ['B'], critical },
      { callId: 'D', toolName: 'hotel_search' },
    ];
    const scripts = { flight_search: [invalid], compare_prices: [succeeds()], create_itinerary: [succeeds()], hotel_search: [succeeds()] };
    const critical = await runTurn(scripts, calls(true));
    expect(critical.escalated).toBe(true);
    expect(critical.of('Escalated')).toContainEqual(expect.objectContaining({ call_id: 'C', critical: true }));
    expect(critical.of('TurnCompleted')).toMatchObject([{ escalated: true }]);
    expect(critical.result('D')).toMatchObject({ status: 'success' });
    expect((await runTurn(scripts, calls(false))).escalated).toBe(false);
  });
});
