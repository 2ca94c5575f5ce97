/** Owns when the processes die that work on a journaled turn. */
import type { Draw } from './draw.ts';
import { createDraw } from './draw.ts';

export interface Deaths {
  /** Which points of the run, among all at which a process may die. */
  readonly points: readonly number[];
  /** Since the turn began. */
  readonly atMs: readonly number[];
  /** How long no process works on the turn after a death. */
  readonly takeOverMs: number;
}

export function drawDeaths(seed: string, turnId: string): Deaths {
  const draw: Draw = createDraw(`${seed} deaths of ${turnId}`);
  return {
    points: Array.from({ length: draw.one([0, 1, 1, 2, 4]) }, () => draw.whole(0, 60)),
    atMs: Array.from({ length: draw.one([0, 0, 1, 2]) }, () => draw.share() * draw.one([50, 500, 3_000])),
    takeOverMs: draw.one([0, 0, 30, 700]),
  };
}
