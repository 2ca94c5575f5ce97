/** Owns the table of a policy file: the policies of a manifest. */
import { choice, field, identifier, list, record, type RecordShape } from '../shape/shape.ts';
import { memory, recoveryRule, version } from './manifest.ts';
import { policyFields, policyShape, recoveryFields, turnShape } from './policy.ts';

const toolShape: RecordShape = record(
  'policy_of_tool',
  field('id', identifier, "The tool's name.", { required: true, property: 'name' }),
  ...policyFields,
  ...recoveryFields,
);

export const policyFileShape: RecordShape = record(
  'policy_file',
  version,
  field('profile', choice('spec', 'service', 'adaptive'), 'The profile with the initial values of all settings.', {
    default: 'spec in the lab; in a what-if, the recorded settings',
  }),
  memory,
  field('defaults', policyShape, 'Settings of all tools.', { default: {} }),
  field('tools', list(toolShape), 'Settings of some tools; they override `defaults`.', { default: [] }),
  field('turn', turnShape, 'Settings of turns.', { default: {} }),
  field('recovery_rules', list(recoveryRule), 'Rules that allow, deny or prefer a strategy.', {
    default: [],
    otherNames: ['policies', 'rules'],
  }),
);
