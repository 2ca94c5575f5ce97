/**
 * Owns checking whether an answer of a model may be acted on.
 *
 * Invariants
 * 1. Calls of a truncated answer are never ready: the last one may be incomplete without any sign of it. An answer without a finish reason counts as truncated.
 * 2. No call is ready next to one that is incomplete, whatever the finish reason.
 * 3. Calls count regardless of whether the finish reason mentions them.
 */
import { checkOptions, listOf, type Fields } from '@holdfast/core/internal/plain';
import { formats } from '../transcript.ts';
import { parseJson } from '../arguments/parse-json.ts';
import { isRecord, isText } from '../json.ts';
import type { TranscriptFormat } from '../formats/codecs.ts';
import { RepairLog } from '../repair/repair-log.ts';
import type { RuleViolation } from '../report.ts';
import { type Finish, isComplete } from './finish-reasons.ts';
import { readResponse, type ResponseCall } from './read-response.ts';

/** What a response contains, and whether it may be acted on. */
export interface ResponseValidation {
  /** `true` if there are no problems. */
  readonly valid: boolean;
  /** Everything that is wrong with the response. */
  readonly problems: readonly RuleViolation[];
  /** Text of the response. Empty if there is none. */
  readonly text: string;
  /** Calls of the response, whether valid or not. */
  readonly calls: readonly ResponseCall[];
  /** How the response ended. */
  readonly finish: Finish;
  /** The answer was truncated, or has no finish reason: none of its calls may run. */
  readonly truncated: boolean;
  /** Whether the calls may be read and run: the answer has an end, and none of them is incomplete. */
  readonly ready: boolean;
}

/** The format of a response and the tools that were offered. */
export interface ResponseOptions {
  /** Format of the response. */
  readonly format: TranscriptFormat;
  /** Names of the offered tools; without them, unknown names are not detected. */
  readonly tools?: readonly string[] | undefined;
}

const responseFields: Fields = {
  format: formats.filter((format) => format !== 'ai-sdk-ui'),
  tools: listOf('string', 'an array of tool names'),
};

/**
 * Checks a provider's response: its form, its calls and how it ended. Never throws for a malformed response.
 * @throws TypeError | RangeError for an invalid option, naming it, its value and the fix.
 */
export function validateResponse(response: unknown, options: ResponseOptions): ResponseValidation {
  checkOptions(responseFields, options, 'validateResponse', ['format']);
  const { format, tools } = options;
  const log = new RepairLog();
  const { text, calls, finish, reason, hasContent } = readResponse(response, format);
  const cutOff = finish === 'cut-off';
  if (!isRecord(response)) log.problem('response-shape', '', 'The response is not an object.');
  else if (finish === 'fault') log.problem('malformed-call', '', `The provider could not parse the model's output: ${reason ?? ''}.`);
  else if (!hasContent && finish !== 'filtered' && finish !== 'stop') log.problem('response-shape', '', 'The response has no content.');
  if (cutOff && calls.length > 0) log.problem('truncated', '', `The response was cut off (${reason ?? ''}); none of its calls may run.`);
  if (finish === 'none' && calls.length > 0)
    log.problem('finish-reason', '', 'The response has no finish reason, so it may be incomplete; none of its calls may run.');
  if (finish === 'calls' && calls.length === 0)
    log.problem('finish-reason', '', 'The finish reason is tool calls, but the response has none.');
  checkCalls(calls, cutOff, tools, log);
  const { problems } = log;
  const truncated = cutOff || (finish === 'none' && calls.length > 0);
  const ready = calls.length > 0 && isComplete(finish) && !calls.some((call) => call.truncated);
  return { valid: problems.length === 0, problems, text, calls, finish, truncated, ready };
}

function checkCalls(calls: readonly ResponseCall[], cutOff: boolean, tools: readonly string[] | undefined, log: RepairLog): void {
  const known = tools && new Set(tools);
  const ids = new Set<string>();
  for (const { callId, toolName, arguments: given, path, truncated } of calls) {
    if (toolName === undefined || toolName === '') log.problem('malformed-call', path, 'A call has no tool name.');
    else if (known && !known.has(toolName)) log.problem('unknown-tool', path, `The called tool '${toolName}' was not offered.`);
    if (callId !== undefined && ids.has(callId)) log.problem('call-id-duplicate', path, `The call id '${callId}' occurs twice.`, 'model');
    if (callId !== undefined) ids.add(callId);
    if (cutOff) continue;
    if (truncated) log.problem('truncated', path, `The call of '${toolName ?? ''}' was cut off and must not run.`);
    else if (!isReadable(given)) log.problem('malformed-call', path, `The arguments of '${toolName ?? ''}' are not an object.`);
  }
}

/** Whether arguments are an object, the JSON text of one, or absent. */
function isReadable(given: unknown): boolean {
  if (given === undefined || given === null || isRecord(given)) return true;
  return isText(given) && (given.trim() === '' || isRecord(parseJson(given)?.value));
}
