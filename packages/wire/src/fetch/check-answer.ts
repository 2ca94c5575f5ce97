/**
 * Owns what is done with a whole answer: names lead back, arguments that cannot be read are repaired where that is safe, the rest is told.
 *
 * Invariants
 * 1. A valid answer is not touched: the caller gets the response that came.
 * 2. Calls of an answer that was cut off are never repaired.
 */
import type { Effect, JsonSchema } from '@holdfast/core';
import { argumentReader } from '../arguments/read-arguments.ts';
import { nameOf, findTools } from '../definitions/tool-paths.ts';
import { isRecord, isText, type JsonObject, tryParse, valueAt } from '../json.ts';
import type { Change, RuleViolation } from '../report.ts';
import { validateResponse } from '../responses/validate-response.ts';
import type { AssembledAnswer } from '../stream/assembled-calls.ts';
import type { ModelRequest } from './model-request.ts';
import { answerPaths, callFields, editAt, isCall } from './call-paths.ts';

/** What an answer is held against. */
export interface AnswerContext {
  readonly outgoing: ModelRequest;
  /** Leads from a name as sent back to the one as given. */
  readonly toOriginal: (name: string) => string;
  readonly effectOf: (toolName: string) => Effect | undefined;
  /** Names lead back; nothing else is looked at. */
  readonly namesOnly: boolean;
}

export interface CheckedAnswer {
  readonly body: unknown;
  readonly changes: readonly Change[];
  readonly problems: readonly RuleViolation[];
}

export function checkAnswer(body: unknown, scene: AnswerContext): CheckedAnswer {
  const { format } = scene.outgoing;
  const changes: Change[] = [];
  const { namesOnly } = scene;
  const truncated = namesOnly || validateResponse(body, { format }).truncated;
  const repaired = editAt(body, answerPaths[format], (call, path) => {
    if (!isCall(format, call)) return call;
    const named = restoreName(call, path, scene, changes);
    return truncated ? named : repairArguments(named, path, scene, changes);
  });
  const { problems } = namesOnly ? { problems: [] } : validateResponse(repaired, { format, tools: namesOf(scene) });
  return { body: repaired, changes, problems };
}

/** A name as sent is a name as given again. */
export function restoreName(call: JsonObject, path: string, scene: AnswerContext, changes: Change[]): JsonObject {
  const { name: field } = callFields[scene.outgoing.format];
  const before = call[field];
  const after = isText(before) ? scene.toOriginal(before) : before;
  if (after === before) return call;
  changes.push({ rule: 'name-form', action: 'edited', path: `${path}.${field}`, before, after });
  return { ...call, [field]: after };
}

function repairArguments(call: JsonObject, path: string, scene: AnswerContext, changes: Change[]): JsonObject {
  const { format } = scene.outgoing;
  const { name, arguments: field, asText } = callFields[format];
  const before = call[field];
  if (!isText(before) || (asText && (before.trim() === '' || isRecord(tryParse(before)?.value)))) return call;
  const toolName = isText(call[name]) ? call[name] : '';
  const schema = schemaOf(toolName, scene);
  const read = argumentReader()({ raw: before, toolName, schema, effect: scene.effectOf(toolName) ?? 'unsafe', truncated: false });
  if (!read.ok) return call;
  const after = asText ? JSON.stringify(read.value) : read.value;
  changes.push({ rule: 'malformed-call', action: 'edited', path: `${path}.${field}`, before, after });
  return { ...call, [field]: after };
}

/** Names as given; none when nothing was offered. */
function namesOf({ outgoing, toOriginal }: AnswerContext): readonly string[] | undefined {
  const { definitions } = findTools(outgoing.format, outgoing.body);
  // Without definitions the tools may stand where they are not seen, such as on the server.
  return definitions.length === 0 ? undefined : definitions.map((definition) => toOriginal(nameOf(definition) ?? ''));
}

function schemaOf(toolName: string, { outgoing, toOriginal }: AnswerContext): JsonSchema | undefined {
  const { definitions } = findTools(outgoing.format, outgoing.body);
  const definition = definitions.find((each) => toOriginal(nameOf(each) ?? '') === toolName);
  const schema = definition?.schema && valueAt(definition.native, definition.schema);
  return isRecord(schema) ? schema : undefined;
}

/** What is wrong with the calls of an answer that came in a stream. */
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
    const unreadable = isText(given) && !isRecord(tryParse(given)?.value);
    if (ending !== 'complete' || !unreadable) continue;
    const why = truncated ? 'were cut off' : 'are no object';
    problems.push({
      rule: truncated ? 'truncated' : 'malformed-call',
      kind: 'model',
      path: callId,
      message: `The arguments of '${toolName}' ${why}.`,
    });
  }
  return problems;
}
