/** Owns the table of settings to try on a recorded turn. */
import { field, map, record, type RecordShape } from '../shape/shape.ts';
import { policyShape, turnShape } from './policy.ts';

export const changesShape: RecordShape = record(
  'changes',
  field('policy', policyShape, 'Over the recorded settings of every tool.'),
  field('tools', map(policyShape), 'By tool, over its recorded settings.'),
  field('turn', turnShape, 'Over the recorded settings of the turn.'),
);
