/** Owns running a scene with every driver that supports it, and collecting all violations. */
import { checkPlay } from './check/check-play.ts';
import { comparePlays } from './check/compare.ts';
import { checkJournaled } from './check/journaled.ts';
import { playInProcess } from './play/in-process.ts';
import { playJournaled } from './play/journaled.ts';
import type { Play } from './play/observation.ts';
import { isVirtual, playVirtual } from './play/virtual.ts';
import type { FuzzScene } from './scene/scene.ts';

export interface SceneRun {
  readonly found: readonly string[];
  readonly plays: readonly Play[];
}

export async function runScene(scene: FuzzScene): Promise<SceneRun> {
  const plays: Play[] = [];
  const found: string[] = [];
  try {
    const play = await playInProcess(scene);
    plays.push(play);
    found.push(...checkPlay(play));
    if (isVirtual(scene)) {
      const simulated = playVirtual(scene);
      plays.push(simulated);
      found.push(...comparePlays(play, simulated), ...checkPlay(simulated).map((what) => `in simulated time: ${what}`));
    }
    const [first] = scene.turns;
    if (scene.journaled && first) found.push(...checkJournaled(await playJournaled(scene, first)));
  } catch (error) {
    found.push(`the run itself threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
  return { found, plays };
}
