/** Owns the interface of a policy under test. */
import type { Agenda } from '@holdfast/core/internal';
import type { TimerHandle } from '@holdfast/core';
import type { World, WorldTool } from '../world/world.ts';

/** A policy under test. One is started per run; it knows nothing of the faults. */
export interface Contender {
  readonly name: string;
  /** One line for tables. */
  readonly description?: string;
  start(run: LabRun): LabClient;
}

/** What all agents of the world share: breakers, budgets and limits belong to it. */
export interface LabClient {
  /** Runs a turn and calls `done` once. After `deadlineAt` nothing waits for it. */
  turn(turn: LabTurn, done: (result: LabTurnResult) => void): void;
  /** Figures of its own for the report. */
  readonly notes?: () => Readonly<Record<string, number>>;
}

export interface LabTurn {
  readonly id: string;
  readonly startedAt: number;
  readonly deadlineAt: number;
  /** In the order of the plan. */
  readonly calls: readonly LabCall[];
  /** The same object for all turns of one plan. */
  readonly plan: LabPlan;
}

export interface LabPlan {
  readonly calls: readonly PlannedLabCall[];
  readonly deadlineMs: number;
}

export interface PlannedLabCall {
  readonly id: string;
  readonly toolName: string;
  readonly dependsOn: readonly string[];
  readonly optional: boolean;
  readonly critical: boolean;
}

/** A call of one turn; requests are sent for it. */
export interface LabCall {
  readonly plan: PlannedLabCall;
  /** Identifies the call within the run; the same for every contender. */
  readonly key: number;
}

export interface LabTurnResult {
  /** Whether each call succeeded, in the order of the plan. */
  readonly succeeded: readonly boolean[];
}

export interface LabRun {
  readonly world: World;
  readonly seed: string;
  readonly agenda: Agenda;
  /** Wall clock at 0, milliseconds since 1970. */
  readonly startedAtEpochMs: number;
  now(): number;
  setTimer(delayMs: number, fire: () => void): TimerHandle;
  clearTimer(handle: TimerHandle): void;
  tool(name: string): Required<Omit<WorldTool, 'latency'>>;
  /**
   * Sends a request for a call to a tool: its own or an alternative. `settle` is called at most once, asynchronously. The returned function closes the
   * connection: no answer arrives any more, but the service still works on the request.
   */
  send(call: LabCall, toolName: string, settle: (answer: Answer) => void): () => void;
  /** A number in [0, 1) from the contender's own stream. */
  draw(...keys: readonly string[]): number;
}

export type Answer = { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly error: ServiceError };

/** As HTTP clients throw it. */
export interface ServiceError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}
