/**
 * Owns the sentences of a failed result: one for the user, one of advice for the model. Does not own technical messages (`fault.ts`).
 */
import { sayDuration } from '../plain/duration.ts';
import { sayList, toolTitle } from '../plain/tool-title.ts';
import type { Fault } from './fault.ts';

/** By code; `{tool}` is the tool's title. */
const userMessages: Readonly<Record<string, string>> = {
  NETWORK_ERROR: 'The {tool} service could not be reached.',
  TIMEOUT: 'The {tool} tool took too long to answer.',
  TOOL_TIMEOUT: 'The {tool} tool took too long to answer.',
  TURN_DEADLINE: 'There was no time left to finish with the {tool} tool.',
  RATE_LIMITED: 'The {tool} service is busy right now. Please try again in a moment.',
  SERVICE_UNAVAILABLE: 'The {tool} service is temporarily unavailable.',
  CIRCUIT_OPEN: 'The {tool} service is temporarily unavailable.',
  BULKHEAD_FULL: 'Too many requests are using the {tool} tool right now.',
  RETRY_BUDGET_EXHAUSTED: 'The {tool} service is not answering reliably right now.',
  AUTHENTICATION_FAILED: 'The {tool} tool could not be used because its sign-in failed.',
  PERMISSION_DENIED: 'The {tool} tool is not allowed to do this.',
  NOT_FOUND: 'The {tool} tool could not find what was asked for.',
  INVALID_INPUT: 'The {tool} could not work with this request.',
  INVALID_ARGUMENTS: 'The {tool} could not work with this request.',
  CONFLICT: 'The {tool} tool could not finish because something changed in the meantime.',
  UNSUPPORTED_OPERATION: 'The {tool} tool does not support this.',
  PAYLOAD_TOO_LARGE: 'The request was too large for the {tool} tool.',
  QUOTA_EXHAUSTED: 'The quota of the {tool} tool is used up.',
  INVALID_RESPONSE: 'The {tool} tool gave an answer that could not be used.',
  INVALID_OUTPUT: 'The {tool} tool gave an answer that could not be used.',
  RESOURCE_EXHAUSTED: 'The {tool} tool ran out of resources.',
  UNKNOWN_TOOL: 'The requested tool does not exist.',
  TOOL_DISABLED: 'The {tool} tool is switched off.',
  CANCELLED: 'The {tool} call was cancelled.',
  DEPENDENCY_FAILED: 'The {tool} tool was not run because something it needs failed.',
};

/** Friendly and safe to show: nothing of the technical message is in it. */
export function userMessageFor(code: string, toolName: string): string {
  if (toolName === '') return 'The request could not be carried out.';
  return (userMessages[code] ?? 'The {tool} tool failed unexpectedly.').replace('{tool}', toolTitle(toolName));
}

interface AdviceDetails {
  readonly toolName: string;
  readonly alternatives?: readonly string[];
  readonly unsafe?: boolean;
  readonly waitedMs?: number;
}

/** What to do next, for a model that reads the result. */
export function adviceFor(fault: Fault, retryAfterMs: number | undefined, details: AdviceDetails): string {
  const advice = nextFor(fault, retryAfterMs, details);
  const { waitedMs = 0, toolName } = details;
  return waitedMs > 0 ? `${advice} This call has waited ${sayDuration(waitedMs)} for ${toolName} already.` : advice;
}

function nextFor(fault: Fault, retryAfterMs: number | undefined, { toolName, alternatives = [], unsafe }: AdviceDetails): string {
  const { classification, ambiguous } = fault.classification;
  const instead =
    alternatives.length > 0 ? ` Use ${sayList(alternatives, 'or')} instead, or go on without it.` : ' Go on without it, or tell the user.';
  if (ambiguous && unsafe) return `The action of ${toolName} may have happened. Verify before you call it again.`;
  if (fault.code === 'CIRCUIT_OPEN')
    return `Do not call ${toolName} again${retryAfterMs === undefined ? '' : ` for ${sayDuration(retryAfterMs)}`}: it is failing.${instead}`;
  if (retryAfterMs !== undefined) return `Do not call ${toolName} again for ${sayDuration(retryAfterMs)}.${instead}`;
  if (fault.code === 'INVALID_ARGUMENTS' || fault.code === 'INVALID_INPUT')
    return `Correct the arguments of ${toolName} as the message says and call it once more.`;
  if (fault.code === 'UNKNOWN_TOOL') return 'Call only tools from the list you were given.';
  if (fault.code === 'DEPENDENCY_FAILED') return `Obtain what ${toolName} needs first.`;
  if (fault.code === 'CANCELLED') return 'Do not repeat it unless you are asked to.';
  if (fault.code === 'TURN_DEADLINE')
    return `There was no time left for ${toolName}. Go on with what there is, or call it again in a new turn.`;
  if (toolName === '') return 'Name the tool and its arguments, and call it again.';
  if (classification === 'permanent') return `Repeating the same call of ${toolName} will fail again.${instead}`;
  return classification === 'neutral'
    ? `${toolName} was not run.${instead}`
    : `${toolName} failed although it was repeated where that was safe.${instead}`;
}
