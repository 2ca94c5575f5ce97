/**
 * Owns pairing calls with their results, and the last check before results go back to the model: one result per call, with the same ids
 * (docs/specification.md#s4-validation).
 *
 * Invariants
 * 1. Total: calls and results of any form get an answer; what cannot be read is a problem.
 * 2. Ids are compared as text. A call without one is `call-1`, `call-2` … by its position, as in a batch.
 */
import { isRecord } from '../../engine/plain/is-object.ts';

/** Whether results match their calls, and what is wrong when they do not. */
export interface ResponseMatch {
  /** True when `problems` is empty. */
  readonly matches: boolean;
  /** Call ids without a result. */
  readonly missing: readonly string[];
  /** Result ids without a call. */
  readonly unexpected: readonly string[];
  /** All results are present, but not in the order of their calls. */
  readonly reordered: boolean;
  /** Everything that is wrong, as sentences. */
  readonly problems: readonly string[];
}

/** The fields that hold the id of a call, in calls and in results; `id` is an id of the call only in a call. */
const idFields = ['callId', 'toolCallId', 'tool_call_id', 'call_id'] as const;

/** The id of a call; by its position if it has none. */
export function callIdOf(call: unknown, index: number): string {
  return idIn(call, [...idFields, 'id']) ?? `call-${index + 1}`;
}

/** The id of the call that a result answers; empty if it has none. */
export function resultIdOf(result: unknown): string {
  return idIn(result, idFields) ?? '';
}

function idIn(value: unknown, fields: readonly string[]): string | undefined {
  if (!isRecord(value)) return undefined;
  for (const field of fields) {
    const id = value[field];
    if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id);
  }
  return undefined;
}

/**
 * The index of the result for each call: of the results with its id the first that names its tool and answers no call before it, else the first that is left.
 */
export function pairResults(calls: readonly unknown[], results: readonly unknown[]): readonly (number | undefined)[] {
  const given = new Map<string, number[]>();
  results.forEach((result, index) => {
    const id = resultIdOf(result);
    const indexes = given.get(id);
    if (indexes) indexes.push(index);
    else given.set(id, [index]);
  });
  const left = (call: unknown, index: number): number[] => given.get(callIdOf(call, index)) ?? [];
  const named = calls.map((call, index) => {
    const indexes = left(call, index);
    const found = indexes.findIndex((at) => toolNameIn(results[at]) === toolNameIn(call));
    return found === -1 ? undefined : indexes.splice(found, 1)[0];
  });
  return named.map((found, index) => found ?? left(calls[index], index).shift());
}

function toolNameIn(value: unknown): unknown {
  return isRecord(value) ? (value['toolName'] ?? value['name']) : undefined;
}

/** Compares calls and results by id and occurrence. Never throws for data of any form. */
export function matchResponses(givenCalls: unknown, givenResults: unknown): ResponseMatch {
  const calls = listOf(givenCalls);
  const results = listOf(givenResults);
  const answers = pairResults(calls, results);
  const used = new Set(answers);
  const missing = answers.flatMap((answer, index) => (answer === undefined ? [callIdOf(calls[index], index)] : []));
  const unexpected = results.flatMap((result, index) => (used.has(index) ? [] : [resultIdOf(result)]));
  const reordered = missing.length + unexpected.length === 0 && answers.some((answer, index) => answer !== index);
  const problems = [
    ...(isList(givenCalls) ? [] : ['The calls are not an array']),
    ...(isList(givenResults) ? [] : ['The results are not an array']),
    ...calls.flatMap((call, index) => (isRecord(call) ? [] : [`Call ${index + 1} is not an object`])),
    ...results.flatMap((result, index) => (isRecord(result) ? [] : [`Result ${index + 1} is not an object`])),
    ...(calls.length === results.length ? [] : [`${calls.length} calls, but ${results.length} results`]),
    ...missing.map((id) => `No result for call '${id}'`),
    ...unexpected.map((id) => `The result '${id}' has no matching call`),
    ...(reordered ? ['The results are not in the order of their calls'] : []),
  ];
  return { matches: problems.length === 0, missing, unexpected, reordered, problems };
}

const isList = (value: unknown): boolean => value === undefined || Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
