/** Expectations for every scene. */
import { expect } from 'vitest';
import type { JournaledRunOptions, JournaledRun, Scene } from './support.ts';
import { comparable, outcomes, runEveryDeath, runInProcess, runJournaled } from './support.ts';

/** Expects the same results as in process, and the same events except for wall-clock times. */
export async function expectSameAsInProcess(scene: Scene, options: JournaledRunOptions = {}): Promise<JournaledRun> {
  const expected = await runInProcess(scene);
  const run = await runJournaled(scene, options);
  const { turn, world, stored, received } = run;
  expect(comparable(turn.trace)).toEqual(comparable(expected.turn.trace));
  expect(outcomes(turn)).toEqual(outcomes(expected.turn));
  expect(turn.outcome).toBe(expected.turn.outcome);
  expect(world.begun).toEqual(expected.world.begun);
  expect(stored.slice(0, turn.trace.length)).toEqual(turn.trace);
  expect(received.slice(0, turn.trace.length)).toEqual(turn.trace);
  return run;
}

/** Expects that, wherever the process dies, the outcomes are the same and the trace has no gap. */
export async function expectSurvives(scene: Scene, options: JournaledRunOptions = {}): Promise<void> {
  const expected = await runInProcess(scene);
  const check = ({ turn, stored, journal }: JournaledRun, index: number): void => {
    expect(outcomes(turn), `death at ${index}`).toEqual(outcomes(expected.turn));
    expect(
      turn.trace.map(({ seq }) => seq),
      `death at ${index}`,
    ).toEqual(turn.trace.map((_, at) => at + 1));
    const last = new Map(stored.map((event) => [event.seq, event]));
    expect(comparable([...last.values()]).slice(0, turn.trace.length), `death at ${index}`).toEqual(comparable(turn.trace));
    expect(journal.deaths).toBe(1);
  };
  const points = await runEveryDeath(scene, check, options);
  expect(points).toBeGreaterThan(4);
}
