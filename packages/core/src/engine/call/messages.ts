/**
 * Owns the messages of a failed result: one for the user, and advice for the model. Does not own technical messages (`fault.ts`).
 */
import { formatDuration } from '../plain/duration.ts';
import { joinWithAnd, toolTitle } from '../plain/tool-title.ts';
import type { Fault } from './fault.ts';

/** By code; `{tool}` is the tool's title. */
const userMessages: Readonly<Record<string, string>> = {
  NETWORK_ERROR: 'The {tool} service could not be reached.',
  TIMEOUT: 'The {tool} tool did not respond in time.',
  TOOL_TIMEOUT: 'The {tool} tool did not respond in time.',
  TURN_DEADLINE: 'Time ran out before the {tool} tool finished.',
  RATE_LIMITED: 'The {tool} service is busy right now. Please try again in a moment.',
  SERVICE_UNAVAILABLE: 'The {tool} service is temporarily unavailable.',
  CIRCUIT_OPEN: 'The {tool} service is temporarily unavailable.',
  BULKHEAD_FULL: 'Too many requests are using the {tool} tool right now.',
  RETRY_BUDGET_EXHAUSTED: 'The {tool} service is not responding reliably right now.',
  AUTHENTICATION_FAILED: 'The {tool} tool could not sign in to its service.',
  PERMISSION_DENIED: 'The {tool} tool is not allowed to do this.',
  NOT_FOUND: 'The {tool} tool could not find what was requested.',
  INVALID_INPUT: 'The {tool} tool could not process this request.',
  INVALID_ARGUMENTS: 'The {tool} tool could not process this request.',
  CONFLICT: 'The {tool} tool could not finish because something changed in the meantime.',
  UNSUPPORTED_OPERATION: 'The {tool} tool does not support this operation.',
  PAYLOAD_TOO_LARGE: 'The request was too large for the {tool} tool.',
  QUOTA_EXHAUSTED: 'The {tool} tool has used up its quota.',
  INVALID_RESPONSE: 'The {tool} tool returned an unusable response.',
  INVALID_OUTPUT: 'The {tool} tool returned an unusable response.',
  RESOURCE_EXHAUSTED: 'The {tool} tool ran out of resources.',
  UNKNOWN_TOOL: 'The requested tool does not exist.',
  TOOL_DISABLED: 'The {tool} tool is disabled.',
  CANCELLED: 'The {tool} call was cancelled.',
  DEPENDENCY_FAILED: 'The {tool} tool was not run because a step it depends on failed.',
};

/** Friendly and safe to show: contains nothing of the technical message. */
export function userMessageFor(code: string, toolName: string): string {
  if (toolName === '') return 'The request could not be completed.';
  return (userMessages[code] ?? 'The {tool} tool failed unexpectedly.').replace('{tool}', toolTitle(toolName));
}

interface AdviceDetails {
  readonly toolName: string;
  readonly alternatives?: readonly string[];
  readonly unsafe?: boolean;
  readonly waitedMs?: number;
  readonly attempts?: number;
}

/** What to do next, for a model that reads the result. */
export function adviceFor(fault: Fault, retryAfterMs: number | undefined, details: AdviceDetails): string {
  const advice = nextStep(fault, retryAfterMs, details);
  const { waitedMs = 0, toolName } = details;
  return waitedMs > 0 ? `${advice} This call already waited ${formatDuration(waitedMs)} for ${toolName} to recover.` : advice;
}

function nextStep(fault: Fault, retryAfterMs: number | undefined, details: AdviceDetails): string {
  const { toolName, alternatives = [], unsafe, attempts = 0 } = details;
  const { classification, ambiguous } = fault.classification;
  const instead =
    alternatives.length > 0
      ? ` Use ${joinWithAnd(alternatives, 'or')} instead, or continue without it.`
      : ' Continue without it, or tell the user.';
  if (ambiguous && unsafe) return `The action of ${toolName} may have happened. Verify before you call it again.`;
  if (fault.code === 'CIRCUIT_OPEN')
    return `Do not call ${toolName} again${retryAfterMs === undefined ? '' : ` for ${formatDuration(retryAfterMs)}`}: it is failing.${instead}`;
  if (retryAfterMs !== undefined) return `Do not call ${toolName} again for ${formatDuration(retryAfterMs)}.${instead}`;
  if (fault.code === 'INVALID_ARGUMENTS' || fault.code === 'INVALID_INPUT')
    return `Correct the arguments of ${toolName} as the error says and call it again.`;
  if (fault.code === 'UNKNOWN_TOOL') return 'Call only tools from the list you were given.';
  if (fault.code === 'DEPENDENCY_FAILED') return `Get what ${toolName} depends on first.`;
  if (fault.code === 'CANCELLED') return 'Do not call it again unless you are asked to.';
  if (fault.code === 'TURN_DEADLINE') return `Time ran out for ${toolName}. Continue with what you have, or call it again in a new turn.`;
  if (toolName === '') return 'Name the tool and its arguments, and call it again.';
  if (classification === 'permanent') return `The same call of ${toolName} will fail again.${instead}`;
  if (classification === 'neutral') return `${toolName} was not run.${instead}`;
  return `${toolName} ${attempts > 1 ? `still failed after ${attempts} attempts` : 'failed'}.${instead}`;
}
