/** Owns the table of a classification rule. */
import { errorCategories } from '@holdfast/core';
import { type ChoiceShape, choice, field, type NumberShape, oneOrMore, record, type RecordShape, regex, text } from '../shape/shape.ts';

export const category: ChoiceShape = choice(...errorCategories);
const status: NumberShape = { kind: 'number', integer: true, minimum: 100, maximum: 599 };

export const classificationRule: RecordShape = record(
  'classification',
  field('status', oneOrMore(status), 'The HTTP status, also if only the message has it.'),
  field('code', text, 'The code of the library, service or system, compared exactly.'),
  field('name', text, 'The name of the error, or of its class.'),
  field('message', regex, "Searched in the error's messages, ignoring case."),
  field('category', category, 'The kind of failure.', { default: 'the category without the rule' }),
  field('as', choice('transient', 'permanent'), 'The classification of the failure.', { required: true }),
);
