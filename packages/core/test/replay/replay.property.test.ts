/** Whatever a turn went through, its replay from the record decides the same and tells the same, call by call. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Advisor, TraceEvent } from '../../src/index.ts';
import { ToolExecutionService } from '../../src/index.ts';
import { replayTurn } from '../../src/replay/index.ts';
import type { TurnScene } from '../support/turn-scenes.ts';
import { planOf, toolsOf, turnPolicy, turnScene } from '../support/turn-scenes.ts';
import { when } from '../support/when.ts';
import { manualSystem } from '../../src/testing/index.ts';

/** Runs the scene for real on a manual clock; answers the trace as another process would read it. An advisor takes so long, one time after the other. */
async function record(scene: TurnScene, thinksMs: readonly number[] = []): Promise<readonly TraceEvent[]> {
  const system = manualSystem();
  const cancel = new AbortController();
  const { profile, cancelAt } = scene;
  let asked = 0;
  const advisor: Advisor = (_notice, _inputs, builtIn) =>
    new Promise((resolve) => void system.setTimer(thinksMs[asked++ % thinksMs.length] ?? 0, () => resolve(builtIn)));
  const advised = thinksMs.length === 0 ? {} : { advisor };
  const service = new ToolExecutionService({ tools: toolsOf(scene, system), system, seed: 'scene', profile, ...advised });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  if (cancelAt !== undefined) system.setTimer(cancelAt, () => cancel.abort(new Error('enough')));
  await system.until(service.executeTurn(planOf(scene), { signal: cancel.signal }));
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
    fc.asyncProperty(turnScene, async (given) => {
      const recorded = await record(given);
      const { differences, trace, assumptions } = replayTurn(recorded);
      expect(differences).toEqual([]);
      expect(assumptions).toEqual([]);
      expect(byCall(trace)).toEqual(byCall(recorded));
    }),
    { numRuns: 300 },
  );
});

test('so does that of a turn whose advisor takes some time: a failure happened before it was decided on', async () => {
  const thinksMs = fc.array(fc.constantFrom(0, 7.5, 40, 400, 2_000), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(turnScene, thinksMs, async (given, thinks) => {
      const recorded = await record(given, thinks);
      const { differences, trace } = replayTurn(recorded);
      expect(differences).toEqual([]);
      // What an advisor that was too late leaves is told beside the turn.
      const own = (events: readonly TraceEvent[]): ReturnType<typeof byCall> =>
        byCall(events.filter(({ event_type }) => event_type !== 'ComponentFailed'));
      expect(own(trace)).toEqual(own(recorded));
    }),
    { numRuns: 150 },
  );
});

test('a what-if under any other settings ends, answers every call once and says what it assumed', async () => {
  await fc.assert(
    fc.asyncProperty(turnScene, turnPolicy, async (given, other) => {
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
