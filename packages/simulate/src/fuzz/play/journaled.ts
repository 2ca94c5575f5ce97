/** Owns the playing of a scene's turns over journals, whose processes die: each turn by itself, one after the other. */
import type { Policy, TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import type { DeathPoint, JournalProcess, MemoryJournal } from '@holdfast/core/testing';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import { drawDeaths } from '../scene/deaths.ts';
import type { Deaths } from '../scene/deaths.ts';
import type { FuzzScene, FuzzTurn } from '../scene/scene.ts';
import type { Sleep, Work } from './observation.ts';
import { Observer } from './observation.ts';
import { sceneTool } from './scene-tool.ts';

export interface JournaledPlay {
  readonly scene: FuzzScene;
  readonly turn: FuzzTurn;
  readonly deaths: Deaths;
  /** Until its deadline is in the journal a turn that loses its process begins anew. */
  readonly deadlineSetAt: number;
  readonly returnedAt: number;
  readonly result: TurnResult | undefined;
  readonly works: readonly Work[];
  /** When processes died. */
  readonly diedAt: readonly number[];
  /** Attempts that were made again though the journal knew how they had ended. */
  readonly madeAgain: readonly Work[];
  /** When the machine was asleep. */
  readonly sleeps: readonly Sleep[];
  readonly problems: readonly string[];
}

export async function playJournaled(scene: FuzzScene, turn: FuzzTurn): Promise<JournaledPlay> {
  const system = manualSystem();
  const observer = new Observer(() => system.now());
  const deaths = drawDeaths(scene.seed, turn.turnId);
  const diedAt: number[] = [];
  const madeAgain: Work[] = [];
  let deadlineSetAt = Number.POSITIVE_INFINITY;
  const dies = ({ index, name }: DeathPoint): boolean => {
    if (name === 'deadline') deadlineSetAt = Math.min(deadlineSetAt, system.now());
    const isOne = deaths.points.includes(index);
    if (isOne) diedAt.push(system.now());
    return isOne;
  };
  const journal = memoryJournal({ system, dies, takeOverMs: deaths.takeOverMs });
  const onBegin = (work: Work): void => void (hasEnd(journal, work) && madeAgain.push(work));
  // What a dead process had begun it hears nothing of any more: `dyingWith`.
  const world = { clock: system, observer, atOnce: scene.ties, isAlive: () => true, onBegin };
  const tools = scene.tools.map((tool) => sceneTool(scene, tool, world));
  for (const { atMs, byMs } of scene.wallSteps) system.setTimer(atMs, () => system.stepWallClock(byMs));
  for (const { atMs, forMs } of scene.sleeps)
    system.setTimer(atMs, () => {
      observer.sleep(forMs);
      system.sleep(forMs);
    });
  for (const at of deaths.atMs)
    system.setTimer(at, () => {
      const before = journal.deaths;
      journal.kill();
      if (journal.deaths > before) diedAt.push(system.now());
    });
  if (turn.cancelAtMs !== undefined) system.setTimer(turn.cancelAtMs + 0.25, () => journal.cancel('enough'));
  const start = (process: JournalProcess): Promise<TurnResult> => {
    observer.process = process.number;
    const service = new ToolExecutionService({
      tools,
      profile: scene.profile,
      seed: scene.seed,
      policies: scene.rules,
      capture: scene.capture,
      system: process.system,
      around: [dyingWith(process)],
    });
    const plan = { ...turn.settings, turnId: turn.turnId, calls: turn.calls };
    return runJournaledTurn({ service, turnId: turn.turnId, plan, journal: process.journal });
  };
  const result = await system.until(journal.run(start)).catch((error: unknown) => {
    observer.problems.push(`no end: ${String(error)}`);
    return undefined;
  });
  return {
    scene,
    turn,
    deaths,
    deadlineSetAt,
    returnedAt: system.now(),
    result,
    works: observer.works,
    diedAt,
    madeAgain,
    sleeps: observer.sleeps,
    problems: observer.problems,
  };
}

/** What a dead process had begun it hears nothing of any more, and it begins nothing. */
function dyingWith(process: JournalProcess): Policy {
  return (run) => (args, context) =>
    new Promise((resolve, reject) => {
      if (!process.alive) return;
      Promise.resolve(run(args, context)).then(
        (output) => process.alive && resolve(output),
        (error: unknown) => process.alive && reject(error as Error),
      );
    });
}

/** Whether the journal knows how an attempt ended. */
function hasEnd({ entries }: MemoryJournal, { callId, attempt }: Work): boolean {
  const end = `"call":"${callId}","input":{"type":"attempt_settled","attempt":${attempt},`;
  return entries.some((entry) => entry.type === 'step' && entry.text.includes(end));
}
