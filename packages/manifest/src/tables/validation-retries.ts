/** Owns the table of `validation_retries` of a tool. Its units are those of the specification: seconds. */
import { retryPolicyDefaults } from '@holdfast/core/agent';
import { boolean, choice, count, either, field, list, none, record, text, type NumberShape, type RecordShape } from '../shape/shape.ts';

const seconds: NumberShape = { kind: 'number', minimum: 0 };

const backoff: RecordShape = record(
  'validation_backoff',
  field('strategy', choice('constant_backoff', 'linear_backoff', 'exponential_backoff'), 'How the delay grows from attempt to attempt.', {
    default: 'constant_backoff',
  }),
  field('base_seconds', seconds, 'The delay before the second attempt.', { required: true }),
  field('step_seconds', seconds, 'For `linear_backoff`: added to each delay.', { default: 0 }),
  field('factor', seconds, 'For `exponential_backoff`: the factor from one delay to the next.', { default: 2 }),
);

export const validationRetriesShape: RecordShape = record(
  'validation_retries',
  field('max_attempts', count(1), 'All attempts of the model, including the first.', { default: retryPolicyDefaults.maxAttempts }),
  field('backoff', backoff, 'The delay before a further attempt.', { default: 'no delay' }),
  field('retryable_errors', list(text), 'Names of errors that the model may correct.', {
    default: retryPolicyDefaults.retryableErrors.map(String),
  }),
  field('emit_feedback', boolean, 'Whether the answer states the number of attempts, and the session keeps feedback.', {
    default: retryPolicyDefaults.emitFeedback,
  }),
  field(
    'time_budget_seconds',
    either(seconds, none),
    'No further attempt begins later than this after the first failure. `null`: no limit.',
    {
      default: retryPolicyDefaults.timeBudgetSeconds,
    },
  ),
);
