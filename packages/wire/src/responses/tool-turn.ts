/**
 * Owns a turn in the form of the core: the model's text, its calls and their results. Checks and corrects it (docs/specification.md#s4-validation).
 *
 * Invariants
 * 1. A corrected turn has one result for each call, in call order, with the ids of the calls.
 * 2. A valid turn is returned as the same object.
 */
import { callIdOf, matchResponses, pairResults } from '@holdfast/core/internal';
import { isList, isRecord, isText, textOf, type JsonObject } from '../json.ts';
import { RepairLog } from '../repair/repair-log.ts';
import type { Change, RuleViolation } from '../report.ts';
import { sentences } from '../transcript.ts';

/** A call of a turn, in the form of the core. */
export interface ToolCallLike {
  /** Id of the call. @default `call-1`, `call-2`, … by position */
  readonly callId?: string | undefined;
  /** Name of the tool. */
  readonly toolName?: string | undefined;
  /** An object, or the text the model wrote. Not checked here. */
  readonly arguments?: unknown;
}

/** A result as returned by the engine: anything with the id of its call. */
export interface ToolResultLike {
  /** Id of the call it answers. */
  readonly callId?: string | undefined;
}

/** A model's answer and the results of its calls, in the provider-neutral form of the core. */
export interface ToolTurn {
  /** Text of the answer. */
  readonly content?: string | null | undefined;
  /** The calls the model made. */
  readonly toolCalls?: readonly ToolCallLike[] | undefined;
  /** The results: one for each call, in the order of the calls. */
  readonly toolResults?: readonly ToolResultLike[] | undefined;
}

const listOf = (value: unknown): readonly unknown[] => (isList(value) ? value : []);

const toolNameOf = (value: unknown): string | undefined => {
  const name = isRecord(value) ? (textOf(value['toolName']) ?? textOf(value['name'])) : undefined;
  return name === '' ? undefined : name;
};

export const isToolTurn = (value: unknown): value is ToolTurn => isRecord(value) && ('toolCalls' in value || 'toolResults' in value);

const statuses: readonly unknown[] = ['success', 'error', 'timeout'];

/** Everything that is wrong with a turn: its content, its calls (of `tools`, if they are given), its results, and which belongs to which. */
export function turnProblems(turn: ToolTurn, tools?: readonly string[]): readonly RuleViolation[] {
  const log = new RepairLog();
  const { content, toolCalls, toolResults } = turn;
  if (content !== undefined && content !== null && !isText(content))
    log.problem('response-shape', 'content', 'The content is not a string.');
  if (!isList(toolCalls ?? [])) log.problem('response-shape', 'toolCalls', 'The calls are not an array.');
  if (!isList(toolResults ?? [])) log.problem('response-shape', 'toolResults', 'The results are not an array.');
  const calls = listOf(toolCalls);
  const results = listOf(toolResults);
  calls.forEach((call, index) => checkCall(call, `toolCalls.${index}`, tools, log));
  results.forEach((result, index) => checkResult(result, `toolResults.${index}`, log));
  const { missing, unexpected, reordered } = matchResponses(calls, results);
  if (calls.length !== results.length) log.problem('count-mismatch', 'toolResults', `${calls.length} calls, but ${results.length} results`);
  for (const id of missing) log.problem('missing-result', 'toolResults', `No result for call '${id}'`);
  for (const id of unexpected) log.problem('orphan-result', 'toolResults', `The result '${id}' has no matching call`);
  if (reordered) log.problem('result-place', 'toolResults', 'The results are not in the order of their calls');
  pairResults(calls, results).forEach((result, index) => {
    if (result === undefined || !isOfAnotherTool(calls[index], results[result])) return;
    log.problem(
      'result-name',
      `toolResults.${result}`,
      `The result is of '${toolNameOf(results[result]) ?? ''}', but '${toolNameOf(calls[index]) ?? ''}' was called.`,
    );
  });
  return log.problems;
}

function checkCall(call: unknown, path: string, tools: readonly string[] | undefined, log: RepairLog): void {
  const name = toolNameOf(call);
  if (name === undefined) log.problem('malformed-call', path, 'A call has no tool name.');
  else if (tools && !tools.includes(name)) log.problem('unknown-tool', path, `The called tool '${name}' was not offered.`);
  const given = isRecord(call) ? call['arguments'] : undefined;
  // Text that cannot be read is answered by an error result: the turn is complete all the same.
  if (given !== undefined && given !== null && !isRecord(given) && !isText(given))
    log.problem('malformed-call', path, `The arguments of '${name ?? ''}' are neither an object nor text.`);
}

function checkResult(result: unknown, path: string, log: RepairLog): void {
  if (!isRecord(result)) return log.problem('response-shape', path, 'A result is not an object.');
  const { status, error } = result;
  if (!statuses.includes(status))
    log.problem('response-shape', `${path}.status`, "The status of a result is none of 'success', 'error', 'timeout'.");
  else if (status !== 'success' && !isError(error))
    log.problem('response-shape', `${path}.error`, 'A result that is no success has no error with a message.');
}

const isError = (error: unknown): boolean => isRecord(error) && isText(error['message']);

const isOfAnotherTool = (call: unknown, result: unknown): boolean => {
  const [called, answered] = [toolNameOf(call), toolNameOf(result)];
  return called !== undefined && answered !== undefined && called !== answered;
};

/**
 * Corrects a turn: its incomplete data are completed, and it has one result for each call, in call order. Nothing is invented: a call without a tool is removed,
 * and a result of another tool does not become the call's.
 */
export function correctTurn<Turn extends ToolTurn>(turn: Turn): { readonly response: Turn; readonly changes: readonly Change[] } {
  const changes: Change[] = [];
  const content = correctContent(turn, changes);
  const calls = correctCalls(turn, changes);
  const toolResults = correctResults(turn, calls, changes);
  if (changes.length === 0) return { response: turn, changes };
  const corrected = {
    ...turn,
    ...(content === undefined ? {} : { content }),
    ...(turn.toolCalls === undefined ? {} : { toolCalls: calls.map(({ call }) => call) }),
    ...(toolResults.length === 0 && turn.toolResults === undefined ? {} : { toolResults }),
  };
  return { response: corrected, changes };
}

function correctContent({ content }: ToolTurn, changes: Change[]): string | undefined {
  if (content === undefined || isText(content)) return content;
  const text = typeof content === 'number' || typeof content === 'boolean' ? String(content) : '';
  changes.push({ rule: 'empty-content', action: 'edited', path: 'content', before: content, after: text });
  return text;
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

function withId(call: unknown, index: number, changes: Change[]): unknown {
  const id = callIdOf(call, index);
  // Without fields of its own the call has another id at another place.
  if (callIdOf(call, index + 1) === id) return call;
  const identified = { ...(call as JsonObject), callId: id };
  changes.push({ rule: 'call-id-missing', action: 'edited', path: `toolCalls.${index}`, before: call, after: identified });
  return identified;
}

interface KeptCall {
  readonly call: unknown;
  /** Its index in the turn as given, which counts in the ids of calls without one. */
  readonly index: number;
}

function correctCalls({ toolCalls }: ToolTurn, changes: Change[]): readonly KeptCall[] {
  if (isPresent(toolCalls) && !isList(toolCalls))
    changes.push({ rule: 'response-shape', action: 'edited', path: 'toolCalls', before: toolCalls, after: [] });
  const calls = listOf(toolCalls);
  const kept = calls.flatMap((call, index) => {
    if (toolNameOf(call) !== undefined) return [{ call, index }];
    changes.push({ rule: 'malformed-call', action: 'removed', path: `toolCalls.${index}`, before: call });
    return [];
  });
  // Ids by position would become those of other calls.
  return kept.length === calls.length ? kept : kept.map(({ call, index }) => ({ call: withId(call, index, changes), index }));
}

function correctResults({ toolCalls, toolResults }: ToolTurn, calls: readonly KeptCall[], changes: Change[]): readonly unknown[] {
  if (isPresent(toolResults) && !isList(toolResults))
    changes.push({ rule: 'response-shape', action: 'edited', path: 'toolResults', before: toolResults, after: [] });
  const results = listOf(toolResults);
  const pairs = pairResults(listOf(toolCalls), results);
  const answers = calls.map(({ call, index }) => {
    const from = pairs[index];
    return { call, id: callIdOf(call, index), from: from === undefined || isOfAnotherTool(call, results[from]) ? undefined : from };
  });
  const used = new Set(answers.map(({ from }) => from));
  results.forEach((result, index) => {
    if (!used.has(index)) changes.push({ rule: 'orphan-result', action: 'removed', path: `toolResults.${index}`, before: result });
  });
  let last = -1;
  return answers.map(({ call, id, from }, to) => {
    if (from === undefined) {
      const placeholder = missingResult(call, id);
      changes.push({ rule: 'missing-result', action: 'added', path: `toolResults.${to}`, after: placeholder });
      return placeholder;
    }
    if (from > last) last = from;
    else {
      const [before, after] = [`toolResults.${from}`, `toolResults.${to}`];
      changes.push({ rule: 'result-place', action: 'moved', path: before, before, after });
    }
    return completeResult(results[from], `toolResults.${from}`, changes);
  });
}

/** A result with a status, and with an error unless it succeeded. */
function completeResult(result: unknown, path: string, changes: Change[]): unknown {
  const given: JsonObject = isRecord(result) ? result : {};
  const { error, output } = given;
  const status = statuses.includes(given['status']) ? given['status'] : error === undefined && output !== undefined ? 'success' : 'error';
  const isComplete = status === 'success' || isError(error);
  if (isComplete && status === given['status']) return result;
  const complete = { ...given, status, ...(isComplete ? {} : { error: errorFrom(error) }) };
  changes.push({ rule: 'response-shape', action: 'edited', path, before: result, after: complete });
  return complete;
}

/** The error of a result that says nothing usable about it. */
const errorFrom = (given: unknown): JsonObject => ({
  code: 'RESULT_INCOMPLETE',
  message: isText(given) && given !== '' ? given : 'The result has no output and no error.',
  userMessage: 'A step of this request did not complete.',
  retryable: false,
});

const missingResult = (call: unknown, callId: string): ToolResultLike & JsonObject => ({
  toolName: toolNameOf(call) ?? '',
  callId,
  status: 'error',
  error: {
    code: 'RESULT_MISSING',
    message: sentences.noResult,
    userMessage: 'A step of this request did not complete.',
    retryable: false,
  },
  executionTime: 0,
});
