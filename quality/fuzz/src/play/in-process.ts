/** Owns running a scene with the in-process driver, on a manual clock. */
import type { ToolSettings, TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import type { ManualSystem } from '@holdfast/core/testing';
import { manualSystem } from '@holdfast/core/testing';
import type { FuzzScene, FuzzTurn } from '../scene/scene.ts';
import { scheduleClockFaults } from './clock-faults.ts';
import { advisorOf, listenerOf, storeOf } from './hooks.ts';
import type { Killable } from './killable.ts';
import { killable } from './killable.ts';
import type { Leftovers, Play, PlayedTurn } from './observation.ts';
import { Observer } from './observation.ts';
import type { Clock } from './play-attempt.ts';
import { sceneTool } from './scene-tool.ts';

/** By then, all limits of all settings have passed. */
const LONG_MS = 3_600_000;

/** A world outside of all processes: its tools continue when a process is killed. */
class Outside implements Clock {
  /** Timers of the world itself. */
  pending = 0;
  readonly system: ManualSystem;

  constructor(system: ManualSystem) {
    this.system = system;
  }

  now(): number {
    return this.system.now();
  }

  epochMs(): number {
    return this.system.epochMs();
  }

  setTimer(delayMs: number, fire: () => unknown): ReturnType<Clock['setTimer']> {
    this.pending += 1;
    const handle = this.system.setTimer(delayMs, () => {
      this.pending -= 1;
      this.#set.delete(handle);
      fire();
    });
    this.#set.add(handle);
    return handle;
  }

  readonly #set = new Set<object>();

  clearTimer(handle: ReturnType<Clock['setTimer']>): void {
    if (!this.#set.delete(handle)) return;
    this.pending -= 1;
    this.system.clearTimer(handle);
  }
}

interface Process extends Killable {
  readonly service: ToolExecutionService;
  readonly number: number;
}

export async function playInProcess(scene: FuzzScene): Promise<Play> {
  const run = new Run(scene);
  run.schedule();
  return run.end();
}

interface Running {
  readonly process: Process;
  readonly turn: FuzzTurn;
  readonly beganAt: number;
}

/** One run of a scene: its turns, and the process that runs them, which may be killed and started again. */
class Run {
  readonly #scene: FuzzScene;
  readonly #system = manualSystem();
  readonly #outside = new Outside(this.#system);
  readonly #observer = new Observer(() => this.#system.now());
  readonly #store: ReturnType<typeof storeOf>;
  #current: Process;
  readonly #turns: PlayedTurn[] = [];
  readonly #running = new Map<Promise<unknown>, Running>();
  #toBegin: number;
  #isOver = false;
  #finish: () => void = () => {};
  readonly #over = new Promise<void>((resolve) => {
    this.#finish = resolve;
  });

  constructor(scene: FuzzScene) {
    this.#scene = scene;
    this.#store = storeOf(scene.hooks.store);
    this.#current = this.#open(1);
    this.#toBegin = scene.turns.length;
    this.#observer.onChange = () => this.#finishIfIdle();
  }

  /** Sets the timers for everything that happens from outside. */
  schedule(): void {
    const { turns, commands, killAtMs } = this.#scene;
    for (const turn of turns) this.#outside.setTimer(turn.atMs, () => this.#begin(turn));
    scheduleClockFaults(this.#scene, { system: this.#system, observer: this.#observer, timers: this.#outside });
    for (const { atMs, toolName, command } of commands)
      this.#outside.setTimer(atMs, () => this.#current.service.controlCircuit(toolName, command));
    if (killAtMs !== undefined) this.#outside.setTimer(killAtMs, () => this.#kill());
  }

  /** Resolves when all turns and all work have ended. */
  async end(): Promise<Play> {
    const observer = this.#observer;
    await this.#system.until(this.#over).catch((error: unknown) => observer.problems.push(`no end: ${String(error)}`));
    const { service } = this.#current;
    const leftovers = await drain(this.#scene, { system: this.#system, outside: this.#outside, observer, service });
    const settings = Object.fromEntries(this.#scene.tools.map(({ name }) => [name, service.getToolSettings(name) as ToolSettings]));
    return {
      scene: this.#scene,
      driver: 'in_process',
      works: observer.works,
      events: observer.events,
      turns: this.#turns,
      settings,
      sleeps: observer.sleeps,
      leftovers,
      problems: observer.problems,
    };
  }

  #open(number: number): Process {
    const machine = killable(this.#system);
    const world = { machine, outside: this.#outside, observer: this.#observer, store: this.#store, number };
    return { ...machine, number, service: serviceOf(this.#scene, world) };
  }

  #begin(turn: FuzzTurn): void {
    const process = this.#current;
    const played = runOne(process, turn, { outside: this.#outside, observer: this.#observer }).then((result) => {
      if (!process.isAlive()) return;
      this.#turns.push(result);
      this.#running.delete(played);
      this.#finishIfIdle();
    });
    this.#running.set(played, { process, turn, beganAt: this.#system.now() });
    this.#toBegin -= 1;
  }

  /** The turns of the process are lost; another one takes its place. */
  #kill(): void {
    if (this.#isOver) return;
    this.#current.kill();
    for (const { process, turn, beganAt } of this.#running.values())
      this.#turns.push({ turn, beganAt, process: process.number, report: undefined, returnedAt: Number.POSITIVE_INFINITY, trace: [] });
    this.#running.clear();
    this.#observer.process = 2;
    this.#current = this.#open(2);
    this.#current.service.restore().catch((error: unknown) => this.#observer.problems.push(`restore() rejected: ${String(error)}`));
    this.#finishIfIdle();
  }

  #finishIfIdle(): void {
    if (this.#toBegin > 0 || this.#running.size > 0 || this.#observer.isBusy) return;
    this.#isOver = true;
    this.#finish();
  }
}

interface World {
  readonly machine: Killable;
  readonly outside: Outside;
  readonly observer: Observer;
  readonly store: ReturnType<typeof storeOf>;
  readonly number: number;
}

function serviceOf(scene: FuzzScene, { machine, outside, observer, store, number }: World): ToolExecutionService {
  const advisor = advisorOf(scene.hooks.advisor, machine.system);
  const service = new ToolExecutionService({
    tools: scene.tools.map((tool) => sceneTool(scene, tool, { clock: outside, observer, atOnce: scene.ties, isAlive: machine.isAlive })),
    profile: scene.profile,
    seed: scene.seed,
    recoveryRules: scene.rules,
    capture: scene.capture,
    system: machine.system,
    ...(advisor ? { advisor } : {}),
    ...(store ? { store } : {}),
  });
  const listener = listenerOf(scene.hooks.listener);
  if (listener) service.subscribe(listener);
  service.subscribe((event) => observer.receive(event, number));
  return service;
}

async function runOne(process: Process, turn: FuzzTurn, { outside, observer }: Pick<World, 'outside' | 'observer'>): Promise<PlayedTurn> {
  const beganAt = outside.now();
  const cancel = outside.system.createCancelSource();
  if (turn.cancelAtMs !== undefined) {
    if (turn.cancelAtMs < 1) cancel.abort(() => 'enough');
    else outside.setTimer(turn.cancelAtMs, () => process.isAlive() && cancel.abort(() => 'enough'));
  }
  const plan = { ...turn.settings, turnId: turn.turnId, calls: turn.calls };
  const result: TurnResult | undefined = await process.service.executeTurn(plan, { signal: cancel.signal }).catch((error: unknown) => {
    observer.problems.push(`executeTurn rejected: ${String(error)}`);
    return undefined;
  });
  if (result?.problems) observer.problems.push(`the plan was refused: ${result.problems.join('; ')}`);
  return { turn, beganAt, process: process.number, report: result, returnedAt: outside.now(), trace: result?.trace ?? [] };
}

interface Drain {
  readonly system: ManualSystem;
  readonly outside: Outside;
  readonly observer: Observer;
  readonly service: ToolExecutionService;
}

async function drain(scene: FuzzScene, { system, outside, observer, service }: Drain): Promise<Leftovers> {
  await system.settle();
  // Work that never ends and is not waited for has its time limit, and its limit without progress.
  const limits = scene.tools.some(({ policy }) => policy.idleTimeoutMs !== undefined) ? 2 : 1;
  const timersAfterWork = system.pendingTimers - outside.pending - observer.endless * limits;
  await system.advance(LONG_MS);
  const held: Record<string, number> = {};
  const queued: Record<string, number> = {};
  for (const { name } of scene.tools) {
    const health = service.getToolHealth(name);
    if (health && health.inFlight > 0) held[name] = health.inFlight;
    if (health && health.queued > 0) queued[name] = health.queued;
  }
  return { timersAfterWork, timers: system.pendingTimers - outside.pending, held, queued };
}
