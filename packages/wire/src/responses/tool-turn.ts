/**
 * Owns a turn in the form of the core: the model's text, its calls and their results. Checks and corrects it (docs/specification.md#s4-validation).
 *
 * Invariants
 * 1. A corrected turn has one result for each call, in call order, with the ids of the calls.
 * 2. A valid turn is returned as the same object.
 */
import type { ResponseMatch } from '@holdfast/core';
import { isList, isRecord, isText, textOf } from '../json.ts';
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

/** Calls without an id are identified by their position, as in a batch. */
const idOf = (call: unknown, index: number): string =>
  (isRecord(call) ? (textOf(call['callId']) ?? textOf(call['id'])) : undefined) ?? `call-${index + 1}`;
const resultId = (result: unknown): string =>
  (isRecord(result) ? (textOf(result['callId']) ?? textOf(result['toolCallId'])) : undefined) ?? '';

const listOf = <Item>(value: readonly Item[] | undefined | null): readonly Item[] => (isList(value) ? value : []);

/** Assigns each result to the first call with its id that has none yet. */
function assignResults(calls: readonly ToolCallLike[], results: readonly ToolResultLike[]): readonly (ToolResultLike | undefined)[] {
  const waiting = new Map<string, number[]>();
  for (let index = calls.length - 1; index >= 0; index -= 1) {
    const id = idOf(calls[index], index);
    const queue = waiting.get(id);
    if (queue) queue.push(index);
    else waiting.set(id, [index]);
  }
  const answers: (ToolResultLike | undefined)[] = calls.map(() => undefined);
  for (const result of results) {
    const index = waiting.get(resultId(result))?.pop();
    if (index !== undefined) answers[index] = result;
  }
  return answers;
}

/** Checks that every call has its result, in order. */
export function matchCallsAndResults(
  calls: readonly ToolCallLike[] | undefined,
  results: readonly ToolResultLike[] | undefined,
): ResponseMatch {
  const given = listOf(results);
  const answers = assignResults(listOf(calls), given);
  const used = new Set(answers);
  const missing = answers.flatMap((answer, index) => (answer ? [] : [idOf(listOf(calls)[index], index)]));
  const unexpected = given.filter((result) => !used.has(result)).map(resultId);
  const reordered = missing.length + unexpected.length === 0 && answers.some((answer, index) => answer !== given[index]);
  const problems = [
    ...(answers.length === given.length ? [] : [`${answers.length} calls, but ${given.length} results`]),
    ...missing.map((id) => `No result for call '${id}'`),
    ...unexpected.map((id) => `The result '${id}' has no matching call`),
    ...(reordered ? ['The results are not in the order of their calls'] : []),
  ];
  return { matches: problems.length === 0, missing, unexpected, reordered, problems };
}

export const isToolTurn = (value: unknown): value is ToolTurn => isRecord(value) && ('toolCalls' in value || 'toolResults' in value);

export function turnProblems(turn: ToolTurn): readonly RuleViolation[] {
  const log = new RepairLog();
  const { content, toolCalls, toolResults } = turn;
  if (content !== undefined && content !== null && !isText(content))
    log.problem('response-shape', 'content', 'The content is not a string.');
  if (!isList(toolCalls ?? [])) log.problem('response-shape', 'toolCalls', 'The calls are not an array.');
  if (!isList(toolResults ?? [])) log.problem('response-shape', 'toolResults', 'The results are not an array.');
  listOf(toolCalls).forEach((call, index) => {
    const named = isRecord(call) && (isText(call['toolName']) || isText(call['name']));
    if (!named) log.problem('malformed-call', `toolCalls.${index}`, 'A call has no tool name.');
  });
  listOf(toolResults).forEach((result, index) => {
    if (!isRecord(result)) log.problem('response-shape', `toolResults.${index}`, 'A result is not an object.');
  });
  const { missing, unexpected, reordered } = matchCallsAndResults(toolCalls, toolResults);
  if (listOf(toolCalls).length !== listOf(toolResults).length)
    log.problem('count-mismatch', 'toolResults', `${listOf(toolCalls).length} calls, but ${listOf(toolResults).length} results`);
  for (const id of missing) log.problem('missing-result', 'toolResults', `No result for call '${id}'`);
  for (const id of unexpected) log.problem('orphan-result', 'toolResults', `The result '${id}' has no matching call`);
  if (reordered) log.problem('result-place', 'toolResults', 'The results are not in the order of their calls');
  return log.problems;
}

/** Corrects a turn to one result for each call, in call order. */
export function correctTurn<Turn extends ToolTurn>(turn: Turn): { readonly response: Turn; readonly changes: readonly Change[] } {
  const changes: Change[] = [];
  const calls = listOf(turn.toolCalls);
  const results = listOf(turn.toolResults);
  const answers = assignResults(calls, results);
  const used = new Set(answers);
  results.forEach((result, index) => {
    if (!used.has(result)) changes.push({ rule: 'orphan-result', action: 'removed', path: `toolResults.${index}`, before: result });
  });
  const corrected = answers.map((answer, index) => {
    if (answer) return answer;
    const placeholder = missingResult(calls[index], index);
    changes.push({ rule: 'missing-result', action: 'added', path: `toolResults.${index}`, after: placeholder });
    return placeholder;
  });
  const places = new Map(results.map((result, index) => [result, index]));
  let last = -1;
  answers.forEach((answer, to) => {
    const from = answer ? (places.get(answer) ?? -1) : -1;
    if (from < 0) return;
    if (from > last) {
      last = from;
      return;
    }
    changes.push({
      rule: 'result-place',
      action: 'moved',
      path: `toolResults.${from}`,
      before: `toolResults.${from}`,
      after: `toolResults.${to}`,
    });
  });
  const { content } = turn;
  const text = content === undefined || isText(content) ? content : '';
  if (text !== content) changes.push({ rule: 'empty-content', action: 'edited', path: 'content', before: content, after: text });
  if (changes.length === 0) return { response: turn, changes };
  const toolResults = calls.length + results.length === 0 ? turn.toolResults : corrected;
  return {
    response: { ...turn, ...(text === content ? {} : { content: text }), ...(toolResults === undefined ? {} : { toolResults }) },
    changes,
  };
}

const missingResult = (call: ToolCallLike | undefined, index: number): ToolResultLike & Readonly<Record<string, unknown>> => ({
  toolName: isRecord(call) ? (textOf(call['toolName']) ?? textOf(call['name']) ?? '') : '',
  callId: idOf(call, index),
  status: 'error',
  error: {
    code: 'RESULT_MISSING',
    message: sentences.noResult,
    userMessage: 'A step of this request did not complete.',
    retryable: false,
  },
  executionTime: 0,
});
