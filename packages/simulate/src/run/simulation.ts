/**
 * Owns one run: a contender in a world, from one seed.
 *
 * Invariants
 * 1. The same world, contender and seed give the same metrics; arrivals, durations and faults do not depend on the contender.
 * 2. The same holds for the number of processes: it decides only which client runs a turn.
 * 3. Every turn that begins ends exactly once: when the contender reports it, or at its deadline.
 */
import { createAgenda } from '@holdfast/core/internal';
import { checkOptions } from '@holdfast/core/internal/plain';
import type { Agenda } from '@holdfast/core/internal';
import type { EndedTurn } from '../metrics/ended-turn.ts';
import type { RunMetrics } from '../metrics/metrics.ts';
import { Recorder } from '../metrics/recorder.ts';
import { assertWorld } from '../world/check-world.ts';
import { meanOf } from '../world/distribution.ts';
import { drawSchedule } from '../world/schedule.ts';
import type { World } from '../world/world.ts';
import type { Contender, LabRun } from './contender.ts';
import { startProcesses, type Processes } from './processes.ts';
import { depthOf, planOf } from './plan.ts';
import { createSender, toolOf } from './requests.ts';
import { startAgents } from './agents.ts';
import { createTurns, type TurnsOptions } from './turns.ts';

/** A run in single steps, for contenders that answer through promises: let them run between steps. */
export interface Simulation {
  /** Runs the next task; `false` when the run is over. */
  step(): boolean;
  /** The tasks of the simulated time that are still to come. */
  readonly agenda: Agenda;
  /** The metrics so far. */
  metrics(): RunMetrics;
}

/** What a run reports besides its metrics. */
export interface SimulationOptions {
  /** Receives every turn when it ends: for comparisons turn by turn. */
  readonly onTurnEnded?: (turn: EndedTurn) => void;
}

/** An arbitrary date: dates in headers are relative to it. */
const STARTED_AT = Date.UTC(2026, 0, 1);

/**
 * Starts a run and returns it before its first step.
 * @throws TypeError or RangeError when the world cannot be run, or an option cannot be read; names the place, the value and the fix.
 */
export function startSimulation(world: World, contender: Contender, seed: string, options: SimulationOptions = {}): Simulation {
  checkOptions({ onTurnEnded: 'function' }, options, 'startSimulation');
  assertWorld(world);
  const agenda = createAgenda();
  const schedule = drawSchedule(world, seed);
  const plans = world.agents.map(planOf);
  const deadlineMs = Math.max(0, ...plans.map((plan) => plan.deadlineMs));
  const recorder = new Recorder({
    schedule,
    durationMs: world.durationMs,
    deadlineMs,
    promptMs: promptMsOf(world) * Math.max(1, ...plans.map(depthOf)),
  });
  const { processes, turns } = setUp({ world, contender, seed, agenda, schedule, recorder, onTurnEnded: options.onTurnEnded });
  startAgents({ world, plans, seed, agenda, processes, turns });
  let over = false;
  const end = (): void => {
    over = true;
    turns.giveUp();
  };
  // After everything else of that moment.
  agenda.at(world.durationMs + deadlineMs, end, Number.MAX_SAFE_INTEGER);
  return {
    agenda,
    step: () => !over && agenda.step() && !over,
    metrics: () => ({ world: world.name, contender: contender.name, seed, ...recorder.metrics(), notes: processes.notes() }),
  };
}

/** A call that takes at most so many times the mean counts as prompt, and every call within two seconds. */
const PROMPT_MEANS = 4;
const PROMPT_MS = 2_000;

function promptMsOf({ services, tools }: World): number {
  const latencies = [...Object.values(services), ...Object.values(tools)].flatMap(({ latency }) => latency ?? []);
  return Math.max(PROMPT_MS, ...latencies.map((latency) => PROMPT_MEANS * meanOf(latency)));
}

interface Setting extends TurnsOptions {
  readonly contender: Contender;
}

function setUp({ contender, ...setting }: Setting): { readonly processes: Processes; readonly turns: ReturnType<typeof createTurns> } {
  const { world, seed, agenda } = setting;
  const run: Omit<LabRun, 'seed' | 'draw'> = {
    world,
    agenda,
    startedAtEpochMs: STARTED_AT,
    now: () => agenda.now(),
    setTimer: (delayMs, fire) => agenda.at(agenda.now() + delayMs, fire),
    clearTimer: (handle) => agenda.cancel(handle),
    tool: (name) => toolOf(world, name),
    send: createSender(setting),
  };
  const processes = startProcesses(run, contender, seed);
  return { processes, turns: createTurns(setting) };
}

/** Runs a contender in a world from one seed, to the end. */
export function simulate(world: World, contender: Contender, seed: string, options: SimulationOptions = {}): RunMetrics {
  const simulation = startSimulation(world, contender, seed, options);
  while (simulation.step());
  return simulation.metrics();
}
