/** Owns the outcome of a call in the metrics. */
import type { CallCompleted } from '../../engine/trace/events.ts';
import type { CallOutcome } from './metric-values.ts';

/** Invalid arguments, unknown tools and failed dependencies are not failures of the tool and are not counted as such. */
export function callOutcomeOf(completed: CallCompleted): CallOutcome {
  return completed.status === 'success' ? 'success' : failureOutcomeOf(completed);
}

function failureOutcomeOf({ status, code, skipped, attempts, classification }: CallCompleted): CallOutcome {
  if (skipped) return 'skipped';
  if (code === 'CANCELLED') return 'cancelled';
  if (status === 'timeout') return attempts === 0 ? 'unstarted' : 'timeout';
  if (attempts > 0 || code === 'INTERNAL_ERROR') return 'error';
  return classification === 'permanent' ? 'rejected' : 'refused';
}
