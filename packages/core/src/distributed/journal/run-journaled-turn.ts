/** Owns running a turn on a journal, from its plan to its report. */
import { checkOptions } from '../../engine/settings/check-options.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { readTurn } from '../../runtime/service/read-turn.ts';
import { internalsOf } from '../../runtime/service/internals.ts';
import { contextFor } from '../../runtime/service/partitions.ts';
import type { ToolExecutionService, TurnResult } from '../../runtime/service/tool-execution-service.ts';
import type { TurnPlan } from '../../engine/turn/plan.ts';
import { JournaledRun } from './journaled-run.ts';
import type { TurnJournal } from './turn-journal.ts';

/** Options of `runJournaledTurn`: a turn, and the journal to run it on. */
export interface JournaledTurn {
  /** The service of this process, with its tools, circuits, listeners and store. */
  readonly service: ToolExecutionService;
  /** The same in every process of the turn. */
  readonly turnId: string;
  /** Calls and settings of the turn; the same in every process of the turn. */
  readonly plan: TurnPlan;
  /** The journal of this turn. */
  readonly journal: TurnJournal;
  /** Identifies this run of the turn in all its processes: idempotency keys start with it, and stores identify the run by it. @default the turn's id */
  readonly executionId?: string;
}

const journaledFields: Fields = {
  service: (value, field) => void internalsOf(value, field),
  turnId: 'string',
  plan: 'object',
  journal: 'object',
  executionId: 'string',
};

/**
 * Runs a turn with every input journaled, so that another process can continue it with the settings of its start. Resolves once the journal has every input that
 * the report follows from. Rejects when the journal rejects, and when it has entries that this turn cannot have produced; running attempts are then aborted.
 *
 * @throws TypeError for an invalid option, and when `service` was not created by this copy of the package
 */
export async function runJournaledTurn(options: JournaledTurn): Promise<TurnResult> {
  checkOptions(journaledFields, options, 'runJournaledTurn', ['service', 'turnId', 'plan', 'journal']);
  const { service, turnId, plan, journal, executionId = turnId } = options;
  const context = internalsOf(service, 'runJournaledTurn.service');
  const read = readTurn(context, { ...plan, turnId });
  if (!read.ok) return read.turn;
  const { graph, settings } = read;
  const run = new JournaledRun(contextFor(context, turnId), { turnId, graph, settings, executionId, journal });
  try {
    run.begin();
    while (!run.report) run.take(await journal.next());
    return { ...run.report, trace: run.trace };
  } catch (error) {
    run.abandon();
    throw error;
  }
}
