/** Owns running a scene with the in-process driver, on a manual clock. */
import type { ToolSettings, TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import type { ManualSystem } from '@holdfast/core/testing';
import { manualSystem } from '@holdfast/core/testing';
import type { FuzzScene, FuzzTurn } from '../scene/scene.ts';
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
  const system = manualSystem();
  const outside = new Outside(system);
  const observer = new Observer(() => system.now());
  const store = storeOf(scene.hooks.store);
  const open = (number: number): Process => {
    const machine = killable(system);
    return { ...machine, number, service: serviceOf(scene, { machine, outside, observer, store, number }) };
  };
  let current = open(1);
  const first = current;
  const turns: PlayedTurn[] = [];
  const running = new Set<Promise<unknown>>();
  const lost = new Map<Promise<unknown>, { readonly process: Process; readonly turn: FuzzTurn; readonly beganAt: number }>();
  let toBegin = scene.turns.length;
  let isOver = false;
  let finish: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const look = (): void => {
    if (toBegin > 0 || running.size > 0 || observer.isBusy) return;
    isOver = true;
    finish();
  };
  observer.onChange = look;

  for (const turn of scene.turns)
    outside.setTimer(turn.atMs, () => {
      const process = current;
      const played = runOne(process, turn, { outside, observer }).then((result) => {
        if (!process.isAlive()) return;
        turns.push(result);
        running.delete(played);
        look();
      });
      running.add(played);
      toBegin -= 1;
      lost.set(played, { process, turn, beganAt: system.now() });
    });
  for (const { atMs, byMs } of scene.wallSteps) outside.setTimer(atMs, () => system.stepWallClock(byMs));
  for (const { atMs, forMs } of scene.sleeps)
    outside.setTimer(atMs, () => {
      observer.sleep(forMs);
      system.sleep(forMs);
    });
  for (const { atMs, toolName, command } of scene.commands) outside.setTimer(atMs, () => current.service.controlCircuit(toolName, command));
  if (scene.killAtMs !== undefined)
    outside.setTimer(scene.killAtMs, () => {
      if (isOver) return;
      current.kill();
      for (const played of running) {
        const { process, turn, beganAt } = lost.get(played) as { process: Process; turn: FuzzTurn; beganAt: number };
        turns.push({ turn, beganAt, process: process.number, report: undefined, returnedAt: Number.POSITIVE_INFINITY, trace: [] });
      }
      running.clear();
      observer.process = 2;
      current = open(2);
      current.service.restore().catch((error: unknown) => observer.problems.push(`restore() rejected: ${String(error)}`));
      look();
    });

  await system.until(over).catch((error: unknown) => observer.problems.push(`no end: ${String(error)}`));
  const leftovers = await drain(scene, { system, outside, observer, services: current === first ? [first.service] : [current.service] });
  const settings = Object.fromEntries(scene.tools.map(({ name }) => [name, current.service.getToolSettings(name) as ToolSettings]));
  return {
    scene,
    driver: 'in_process',
    works: observer.works,
    events: observer.events,
    turns,
    settings,
    sleeps: observer.sleeps,
    leftovers,
    problems: observer.problems,
  };
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
  readonly services: readonly ToolExecutionService[];
}

async function drain(scene: FuzzScene, { system, outside, observer, services }: Drain): Promise<Leftovers> {
  await system.settle();
  // Work that never ends and is not waited for has its time limit, and its limit without progress.
  const limits = scene.tools.some(({ policy }) => policy.idleTimeoutMs !== undefined) ? 2 : 1;
  const timersAfterWork = system.pendingTimers - outside.pending - observer.endless * limits;
  await system.advance(LONG_MS);
  const held: Record<string, number> = {};
  const queued: Record<string, number> = {};
  for (const service of services)
    for (const { name } of scene.tools) {
      const health = service.getToolHealth(name);
      if (health && health.inFlight > 0) held[name] = health.inFlight;
      if (health && health.queued > 0) queued[name] = health.queued;
    }
  return { timersAfterWork, timers: system.pendingTimers - outside.pending, held, queued };
}
