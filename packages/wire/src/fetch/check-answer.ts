/**
 * Owns processing a complete answer: original names are restored, unreadable arguments are repaired where that is safe, and other problems are reported.
 *
 * Invariants
 * 1. A valid answer is not touched: the caller gets the original response.
 * 2. Calls of an incomplete answer are never repaired.
 */
import type { Effect, JsonSchema } from '@holdfast/core';
import { parseJson } from '../arguments/parse-json.ts';
import { readArguments } from '../arguments/read-arguments.ts';
import { nameOf, findTools } from '../definitions/tool-paths.ts';
import { isRecord, isText, type JsonObject, valueAt } from '../json.ts';
import type { Change, RuleViolation } from '../report.ts';
import { validateResponse } from '../responses/validate-response.ts';
import type { AssembledAnswer } from '../stream/assembled-calls.ts';
import type { ModelRequest } from './model-request.ts';
import { answerPaths, callFields, editAt, isCall } from './call-paths.ts';

/** The request and options an answer is checked against. */
export interface AnswerContext {
  readonly outgoing: ModelRequest;
  /** Maps a name as sent back to the original name. */
  readonly toOriginal: (name: string) => string;
  readonly effectOf: (toolName: string) => Effect | undefined;
  /** Only restore names; skip all other checks. */
  readonly namesOnly: boolean;
}

export interface CheckedAnswer {
  readonly body: unknown;
  readonly changes: readonly Change[];
  readonly problems: readonly RuleViolation[];
}

export function checkAnswer(body: unknown, context: AnswerContext): CheckedAnswer {
  const { format } = context.outgoing;
  const changes: Change[] = [];
  const { namesOnly } = context;
  const ready = !namesOnly && validateResponse(body, { format }).ready;
  const repaired = editAt(body, answerPaths[format], (call, path) => {
    if (!isCall(format, call)) return call;
    const named = restoreName(call, path, context, changes);
    return ready ? repairArguments(named, path, context, changes) : named;
  });
  const { problems } = namesOnly ? { problems: [] } : validateResponse(repaired, { format, tools: namesOf(context) });
  return { body: repaired, changes, problems };
}

/** Replaces a name as sent by the original name. */
export function restoreName(call: JsonObject, path: string, context: AnswerContext, changes: Change[]): JsonObject {
  const { name: field } = callFields[context.outgoing.format];
  const before = call[field];
  const after = isText(before) ? context.toOriginal(before) : before;
  if (after === before) return call;
  changes.push({ rule: 'name-form', action: 'edited', path: `${path}.${field}`, before, after });
  return { ...call, [field]: after };
}

function repairArguments(call: JsonObject, path: string, context: AnswerContext, changes: Change[]): JsonObject {
  const { format } = context.outgoing;
  const { name, arguments: field, asText } = callFields[format];
  const before = call[field];
  if (!isText(before) || (asText && (before.trim() === '' || isRecord(parseJson(before)?.value)))) return call;
  const toolName = isText(call[name]) ? call[name] : '';
  const schema = schemaOf(toolName, context);
  const read = readArguments({ raw: before, toolName, schema, effect: context.effectOf(toolName), truncated: false });
  if (!read.ok) return call;
  const after = asText ? JSON.stringify(read.value) : read.value;
  changes.push({ rule: 'malformed-call', action: 'edited', path: `${path}.${field}`, before, after });
  return { ...call, [field]: after };
}

/** Original names of the offered tools; `undefined` if the request has none. */
function namesOf({ outgoing, toOriginal }: AnswerContext): readonly string[] | undefined {
  const { definitions } = findTools(outgoing.format, outgoing.body);
  // Without definitions in the request, the tools may be configured elsewhere, such as on the server.
  return definitions.length === 0 ? undefined : definitions.map((definition) => toOriginal(nameOf(definition) ?? ''));
}

function schemaOf(toolName: string, { outgoing, toOriginal }: AnswerContext): JsonSchema | undefined {
  const { definitions } = findTools(outgoing.format, outgoing.body);
  const definition = definitions.find((each) => toOriginal(nameOf(each) ?? '') === toolName);
  const schema = definition?.schema && valueAt(definition.native, definition.schema);
  return isRecord(schema) ? schema : undefined;
}

/** The problems in the calls of a streamed answer. */
export function problemsOf({ calls, ending, reason }: AssembledAnswer): readonly RuleViolation[] {
  const problems: RuleViolation[] = [];
  if (ending === 'fault')
    problems.push({ rule: 'malformed-call', kind: 'model', path: '', message: `The answer failed: ${reason ?? 'no reason given'}.` });
  if (ending === 'cut-off' && calls.length > 0)
    problems.push({
      rule: 'truncated',
      kind: 'model',
      path: '',
      message: `The response was cut off (${reason ?? 'no end'}); none of its calls may run.`,
    });
  for (const { toolName, callId, arguments: given, truncated } of calls) {
    const unreadable = isText(given) && !isRecord(parseJson(given)?.value);
    if (ending !== 'complete' || !unreadable) continue;
    const why = truncated ? 'were cut off' : 'are not an object';
    problems.push({
      rule: truncated ? 'truncated' : 'malformed-call',
      kind: 'model',
      path: callId,
      message: `The arguments of '${toolName}' ${why}.`,
    });
  }
  return problems;
}
