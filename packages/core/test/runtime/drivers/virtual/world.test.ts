import { describe, expect, it } from 'vitest';
import type { TurnReport } from '../../../../src/index.ts';
import { TurnTrace } from '../../../../src/engine/trace/turn-trace.ts';
import { checkPlan, ErrorHandler, profiles } from '../../../../src/index.ts';
import type { Perform } from '../../../../src/runtime/drivers/virtual/virtual-host.ts';
import { createAgenda } from '../../../../src/runtime/drivers/virtual/agenda.ts';
import { createVirtualTools, touchedCircuits } from '../../../../src/runtime/drivers/virtual/virtual-tools.ts';
import { createVirtualWorld } from '../../../../src/runtime/drivers/virtual/virtual-world.ts';
import { failedOutcome } from '../../../../src/runtime/drivers/virtual/failed-outcome.ts';
import { performScript } from '../../../../src/runtime/drivers/virtual/script.ts';
import { VirtualHost } from '../../../../src/runtime/drivers/virtual/virtual-host.ts';
import type { ToolSettings } from '../../../../src/index.ts';

const { tool, turn } = profiles.spec;

function scene(perform: (agenda: ReturnType<typeof createAgenda>) => Perform, settings: Partial<ToolSettings> = {}) {
  const agenda = createAgenda();
  const tools = createVirtualTools({ search: { ...tool, ...settings } });
  const host = new VirtualHost({ agenda, handler: new ErrorHandler(), tools, perform: perform(agenda) });
  const world = createVirtualWorld({ host, tools, base: tool });
  const checked = checkPlan([{ callId: 'a', toolName: 'search' }]);
  if (!checked.ok) throw new Error('the plan is sound');
  const reports: { readonly at: number; readonly report: TurnReport }[] = [];
  const start = (turnId: string, at: number, timeoutMs = 60_000): void => {
    agenda.at(at, () =>
      world.startTurn({
        turnId,
        seed: 'seed',
        graph: checked.graph,
        settings: { ...turn, timeoutMs },
        onSettled: (report) => reports.push({ at: agenda.now(), report }),
      }),
    );
  };
  return { agenda, tools, world, graph: checked.graph, reports, start };
}

const unavailable = failedOutcome(Object.assign(new Error('down'), { status: 503 }), { nowEpochMs: 0 });

describe('a world of turns', () => {
  it('shares its gates: a circuit that one turn opened refuses calls of the next', () => {
    const { agenda, tools, reports, start } = scene((time) => performScript(time, () => ({ afterMs: 10, outcome: unavailable })));
    start('one', 0);
    start('two', 5_000);
    agenda.run();
    expect(reports.map(({ report }) => [report.turnId, report.results[0]?.attempts])).toEqual([
      ['one', 5],
      ['two', 0],
    ]);
    expect(reports[1]?.at).toBe(5_000);
    expect(Object.keys(touchedCircuits(tools, { now: 5_000, nowEpochMs: 5_000 }))).toEqual(['search']);
  });

  it('counts the deadline of a turn from its start', () => {
    const { agenda, tools, reports, start } = scene(() => () => undefined);
    expect(touchedCircuits(tools, { now: 0, nowEpochMs: 0 })).toEqual({});
    start('one', 700, 1_000);
    agenda.run();
    expect(reports.map(({ at, report }) => [at, report.outcome, report.executionTime])).toEqual([[1_700, 'deadline', 1_000]]);
  });

  it('performs attempts by a function, with the identity of the call, and a signal for when its result is no longer needed', () => {
    const received: unknown[] = [];
    const { agenda, reports, start } = scene(
      (time) => (request, settle) => {
        received.push({ ...request });
        if (request.attempt === 2) {
          settle({ ok: true, output: 'found' });
          // Aborting twice has no further effect.
          settle(unavailable);
          return undefined;
        }
        return (reason) => {
          received.push(reason);
          time.at(time.now() + 50, () => settle(unavailable));
        };
      },
      { timeoutMs: 100, retry: { ...tool.retry, jitter: 'none' } },
    );
    start('one', 1_000);
    agenda.run();
    const request = { turnId: 'one', callKey: 'a', toolName: 'search', arguments: {} };
    expect(received).toEqual([{ ...request, attempt: 1, now: 1_000 }, 'timeout', { ...request, attempt: 2, now: 1_200 }]);
    expect(reports.map(({ report }) => report.outcome)).toEqual(['success']);
    // The first attempt ended in the background.
    expect(agenda.now()).toBeGreaterThanOrEqual(1_200);
  });

  it('keeps a trace if one is given, and none otherwise', () => {
    const { agenda, world, graph, start } = scene((time) => performScript(time, () => ({ afterMs: 10, outcome: { ok: true, output: 1 } })));
    const trace = new TurnTrace({ turnId: 'kept', startedAt: 100, timestamp: String });
    start('other', 0);
    agenda.at(100, () => world.startTurn({ turnId: 'kept', seed: 's', graph, settings: turn, trace, onSettled: () => {} }));
    agenda.run();
    expect(trace.events.map(({ turn_id, elapsed_ms }) => [turn_id, elapsed_ms])).toContainEqual(['kept', 10]);
    expect(new Set(trace.events.map(({ turn_id }) => turn_id))).toEqual(new Set(['kept']));
    expect(trace.events.at(-1)?.event_type).toBe('TurnCompleted');
  });
});
