/**
 * Owns late outcomes of UI messages: a tool part holds a call and its outcome, so that a late outcome is a second part of the same call.
 * It takes the place of the first one if that has no outcome, or only a placeholder, and all later parts of the call agree on it.
 */
import { isList, isRecord, isText, sameJson, type JsonObject } from '../../json.ts';
import type { RepairLog } from '../../repair/repair-log.ts';
import { sentences, usableId } from '../../transcript.ts';

export const isTool = (part: JsonObject): boolean =>
  isText(part['type']) && (part['type'].startsWith('tool-') || part['type'] === 'dynamic-tool');

interface ToolPart {
  readonly part: JsonObject;
  readonly path: string;
}

const outcomes: ReadonlySet<unknown> = new Set(['output-available', 'output-error', 'output-denied']);
const isPlaceholder = (part: JsonObject): boolean => part['state'] === 'output-error' && part['errorText'] === sentences.noResult;
const isSettled = ({ part }: ToolPart): boolean => outcomes.has(part['state']) && part['preliminary'] !== true && !isPlaceholder(part);

/** Parts that are replaced by a late outcome, and `undefined` for the parts that held it. */
export function lateOutcomes(
  messages: readonly unknown[],
  pathOf: (index: number) => string,
  log: RepairLog,
): ReadonlyMap<unknown, JsonObject | undefined> {
  const next = new Map<unknown, JsonObject | undefined>();
  for (const [first, ...rest] of partsById(messages, pathOf).values()) {
    if (!first || isSettled(first) || !rest.every(({ part }) => part !== first.part && isSameCall(first.part, part))) continue;
    const [outcome, ...others] = rest.filter(isSettled);
    if (!outcome || others.some(({ part }) => !sameJson(part, outcome.part))) continue;
    log.edited('result-place', first.path, first.part, outcome.part);
    next.set(first.part, outcome.part);
    for (const { part, path } of rest) {
      log.removed('duplicate-call', path, part);
      next.set(part, undefined);
    }
  }
  return next;
}

function partsById(messages: readonly unknown[], pathOf: (index: number) => string): ReadonlyMap<string, readonly ToolPart[]> {
  const found = new Map<string, ToolPart[]>();
  messages.forEach((message, index) => {
    if (!isRecord(message) || message['role'] !== 'assistant' || !isList(message['parts'])) return;
    message['parts'].forEach((part, place) => {
      const id = isRecord(part) && isTool(part) && part['providerExecuted'] !== true ? usableId(part['toolCallId']) : undefined;
      if (id === undefined || !isRecord(part)) return;
      const known = found.get(id) ?? [];
      known.push({ part, path: `${pathOf(index)}.parts.${place}` });
      found.set(id, known);
    });
  });
  return found;
}

/** While a call is streamed, its input is not complete. */
const isSameCall = (one: JsonObject, other: JsonObject): boolean =>
  one['type'] === other['type'] &&
  one['toolName'] === other['toolName'] &&
  (one['state'] === 'input-streaming' || sameJson(one['input'], other['input']));
