/** Owns running a scene's turns over journals with processes that die: each turn separately, one after the other. */
import type { AnyTool, Middleware, TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import type { DeathPoint, JournalProcess, ManualSystem, MemoryJournal } from '@holdfast/core/testing';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import { drawDeaths } from '../scene/deaths.ts';
import type { Deaths } from '../scene/deaths.ts';
import type { FuzzScene, FuzzTurn } from '../scene/scene.ts';
import { scheduleClockFaults } from './clock-faults.ts';
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
  const run = new Run(scene, turn);
  run.schedule();
  return run.end();
}

/** One run of a turn: the journal, the processes that run it in turn, and their deaths. */
class Run {
  readonly #scene: FuzzScene;
  readonly #turn: FuzzTurn;
  readonly #system = manualSystem();
  readonly #beganAtEpochMs = this.#system.epochMs();
  readonly #observer = new Observer(() => this.#system.now());
  readonly #deaths: Deaths;
  readonly #journal: MemoryJournal;
  readonly #tools: readonly AnyTool[];
  readonly #diedAt: number[] = [];
  readonly #madeAgain: Work[] = [];
  #deadlineSetAt = Number.POSITIVE_INFINITY;
  /** The service of the last process. */
  #service: ToolExecutionService | undefined;

  constructor(scene: FuzzScene, turn: FuzzTurn) {
    this.#scene = scene;
    this.#turn = turn;
    this.#deaths = drawDeaths(scene.seed, turn.turnId);
    this.#journal = memoryJournal({ system: this.#system, dies: (point) => this.#dies(point), takeOverMs: this.#deaths.takeOverMs });
    const onBegin = (work: Work): void => void (hasEnd(this.#journal, work) && this.#madeAgain.push(work));
    // A dead process receives nothing about the work it had started: `dyingWith`.
    const world = { clock: this.#system, observer: this.#observer, atOnce: scene.ties, isAlive: () => true, onBegin };
    this.#tools = scene.tools.map((tool) => sceneTool(scene, tool, world));
  }

  /** Sets the timers for everything that happens from outside. */
  schedule(): void {
    const { cancelAtMs } = this.#turn;
    scheduleClockFaults(this.#scene, { system: this.#system, observer: this.#observer, timers: this.#system });
    for (const at of this.#deaths.atMs) this.#system.setTimer(at, () => this.#kill());
    if (cancelAtMs !== undefined) this.#system.setTimer(cancelAtMs + 0.25, () => this.#journal.cancel('enough'));
  }

  async end(): Promise<JournaledPlay> {
    const observer = this.#observer;
    const result = await this.#system.until(this.#run()).catch((error: unknown) => {
      observer.problems.push(`no end: ${String(error)}`);
      return undefined;
    });
    const returnedAt = this.#system.now();
    await this.#system.advance(LONG_MS);
    const held = this.#service ? heldBy(this.#service, this.#scene) : {};
    const begun = observer.works.length;
    const readAgain = result && (await readOnceMore(this.#system, this.#run(), observer));
    if (observer.works.length > begun) observer.problems.push('read again, the journal starts work again');
    return {
      scene: this.#scene,
      turn: this.#turn,
      deaths: this.#deaths,
      deadlineSetAt: this.#deadlineSetAt,
      beganAtEpochMs: this.#beganAtEpochMs,
      returnedAt,
      result,
      readAgain,
      held,
      works: observer.works,
      diedAt: this.#diedAt,
      madeAgain: this.#madeAgain,
      sleeps: observer.sleeps,
      problems: observer.problems,
    };
  }

  #run(): Promise<TurnResult> {
    return this.#journal.run((process) => this.#start(process));
  }

  #start(process: JournalProcess): Promise<TurnResult> {
    const { hooks, profile, seed, rules, capture } = this.#scene;
    const { turnId, settings, calls } = this.#turn;
    this.#observer.process = process.number;
    const advisor = advisorOf(hooks.advisor, process.system);
    const service = new ToolExecutionService({
      tools: this.#tools,
      profile,
      seed,
      recoveryRules: rules,
      capture,
      system: process.system,
      middleware: [dyingWith(process)],
      ...(advisor ? { advisor } : {}),
    });
    this.#service = service;
    return runJournaledTurn({ service, turnId, plan: { ...settings, turnId, calls }, journal: process.journal });
  }

  #dies({ index, name }: DeathPoint): boolean {
    if (name === 'deadline') this.#deadlineSetAt = Math.min(this.#deadlineSetAt, this.#system.now());
    const isOne = this.#deaths.points.includes(index);
    if (isOne) this.#diedAt.push(this.#system.now());
    return isOne;
  }

  #kill(): void {
    const before = this.#journal.deaths;
    this.#journal.kill();
    if (this.#journal.deaths > before) this.#diedAt.push(this.#system.now());
  }
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
