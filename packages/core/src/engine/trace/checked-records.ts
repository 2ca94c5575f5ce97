/** Owns the check of what `recordDecision` and `recordInputs` are given outside of the engine. */
import type { RecordedDecision, RecordedDecisionInputs } from './events.ts';
import type { Decision, DecisionInputs } from '../recover/decision.ts';
import * as records from '../recover/decision-record.ts';
import { arrayRule, checkShape } from '../settings/check.ts';

/** Returns the inputs of a decision as an event records them. @throws TypeError for inputs that cannot be read */
export function recordInputs(inputs: DecisionInputs): RecordedDecisionInputs {
  checkShape(
    { toolName: 'string', alternatives: arrayRule, recoveryRules: arrayRule, evidence: arrayRule },
    inputs,
    'recordInputs: inputs',
  );
  return records.recordInputs(inputs);
}

/** Returns a decision as an event records it. @throws TypeError for a decision that cannot be read */
export function recordDecision(decision: Decision): RecordedDecision {
  checkShape({ action: 'string', guards: arrayRule }, decision, 'recordDecision: decision');
  return records.recordDecision(decision);
}
