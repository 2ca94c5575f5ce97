/**
 * Owns UI messages of the AI SDK: unfinished tool parts in messages that are no longer the last.
 * Does not own their conversion to model messages.
 */
import { isList, isRecord, isText, textOf, type JsonObject } from '../../json.ts';
import type { Change, RuleViolation } from '../../report.ts';
import { noPlaces, type RepairLog } from '../../repair/repair-log.ts';
import { sentences } from '../../transcript.ts';

interface RepairedMessages<Request> {
  readonly request: Request;
  readonly changes: readonly Change[];
  readonly problems: readonly RuleViolation[];
}

export function repairUiMessages<Request>(given: Request, log: RepairLog): RepairedMessages<Request> {
  const field = isRecord(given) ? ['uiMessages', 'messages'].find((name) => isList(given[name])) : undefined;
  const list = isRecord(given) && field !== undefined ? given[field] : given;
  if (!isList(list)) {
    log.problem('request-shape', '', 'The request has no messages.');
    return { request: given, changes: [], problems: log.problems };
  }
  const repaired = list.map((message, index) =>
    isRecord(message) ? repairMessage(message, `${field ?? ''}.${index}`.replace(/^\./, ''), index === list.length - 1, log) : message,
  );
  if (log.clean) return { request: given, changes: [], problems: log.problems };
  const request: unknown = isRecord(given) && field !== undefined ? { ...given, [field]: repaired } : repaired;
  return { request: request as Request, changes: log.finish(noPlaces(given)), problems: log.problems };
}

function repairMessage(message: JsonObject, path: string, isLast: boolean, log: RepairLog): JsonObject {
  const { parts } = message;
  if (message['role'] !== 'assistant' || !isList(parts)) return message;
  const repaired = parts.map((part, index) => (isRecord(part) ? repairPart(part, `${path}.parts.${index}`, isLast, log) : part));
  return repaired.every((part, index) => part === parts[index]) ? message : { ...message, parts: repaired };
}

const isTool = (part: JsonObject): boolean => isText(part['type']) && (part['type'].startsWith('tool-') || part['type'] === 'dynamic-tool');

function repairPart(part: JsonObject, path: string, isLast: boolean, log: RepairLog): JsonObject {
  if (!isTool(part) || part['providerExecuted'] === true || isLast) return part;
  const state = textOf(part['state']);
  const { approval } = part;
  const refused = isRecord(approval) && approval['approved'] === false;
  if (state === 'approval-requested' || (state === 'approval-responded' && refused)) {
    const id = isRecord(approval) ? textOf(approval['id']) : undefined;
    const denied = {
      ...part,
      state: 'output-denied',
      approval: { ...(isRecord(approval) ? approval : {}), id: id ?? '', approved: false, reason: sentences.denied },
    };
    return replacePart(part, denied, path, log);
  }
  if (state !== 'input-streaming' && state !== 'input-available' && state !== 'approval-responded') return part;
  return replacePart(part, { ...part, state: 'output-error', input: part['input'] ?? {}, errorText: sentences.noResult }, path, log);
}

function replacePart(before: JsonObject, after: JsonObject, path: string, log: RepairLog): JsonObject {
  log.edited('missing-result', path, before, after);
  return after;
}
