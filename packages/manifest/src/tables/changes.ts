/** Owns the table of settings to try on a recorded turn. */
import { field, map, record, type RecordShape } from '../shape/shape.ts';
import { policyShape, turnShape } from './policy.ts';

export const changesShape: RecordShape = record(
  'changes',
  field('policy', policyShape, 'Overrides the recorded settings of every tool.'),
  field('tools', map(policyShape), 'By tool; overrides its recorded settings.'),
  field('turn', turnShape, 'Overrides the recorded settings of the turn.'),
);
