/** Describes an event of the loop between a model and its tools as a sentence without its subject. */
import type { AgentEventBody, ValidationProblem } from '@holdfast/core/trace';
import { list, records, text, texts, time, word } from '@holdfast/core/internal';
import { pluralize, formatDuration } from '../text/format.ts';

/** More of them would fill the screen; `--output json` has all. */
const shownParts = 3;

export function describeAgentEvent(event: AgentEventBody): string {
  switch (event.event_type) {
    case 'ArgumentsRepaired':
      return `arguments repaired: ${joinSome(texts(event.repairs))}`;
    case 'ValidationRetryScheduled':
      return `${subjectOf(event)}attempt ${word(event.attempt)} of ${word(event.max_attempts)} failed validation: ${text(event.error)}, the model may retry${time(event.delay_ms) === 0 ? '' : ` in ${formatDuration(event.delay_ms)}`}`;
    case 'ValidationRetryExhausted':
      return `${subjectOf(event)}still invalid after ${pluralize(time(event.attempt), 'attempt')}: ${text(event.error)}, stopped by ${text(event.stopped_by).replaceAll('_', ' ')}`;
    case 'ValidationRecovered':
      return `${subjectOf(event)}valid on attempt ${word(event.attempts)}`;
    case 'AgentCallRefused':
      return `not called: ${text(event.code)}, ${text(event.error)}`;
    case 'AgentRunStopped':
      return `agent run stopped: ${text(event.message)}`;
    case 'ReducerFailed':
      return `reducer ${text(event.reducer)} failed: ${text(event.error)}`;
    case 'TranscriptRepaired': {
      const places = records(event.changes).map(({ rule, path }) => `${word(rule)} at ${word(path)}`);
      return `transcript repaired (${formatOf(event)}): ${pluralize(list(event.changes).length, 'change')}: ${joinSome(places)}`;
    }
    case 'ResponseValidationFailed':
      return `${text(event.message)}${event.format === undefined ? '' : ` (${formatOf(event)})`}: ${joinSome(records(event.problems).map(describeProblem))}`;
  }
}

/** `messages[2]: No result for call 'a'. (result-missing)` */
const describeProblem = ({ rule, path, message }: Partial<ValidationProblem>): string =>
  `${text(path) === '' ? '' : `${text(path)}: `}${text(message)} (${text(rule)})`;

/** The events of a structured output have no call. */
const subjectOf = ({ source }: { readonly source?: string }): string => (source === 'structured_output' ? 'structured output: ' : '');

const formatOf = ({ format, profile }: { readonly format?: string; readonly profile?: string }): string =>
  [text(format), text(profile)].filter((part) => part !== '').join(', ');

const joinSome = (parts: readonly string[]): string =>
  [...parts.slice(0, shownParts), ...(parts.length > shownParts ? [`and ${parts.length - shownParts} more`] : [])].join('; ');
