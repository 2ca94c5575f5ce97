/**
 * Owns the messages of a failed result: one for the user, and advice for the model. Does not own technical messages (`fault.ts`).
 */
import { formatDuration } from '../plain/duration.ts';
import { joinWithAnd, toolTitle } from '../plain/tool-title.ts';
import type { Effect } from '../recover/decision.ts';
import type { Fault } from './fault.ts';
import { isUnknown } from './unknown-failure.ts';

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
  LOGIN_REQUIRED: 'The {tool} tool needs a login.',
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

/** Friendly and safe to show: contains nothing of the technical message. `otherwise` is for a code without words of its own. */
export function userMessageFor(code: string, toolName: string, otherwise = 'The {tool} tool failed unexpectedly.'): string {
  if (toolName === '') return 'The request could not be completed.';
  return (userMessages[code] ?? otherwise).replace('{tool}', toolTitle(toolName));
}

/** A tool that may have had its effect. */
export interface StartedTool {
  readonly toolName: string;
  /** How often it was started for the call. */
  readonly times: number;
  /** The declared effect, or the assumed one. */
  readonly effect: Effect | undefined;
}

interface AdviceDetails {
  readonly toolName: string;
  readonly alternatives?: readonly string[];
  readonly started?: readonly StartedTool[];
  readonly waitedMs?: number;
  /** Attempts of the requested tool. */
  readonly attempts?: number;
}

/** What to do next, for a model that reads the result. */
export function adviceFor(fault: Fault, retryAfterMs: number | undefined, details: AdviceDetails): string {
  const { waitedMs = 0, toolName, started = [] } = details;
  const happened = started.filter(({ effect }) => effect !== 'read');
  const advice = happened.length > 0 ? checkFirst(fault, retryAfterMs, happened) : nextStep(fault, retryAfterMs, details);
  return waitedMs > 0 ? `${advice} This call already waited ${formatDuration(waitedMs)} for ${toolName} to recover.` : advice;
}

const timesInWords: readonly string[] = ['', 'once', 'twice'];

function checkFirst({ code }: Fault, retryAfterMs: number | undefined, started: readonly StartedTool[]): string {
  const happened = started
    .map(({ toolName, times }) => `${toolName} was started ${timesInWords[times] ?? `${times} times`} and may have taken effect.`)
    .join(' ');
  const wait = retryAfterMs === undefined ? '' : `, in ${formatDuration(retryAfterMs)} at the earliest`;
  const isRepeatable = started.every(({ effect }) => effect === 'idempotent');
  const next = isRepeatable ? `It is safe to call it again with the same arguments${wait}.` : `Check before you call it again${wait}.`;
  return `${happened} ${code === 'CANCELLED' ? notUnlessAsked : next}`;
}

const notUnlessAsked = 'Do not call it again unless you are asked to.';

function nextStep(fault: Fault, retryAfterMs: number | undefined, details: AdviceDetails): string {
  const { toolName, alternatives = [], attempts = 0 } = details;
  const { classification } = fault.classification;
  const instead =
    alternatives.length > 0
      ? ` Use ${joinWithAnd(alternatives, 'or')} instead, or continue without it.`
      : ' Continue without it, or tell the user.';
  if (fault.code === 'CIRCUIT_OPEN')
    return `Do not call ${toolName} again${retryAfterMs === undefined ? '' : ` for ${formatDuration(retryAfterMs)}`}: it is failing.${instead}`;
  if (retryAfterMs !== undefined) return `Do not call ${toolName} again for ${formatDuration(retryAfterMs)}.${instead}`;
  if (fault.code === 'INVALID_ARGUMENTS' || fault.code === 'INVALID_INPUT')
    return `Correct the arguments of ${toolName} as the error says and call it again.`;
  if (fault.code === 'UNKNOWN_TOOL') return 'Call only tools from the list you were given.';
  if (fault.code === 'DEPENDENCY_FAILED') return `Get what ${toolName} depends on first.`;
  if (fault.code === 'CANCELLED') return notUnlessAsked;
  if (fault.code === 'TURN_DEADLINE') return `Time ran out for ${toolName}. Continue with what you have, or call it again in a new turn.`;
  if (toolName === '') return 'Name the tool and its arguments, and call it again.';
  if (classification === 'permanent' && !isUnknown(fault.classification)) return `The same call of ${toolName} will fail again.${instead}`;
  if (classification === 'neutral') return `${toolName} was not run.${instead}`;
  return `${toolName} ${attempts > 1 ? `still failed after ${attempts} attempts` : 'failed'}.${instead}`;
}
