/** Owns running a turn over a journal, from its plan to its report. */
import { readTurn } from '../../runtime/service/read-turn.ts';
import { internalsOf } from '../../runtime/service/internals.ts';
import type { ToolExecutionService, TurnResult } from '../../runtime/service/tool-execution-service.ts';
import type { TurnPlan } from '../../engine/turn/plan.ts';
import { JournaledRun } from './journaled-run.ts';
import type { TurnJournal } from './turn-journal.ts';

/** What `runJournaledTurn` runs: a turn, and the journal to run it on. */
export interface JournaledTurn {
  /** Whose tools, circuits, listeners and store: this process's. */
  readonly service: ToolExecutionService;
  /** The same for every process of the turn. */
  readonly turnId: string;
  /** Calls and settings of the turn; the same for every process of the turn. */
  readonly plan: TurnPlan;
  /** The journal of this turn. */
  readonly journal: TurnJournal;
  /** Names this run of the turn for all its processes: idempotency keys begin with it, and stores know it by it. @default the turn's id */
  readonly executionId?: string;
}

/**
 * Runs a turn whose every input is journaled, so that another process can continue with it: the settings of its start hold to its end. Answers once the journal
 * has all that the report follows from. Rejects when the journal does, and when it holds what this turn cannot have led to; what runs here is told to stop then.
 *
 * @throws TypeError when `service` is none of this copy of the package.
 */
export async function runJournaledTurn({ service, turnId, plan, journal, executionId = turnId }: JournaledTurn): Promise<TurnResult> {
  const context = internalsOf(service, 'runJournaledTurn');
  const read = readTurn(context, { ...plan, turnId });
  if (!read.ok) return read.turn;
  const { graph, settings } = read;
  const run = new JournaledRun(context, { turnId, graph, settings, executionId, journal });
  try {
    run.begin();
    while (!run.report) run.take(await journal.next());
    return { ...run.report, trace: run.trace };
  } catch (error) {
    run.abandon();
    throw error;
  }
}
