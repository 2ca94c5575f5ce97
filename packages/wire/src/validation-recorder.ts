/** Owns the option `service`: where failed validations are recorded, so that metrics and alerts count them. */
import type { ToolExecutionService } from '@holdfast/core';
import { refuse, type Rule } from '@holdfast/core/internal/plain';

/** Records failed validations: a `ToolExecutionService`. */
export type ValidationRecorder = Pick<ToolExecutionService, 'recordValidationFailure'>;

export const recorderRule: Rule = (value, field) => {
  if (typeof (value as Partial<ValidationRecorder> | null)?.recordValidationFailure === 'function') return;
  refuse(field, value, 'a ToolExecutionService', 'object');
};
