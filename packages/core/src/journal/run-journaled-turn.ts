import type { ToolExecutionService } from '../service/tool-execution-service.ts';
import type { TurnPlan } from '../turn/plan.ts';
import type { TurnReport } from '../turn/report.ts';
import type { TraceEvent } from '../trace/events.ts';
import type { TurnJournal } from './turn-journal.ts';

export interface JournaledTurn {
  /** Whose tools, circuits and settings: the worker's. */
  readonly service: ToolExecutionService;
  readonly turnId: string;
  readonly plan: TurnPlan;
  readonly journal: TurnJournal;
  /** Names this run of the turn over all its processes: idempotency keys begin with it. @default the turn id */
  readonly executionId?: string;
}

export interface JournaledTurnResult extends TurnReport {
  /** The trace so far. */
  readonly trace: readonly TraceEvent[];
  /** Why the plan cannot be run. */
  readonly problems?: readonly string[];
}

/** Runs a turn whose every input is journaled, so that another process can go on with it. Never rejects for what a tool does; rejects when the journal does. */
export function runJournaledTurn(_turn: JournaledTurn): Promise<JournaledTurnResult> {
  throw new Error('to be written');
}
