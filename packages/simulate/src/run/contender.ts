/** Owns the interface of a policy under test. */
import type { Agenda } from '@holdfast/core/internal';
import type { TimerHandle } from '@holdfast/core';
import type { World, WorldTool } from '../world/world.ts';

/** A policy under test. One is started per process of the world; it knows nothing of the faults. */
export interface Contender {
  /** Name of the contender in tables. Unique in a comparison. */
  readonly name: string;
  /** One line for tables. */
  readonly description?: string;
  /** One client serves all processes of a world: for contenders that know the future. @default false */
  readonly sharesProcesses?: boolean;
  /** Starts the contender for one process of a run. */
  start(run: LabRun): LabClient;
}

/** What all agents of one process share: breakers, budgets and limits belong to it. */
export interface LabClient {
  /** Runs a turn and calls `done` once. After `deadlineAt` nothing waits for it. */
  turn(turn: LabTurn, done: (result: LabTurnResult) => void): void;
  /** Figures of its own for the report. */
  readonly notes?: () => Readonly<Record<string, number>>;
}

/** One turn that an agent begins. Times are milliseconds since the run began. */
export interface LabTurn {
  /** Id of the turn, the same for every contender. */
  readonly id: string;
  /** When the turn began. */
  readonly startedAt: number;
  /** When the agent stops waiting for the turn. */
  readonly deadlineAt: number;
  /** In the order of the plan. */
  readonly calls: readonly LabCall[];
  /** The same object for all turns of one plan. */
  readonly plan: LabPlan;
}

/** The plan of all turns of one group of agents. */
export interface LabPlan {
  /** The calls, in the order of the world. */
  readonly calls: readonly PlannedLabCall[];
  /** Milliseconds from the start of a turn to its deadline. */
  readonly deadlineMs: number;
}

/** One call of a plan. */
export interface PlannedLabCall {
  /** Id of the call, unique within the plan. */
  readonly id: string;
  /** Name of the tool to call. */
  readonly toolName: string;
  /** Ids of the calls whose outputs this call needs. */
  readonly dependsOn: readonly string[];
  /** Whether the turn can succeed without the call. */
  readonly optional: boolean;
  /** Whether the turn is worth nothing without the call. */
  readonly critical: boolean;
}

/** A call of one turn; requests are sent for it. */
export interface LabCall {
  /** The call as planned. */
  readonly plan: PlannedLabCall;
  /** Identifies the call within the run; the same for every contender. */
  readonly key: number;
}

/** What a contender reports at the end of a turn. */
export interface LabTurnResult {
  /** Whether each call succeeded, in the order of the plan. */
  readonly succeeded: readonly boolean[];
}

/** One process of a run as a contender sees it: simulated time, and a way to send requests. */
export interface LabRun {
  /** The world, its faults included; a fair contender reads its tools only. */
  readonly world: World;
  /** Seed of the process; the run's own in the first. */
  readonly seed: string;
  /** The tasks of the simulated time, for contenders that drive an engine of their own. */
  readonly agenda: Agenda;
  /** Wall clock at 0, milliseconds since 1970. */
  readonly startedAtEpochMs: number;
  /** Returns the milliseconds of simulated time since the run began. */
  now(): number;
  /** Calls `fire` once after a delay in milliseconds of simulated time. */
  setTimer(delayMs: number, fire: () => void): TimerHandle;
  /** Cancels a timer. Does nothing for one that has fired. */
  clearTimer(handle: TimerHandle): void;
  /**
   * Returns a tool of the world with its defaults filled in.
   * @throws RangeError when the world has no such tool.
   */
  tool(name: string): Required<Omit<WorldTool, 'latency'>>;
  /**
   * Sends a request for a call to a tool: its own or an alternative. `settle` is called at most once, asynchronously. The returned function closes the
   * connection: no answer arrives any more, but the service still works on the request.
   */
  send(call: LabCall, toolName: string, settle: (answer: Answer) => void): () => void;
  /** A number in [0, 1) from the process' own stream. */
  draw(...keys: readonly string[]): number;
}

/** What a service answers to a request. A request without an answer never settles. */
export type Answer = { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly error: ServiceError };

/** As HTTP clients throw it. */
export interface ServiceError extends Error {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Headers of the answer, names in lower case, such as `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;
}
