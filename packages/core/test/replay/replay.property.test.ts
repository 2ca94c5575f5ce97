/** The replay of any turn from its record has the same decisions and events, call by call. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Advisor, TraceEvent } from '../../src/index.ts';
import { ToolExecutionService } from '../../src/index.ts';
import { replayTurn } from '../../src/replay/index.ts';
import type { TurnScene } from '../support/turn-scenes.ts';
import { planOf, toolsOf, turnPolicy, turnScene } from '../support/turn-scenes.ts';
import { when } from '../support/when.ts';
import { manualSystem } from '../../src/testing/index.ts';

/** Runs the scene on a manual clock and returns the trace as another process would read it. `advisorMs`: how long the advisor takes, in turn. */
async function record(scene: TurnScene, advisorMs: readonly number[] = []): Promise<readonly TraceEvent[]> {
  const system = manualSystem();
  const cancel = new AbortController();
  const { profile, cancelAt } = scene;
  let advisorCalls = 0;
  const advisor: Advisor = (_notice, _inputs, builtIn) =>
    new Promise((resolve) => void system.setTimer(advisorMs[advisorCalls++ % advisorMs.length] ?? 0, () => resolve(builtIn)));
  const advised = advisorMs.length === 0 ? {} : { advisor };
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

/** Events by call, in order; events of different calls at the same moment may be recorded in either order. */
function byCall(events: readonly TraceEvent[]): Readonly<Record<string, readonly unknown[]>> {
  const calls: Record<string, unknown[]> = {};
  for (const { seq: _seq, ...event } of JSON.parse(JSON.stringify(events), rounded) as TraceEvent[]) {
    (calls['call_id' in event ? (event.call_id ?? '') : ''] ??= []).push(event);
  }
  return calls;
}

test('an exact replay has the same decisions and events', async () => {
  await fc.assert(
    fc.asyncProperty(turnScene, async (scene) => {
      const recorded = await record(scene);
      const { differences, trace, assumptions } = replayTurn(recorded);
      expect(differences).toEqual([]);
      expect(assumptions).toEqual([]);
      expect(byCall(trace)).toEqual(byCall(recorded));
    }),
    { numRuns: 300 },
  );
});

test('so does the replay of a turn with a slow advisor, which decides after the time of a failure', async () => {
  const delays = fc.array(fc.constantFrom(0, 7.5, 40, 400, 2_000), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(turnScene, delays, async (scene, advisorMs) => {
      const recorded = await record(scene, advisorMs);
      const { differences, trace } = replayTurn(recorded);
      expect(differences).toEqual([]);
      // An advisor that was too late leaves an event outside the calls.
      const withoutComponents = (events: readonly TraceEvent[]): ReturnType<typeof byCall> =>
        byCall(events.filter(({ event_type }) => event_type !== 'ComponentFailed'));
      expect(withoutComponents(trace)).toEqual(withoutComponents(recorded));
    }),
    { numRuns: 150 },
  );
});

test('a what-if with any settings ends, has one result per call and reports its assumptions', async () => {
  await fc.assert(
    fc.asyncProperty(turnScene, turnPolicy, async (scene, other) => {
      const recorded = await record(scene);
      const { report, trace, assumptions } = replayTurn(recorded, { policy: other });
      expect(report.results.map(({ callId }) => callId).toSorted()).toEqual(scene.calls.map((_, index) => `c${index}`));
      expect(trace.filter(({ event_type }) => event_type === 'CallCompleted')).toHaveLength(scene.calls.length);
      expect(assumptions.every((sentence) => /was never made|was cut off after/.test(sentence))).toBe(true);
      for (const unknownAttempts of ['fail', 'succeed'] as const) {
        const bound = replayTurn(recorded, { policy: other, unknownAttempts });
        expect(bound.report.results).toHaveLength(scene.calls.length);
        // Without assumptions the results do not depend on `unknownAttempts`.
        const ends = (results: typeof report.results): readonly unknown[] =>
          results.map(({ callId, status, attempts }) => [callId, status, attempts]);
        when(bound.assumptions.length + assumptions.length === 0, () => expect(ends(bound.report.results)).toEqual(ends(report.results)));
      }
    }),
    { numRuns: 150 },
  );
});
