/** Owns the table of a turn file. */
import { anything, boolean, field, textOfForm, identifier, list, map, record, type RecordShape } from '../shape/shape.ts';
import { policyShape, turnFields } from './policy.ts';

const call: RecordShape = record(
  'call',
  field('call_id', identifier, 'Unique in the turn.', { required: true, otherNames: ['id'] }),
  field('tool_id', identifier, "The tool's id.", { required: true, property: 'toolName', otherNames: ['tool', 'tool_name', 'name'] }),
  field('arguments', anything, "Any JSON value. `{ $from: <call id>, path: 'a.b.0' }` is replaced by that part of another call's output.", {
    default: {},
    otherNames: ['args', 'input', 'params', 'parameters'],
  }),
  field('depends_on', list(identifier), 'Calls that must succeed first. Calls in `$from` count too.', {
    default: [],
  }),
  field('optional', boolean, 'Skipped, not escalated, when a dependency has failed.', { default: false }),
  field('critical', boolean, 'The turn escalates when this call cannot run.', { default: false }),
  field('defaults', map(anything), 'By dependency: the value that replaces its output if it fails.'),
  field('policy', policyShape, "Settings of this call; they override the tool's."),
);

/** Clients resolve `.` and `..` in an address, so such a turn could not be requested. */
const turnId = textOfForm(String.raw`^(?!\.{1,2}$)`, "a string other than '.' and '..', which cannot be part of a URL");

export const turnFileShape: RecordShape = record(
  'turn_file',
  field('turn_id', turnId, "The turn's id in the trace.", { default: 'a new one', otherNames: ['id'] }),
  ...turnFields,
  field('calls', { ...list(call), filled: true }, 'The calls.', { required: true }),
);
