/** Owns running a scene's turns over journals with processes that die: each turn separately, one after the other. */
import type { Middleware, TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import type { DeathPoint, JournalProcess, ManualSystem, MemoryJournal } from '@holdfast/core/testing';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import { drawDeaths } from '../scene/deaths.ts';
import type { Deaths } from '../scene/deaths.ts';
import type { FuzzScene, FuzzTurn } from '../scene/scene.ts';
import { advisorOf } from './hooks.ts';
import type { Sleep, Work } from './observation.ts';
import { Observer } from './observation.ts';
import { sceneTool } from './scene-tool.ts';

/** By then, all limits of all settings have passed. */
const LONG_MS = 3_600_000;

/** Number of promises that settle while a journal is read. */
const MAX_ROUNDS = 1_000;

export interface JournaledPlay {
  readonly scene: FuzzScene;
  readonly turn: FuzzTurn;
  readonly deaths: Deaths;
  /** A turn that loses its process before its deadline is in the journal starts again. */
  readonly deadlineSetAt: number;
  /** Wall-clock time when the run began: time 0. */
  readonly beganAtEpochMs: number;
  readonly returnedAt: number;
  readonly result: TurnResult | undefined;
  readonly works: readonly Work[];
  /** When processes died. */
  readonly diedAt: readonly number[];
  /** Attempts that were repeated although the journal had their end. */
  readonly madeAgain: readonly Work[];
  /** The result of reading the journal once more, as after a death at the very end. */
  readonly readAgain: TurnResult | undefined;
  /** What the last worker's tools still hold when all limits have passed, by tool. */
  readonly held: Readonly<Record<string, number>>;
  /** When the machine was asleep. */
  readonly sleeps: readonly Sleep[];
  readonly problems: readonly string[];
}

export async function playJournaled(scene: FuzzScene, turn: FuzzTurn): Promise<JournaledPlay> {
  const system = manualSystem();
  const beganAtEpochMs = system.epochMs();
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
  // A dead process receives nothing about the work it had started: `dyingWith`.
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
  let last: ToolExecutionService | undefined;
  const start = (process: JournalProcess): Promise<TurnResult> => {
    observer.process = process.number;
    const advisor = advisorOf(scene.hooks.advisor, process.system);
    const service = new ToolExecutionService({
      tools,
      profile: scene.profile,
      seed: scene.seed,
      recoveryRules: scene.rules,
      capture: scene.capture,
      system: process.system,
      middleware: [dyingWith(process)],
      ...(advisor ? { advisor } : {}),
    });
    last = service;
    const plan = { ...turn.settings, turnId: turn.turnId, calls: turn.calls };
    return runJournaledTurn({ service, turnId: turn.turnId, plan, journal: process.journal });
  };
  const result = await system.until(journal.run(start)).catch((error: unknown) => {
    observer.problems.push(`no end: ${String(error)}`);
    return undefined;
  });
  const returnedAt = system.now();
  await system.advance(LONG_MS);
  const held = last ? heldBy(last, scene) : {};
  const begun = observer.works.length;
  const readAgain = result && (await readOnceMore(system, journal.run(start), observer));
  if (observer.works.length > begun) observer.problems.push('read again, the journal starts work again');
  return {
    scene,
    turn,
    deaths,
    deadlineSetAt,
    beganAtEpochMs,
    returnedAt,
    result,
    readAgain,
    held,
    works: observer.works,
    diedAt,
    madeAgain,
    sleeps: observer.sleeps,
    problems: observer.problems,
  };
}

/** No timer is needed to read existing entries, but more promises than settle at one moment. */
async function readOnceMore(system: ManualSystem, reading: Promise<TurnResult>, observer: Observer): Promise<TurnResult | undefined> {
  let read: TurnResult | undefined;
  let isOver = false;
  void reading
    .then(
      (result) => void (read = result),
      (error: unknown) => void observer.problems.push(`reading again: ${String(error)}`),
    )
    .finally(() => {
      isOver = true;
    });
  for (let round = 0; round < MAX_ROUNDS && !isOver; round++) await system.settle();
  if (!isOver) observer.problems.push('read again, the journal does not end the turn');
  return read;
}

function heldBy(service: ToolExecutionService, { tools }: FuzzScene): Readonly<Record<string, number>> {
  const held = tools.map(({ name }) => {
    const { inFlight = 0, queued = 0 } = service.getToolHealth(name) ?? {};
    return [name, inFlight + queued] as const;
  });
  return Object.fromEntries(held.filter(([, count]) => count > 0));
}

/** A dead process receives nothing about the work it had started, and starts no further work. */
function dyingWith(process: JournalProcess): Middleware {
  return (run) => (args, context) =>
    new Promise((resolve, reject) => {
      if (!process.alive) return;
      Promise.resolve(run(args, context)).then(
        (output) => process.alive && resolve(output),
        (error: unknown) => process.alive && reject(error as Error),
      );
    });
}

/** Whether the journal has the end of an attempt. */
function hasEnd({ entries }: MemoryJournal, { callId, attempt }: Work): boolean {
  const end = `"call":"${callId}","input":{"type":"attempt_settled","attempt":${attempt},`;
  return entries.some((entry) => entry.type === 'step' && entry.text.includes(end));
}
