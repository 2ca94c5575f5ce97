/**
 * Owns UI messages of the AI SDK: unfinished tool parts in messages that are no longer the last.
 * Does not own their conversion to model messages.
 */
import { isList, isRecord, textOf, type JsonObject } from '../../json.ts';
import type { Change, RuleViolation } from '../../report.ts';
import { noPlaces, type RepairLog } from '../../repair/repair-log.ts';
import { isTool, lateOutcomes } from './late-outcomes.ts';
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
  const pathOf = (index: number): string => (field === undefined ? String(index) : `${field}.${index}`);
  const late = lateOutcomes(list, pathOf, log);
  const repaired = list.flatMap((message, index): readonly unknown[] =>
    isRecord(message) ? repairMessage(message, pathOf(index), index === list.length - 1, late, log) : [message],
  );
  if (log.clean) return { request: given, changes: [], problems: log.problems };
  const request: unknown = isRecord(given) && field !== undefined ? { ...given, [field]: repaired } : repaired;
  return { request: request as Request, changes: log.finish(noPlaces(given)), problems: log.problems };
}

/** The message, or nothing if its parts are all in place elsewhere. */
function repairMessage(
  message: JsonObject,
  path: string,
  isLast: boolean,
  late: ReadonlyMap<unknown, JsonObject | undefined>,
  log: RepairLog,
): readonly JsonObject[] {
  const { parts } = message;
  if (message['role'] !== 'assistant' || !isList(parts)) return [message];
  const repaired = parts.flatMap((part, index) => {
    if (late.has(part)) return late.get(part) ?? [];
    return [isRecord(part) ? repairPart(part, `${path}.parts.${index}`, isLast, log) : part];
  });
  if (repaired.length === parts.length && repaired.every((part, index) => part === parts[index])) return [message];
  return repaired.length > 0 ? [{ ...message, parts: repaired }] : [];
}

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
