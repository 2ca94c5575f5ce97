/** Owns running a scene with the virtual driver, in simulated time: the same tools, gates and decisions, without promises. */
import type { TraceEvent, TurnReport } from '@holdfast/core';
import { checkPlan, createEpisodicMemory, ErrorHandler, profiles } from '@holdfast/core';
import { TurnTrace } from '@holdfast/core/trace';
import { resolveSettings } from '@holdfast/core/internal';
import type { Agenda, AttemptRequest, Outcome, Perform } from '@holdfast/core/internal';
import { createAgenda, createVirtualTools, createVirtualWorld, failedOutcome, memoryEvents, VirtualHost } from '@holdfast/core/internal';
import { drawScript } from '../scene/attempt-script.ts';
import type { FuzzScene, FuzzTurn } from '../scene/scene.ts';
import type { Leftovers, Play, PlayedTurn } from './observation.ts';
import { Observer } from './observation.ts';
import type { Clock, Ending } from './play-attempt.ts';
import { outputOf, playAttempt } from './play-attempt.ts';

const START_EPOCH_MS: number = Date.UTC(2025, 10, 5, 10, 30, 45);

/** The virtual driver does not support kills, cancellations, hooks, operators or machines that sleep. */
export function isVirtual({ hooks, turns, commands, killAtMs, ties, sleeps }: FuzzScene): boolean {
  const isAlone = killAtMs === undefined && commands.length === 0 && hooks.advisor === 'none';
  return isAlone && !ties && sleeps.length === 0 && turns.every(({ cancelAtMs }) => cancelAtMs === undefined);
}

export function playVirtual(scene: FuzzScene): Play {
  const agenda = createAgenda();
  const wall = { offsetMs: START_EPOCH_MS };
  for (const { atMs, byMs } of scene.wallSteps) agenda.at(atMs, () => void (wall.offsetMs += byMs));
  const clock = clockOf(agenda, wall);
  const observer = new Observer(() => agenda.now());
  const { tool: profileTool, turn: profileTurn, useMemory } = profiles[scene.profile];
  const settings = Object.fromEntries(scene.tools.map(({ name, policy }) => [name, resolveSettings(profileTool, policy)]));
  const memory = useMemory ? createEpisodicMemory() : undefined;
  const handler = new ErrorHandler({ recoveryRules: scene.rules, ...(memory ? { memory } : {}) });
  const tools = createVirtualTools(settings);
  const host = new VirtualHost({
    agenda,
    handler,
    tools,
    perform: performer(scene, clock, observer, (name) => settings[name]?.timeoutMs ?? 0),
  });
  const world = createVirtualWorld({ host, tools, base: profileTool });
  const turns: PlayedTurn[] = [];
  const receive = (event: TraceEvent): void => {
    observer.receive(event);
    if (memory && memoryEvents.includes(event.event_type)) memory.observe(event);
  };

  const begin = (turn: FuzzTurn): void => {
    const checked = checkPlan(turn.calls);
    if (!checked.ok) throw new Error(checked.problems.map(({ message }) => message).join('; '));
    const startedAt = agenda.now();
    const trace = new TurnTrace({
      turnId: turn.turnId,
      startedAt,
      timestamp: (elapsedMs) => new Date(START_EPOCH_MS + Math.floor(startedAt + elapsedMs)).toISOString(),
      sink: receive,
    });
    const onSettled = (report: TurnReport): void =>
      void turns.push({ turn, beganAt: startedAt, process: 1, report, returnedAt: agenda.now(), trace: trace.events });
    world.startTurn({
      turnId: turn.turnId,
      seed: scene.seed,
      graph: checked.graph,
      settings: { ...profileTurn, ...turn.settings },
      trace,
      onSettled,
    });
  };
  for (const turn of scene.turns) agenda.at(turn.atMs, () => begin(turn));
  agenda.run();
  if (turns.length < scene.turns.length) observer.problems.push(`${scene.turns.length - turns.length} turns never end`);
  const leftovers: Leftovers = { timersAfterWork: 0, timers: 0, ...heldBy(tools) };
  return {
    scene,
    driver: 'virtual',
    works: observer.works,
    events: observer.events,
    turns,
    settings,
    sleeps: observer.sleeps,
    leftovers,
    problems: observer.problems,
  };
}

function heldBy(tools: ReturnType<typeof createVirtualTools>): Pick<Leftovers, 'held' | 'queued'> {
  const count = (of: (name: string) => number): Readonly<Record<string, number>> =>
    Object.fromEntries([...tools.keys()].flatMap((name) => (of(name) > 0 ? [[name, of(name)]] : [])));
  return {
    held: count((name) => tools.get(name)?.gate.bulkhead.held ?? 0),
    queued: count((name) => tools.get(name)?.gate.bulkhead.queued ?? 0),
  };
}

function clockOf(agenda: Agenda, wall: { readonly offsetMs: number }): Clock {
  return {
    now: () => agenda.now(),
    epochMs: () => Math.round(wall.offsetMs + agenda.now()),
    setTimer: (delayMs, fire) => agenda.at(agenda.now() + delayMs, () => void fire()),
    clearTimer: (handle) => agenda.cancel(handle),
  };
}

function performer(scene: FuzzScene, clock: Clock, observer: Observer, timeoutOf: (toolName: string) => number): Perform {
  return (request: AttemptRequest, settle, reportPartial) => {
    const { turnId, callKey, toolName, attempt } = request;
    const tool = scene.tools.find(({ name }) => name === toolName);
    if (!tool) throw new Error(`no tool ${toolName}`);
    const call = scene.turns.find((turn) => turn.turnId === turnId)?.calls.find(({ callId }) => callId === callKey);
    const timeoutMs = (call?.toolName === toolName ? call.policy?.timeoutMs : undefined) ?? timeoutOf(toolName);
    const script = drawScript(scene, tool, { turnId, callId: callKey, attempt }, clock.now(), timeoutMs);
    const work = observer.begin({ toolName, turnId, callId: callKey, attempt, idempotencyKey: undefined, timeoutMs, script });
    const outcomeOf = (ending: Ending): Outcome =>
      ending.ok
        ? { ok: true, output: outputOf(work) }
        : failedOutcome(ending.error, { nowEpochMs: clock.epochMs(), aborted: work.abortedAt !== Number.POSITIVE_INFINITY });
    const { abort } = playAttempt({ clock, observer, atOnce: false }, work, { end: (ending) => settle(outcomeOf(ending)), reportPartial });
    return abort;
  };
}
