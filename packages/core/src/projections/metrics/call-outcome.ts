/** Owns what the metrics call the end of a call. */
import type { CallCompleted } from '../../engine/trace/events.ts';
import type { CallOutcome } from './metric-values.ts';

/** Arguments that a model got wrong, tools that are not there and lost dependencies are no failures of the tool, and not counted as such. */
export function callOutcomeOf(completed: CallCompleted): CallOutcome {
  return completed.status === 'success' ? 'success' : lostOutcomeOf(completed);
}

function lostOutcomeOf({ status, code, skipped, attempts, classification }: CallCompleted): CallOutcome {
  if (skipped) return 'skipped';
  if (code === 'CANCELLED') return 'cancelled';
  if (status === 'timeout') return attempts === 0 ? 'unstarted' : 'timeout';
  if (attempts > 0 || code === 'INTERNAL_ERROR') return 'error';
  return classification === 'permanent' ? 'rejected' : 'refused';
}
