/** What holds of every scene. */
import { expect } from 'vitest';
import type { JournaledPlay, PlayedJournaled, Scene } from './support.ts';
import { bare, ends, playEveryDeath, playInProcess, playJournaled } from './support.ts';

/** Same results and, but for times of the wall, the same events as in process. */
export async function expectAsInProcess(scene: Scene, play: JournaledPlay = {}): Promise<PlayedJournaled> {
  const expected = await playInProcess(scene);
  const played = await playJournaled(scene, play);
  const { turn, world, kept, heard } = played;
  expect(bare(turn.trace)).toEqual(bare(expected.turn.trace));
  expect(ends(turn)).toEqual(ends(expected.turn));
  expect(turn.outcome).toBe(expected.turn.outcome);
  expect(world.begun).toEqual(expected.world.begun);
  expect(kept.slice(0, turn.trace.length)).toEqual(turn.trace);
  expect(heard.slice(0, turn.trace.length)).toEqual(turn.trace);
  return played;
}

/** Wherever the process dies: the ends are the same, nothing that was answered is done again, and the record has no gap. */
export async function expectSurvives(scene: Scene, play: JournaledPlay = {}): Promise<void> {
  const expected = await playInProcess(scene);
  const check = ({ turn, kept, journal }: PlayedJournaled, index: number): void => {
    expect(ends(turn), `dead at ${index}`).toEqual(ends(expected.turn));
    expect(
      turn.trace.map(({ seq }) => seq),
      `dead at ${index}`,
    ).toEqual(turn.trace.map((_, at) => at + 1));
    const last = new Map(kept.map((event) => [event.seq, event]));
    expect(bare([...last.values()]).slice(0, turn.trace.length), `dead at ${index}`).toEqual(bare(turn.trace));
    expect(journal.deaths).toBe(1);
  };
  const points = await playEveryDeath(scene, check, play);
  expect(points).toBeGreaterThan(4);
}
