/**
 * Owns the repair of a transcript: the order of the steps, and leaving valid requests untouched. What depends on the format is given, so that a program bundles only the
 * formats that it uses.
 *
 * Invariants
 * 1. A valid request is returned as the same object; a repaired one shares all untouched messages.
 * 2. Repairs are deterministic and idempotent: repairing a repaired request changes nothing.
 * 3. Every change is reported. Takes time linear in the size of the request.
 */
import type { DefinitionContext } from '../definitions/definition-context.ts';
import type { ContentContext, RepairMessage } from '../formats/content-context.ts';
import type { Codec } from '../formats/codec.ts';
import type { TranscriptFormat } from '../formats/codecs.ts';
import type { FormatContext } from '../formats/format-context.ts';
import { isList, isRecord, isText, type JsonObject } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { FormatRules } from '../profiles/format-rules.ts';
import { profileFor, rulesOf } from '../profiles/rules-of.ts';
import type { Change, RuleViolation } from '../report.ts';
import { usableId, type Message, type Part } from '../transcript.ts';
import { repairContents, removeEmptied } from './repair-contents.ts';
import { repairEnds } from './conversation-ends.ts';
import { repairIdsAndNames } from './repair-ids.ts';
import { RepairLog, noPlaces, type Target } from './repair-log.ts';
import { NameMap, type Mapping } from './name-mapping.ts';
import { pairResults } from './pair-results.ts';
import type { PlainContext } from './plainly-valid.ts';
import { messageMaker, type PlacementContext } from './placement.ts';

/** A request that its provider accepts, and the changes made to it. */
export interface Repaired<Request> {
  /** The request to send; the given one if nothing was wrong. */
  readonly request: Request;
  /** All changes and their reasons. Empty for a valid request. */
  readonly changes: readonly Change[];
  /** Problems that could not be repaired: in tool definitions, in state held by the provider, or an unreadable request. */
  readonly problems: readonly RuleViolation[];
  /** Maps ids and names as sent back to the original ones. */
  readonly mapping: Mapping;
}

/** Recognizes transcripts in which nothing has to be repaired. `false` says nothing. */
export type IsPlainlyValid = (list: readonly unknown[], context: PlainContext) => boolean;

/** What the repair has to know of a format. */
export interface FormatRepair {
  readonly format: TranscriptFormat;
  readonly rules: FormatRules;
  readonly codec: Codec;
  /** Repairs the contents of a message; returns whether to keep it. */
  readonly contents: RepairMessage;
  readonly isPlainlyValid?: IsPlainlyValid;
  /** Whether a request is complete without a list of messages. */
  readonly isComplete?: (request: JsonObject) => boolean;
  /** The approvals of calls that need one. */
  readonly approvalsOf?: (messages: readonly Message[]) => PlacementContext['approvals'];
  /** Places results where the format has them. */
  readonly place: (messages: readonly Message[], placing: PlacementContext) => readonly Message[];
  /** Applies the rules of the format itself to the messages in their final order. */
  readonly finish?: (context: FormatContext, nameMap: NameMap) => void;
}

/** How one request is repaired. */
export interface TranscriptOptions {
  readonly profile: string | undefined;
  /** Repairs the definitions of tools. Absent: the request is a list of messages alone. */
  readonly definitions?: ((request: JsonObject, context: DefinitionContext) => JsonObject) | undefined;
}

export const noMapping: Mapping = { names: new Map(), ids: new Map(), toOriginal: (word) => word };

/** Repairs a request, or reports that it cannot be read. Never throws. */
export function repairReadable<Request>(given: Request, repair: (log: RepairLog) => Repaired<Request>): Repaired<Request> {
  try {
    return repair(new RepairLog());
  } catch (error) {
    const message = `The request cannot be read: ${reasonOf(error)}`;
    return { request: given, changes: [], problems: [{ rule: 'message-shape', kind: 'history', path: '', message }], mapping: noMapping };
  }
}

function reasonOf(error: unknown): string {
  try {
    return isRecord(error) ? String(error['message']) : String(error);
  } catch {
    return 'an error was thrown while reading it';
  }
}

/** Repairs a request of one format. Never throws, whatever the request is. */
export function repairTranscript<Request>(given: Request, spec: FormatRepair, options: TranscriptOptions): Repaired<Request> {
  return repairReadable(given, (log) => {
    if (isRecord(given)) return repairRequest(given, spec, options, log) as Repaired<Request>;
    log.problem('request-shape', '', 'The request is not an object.');
    return { request: given, changes: [], problems: log.problems, mapping: noMapping };
  });
}

function repairRequest(
  given: JsonObject,
  spec: FormatRepair,
  { profile, definitions }: TranscriptOptions,
  log: RepairLog,
): Repaired<JsonObject> {
  const { codec, format } = spec;
  const rules = rulesOf(spec.rules, profile, modelOf(given));
  const nameMap = new NameMap(rules);
  const field = codec.lists.find((name) => isList(given[name]));
  const list = field === undefined ? undefined : given[field];
  const request =
    !definitions || isListAlone(given, list)
      ? given
      : definitions(given, { format, rules, log, nameMap, profile: profileFor(spec.rules, profile) });
  if (field === undefined || !isList(list) || list.length === 0) {
    if (spec.isComplete?.(given) !== true) log.problem('request-shape', codec.lists[0] ?? '', 'The request has no messages.');
    return { request, changes: log.finish(noPlaces(given)), problems: log.problems, mapping: nameMap.mapping() };
  }
  if (log.clean && spec.isPlainlyValid?.(list, { rules, nameMap, request: given }))
    return { request: given, changes: [], problems: log.problems, mapping: nameMap.mapping() };
  const read = codec.read(list, field, { log, rules, request: given });
  const context: FormatContext = { request, messages: read, codec, rules, log };
  const { contents: repairMessage } = spec;
  const contents: ContentContext = {
    format,
    codec,
    rules,
    log,
    contents: repairMessage,
    onEdit: log.edited.bind(log),
    strict: format === 'ai-sdk',
  };
  context.messages = repairContents(context.messages, contents);
  const paired = pairResults({
    messages: context.messages,
    codec,
    log,
    isFlat: isFlat(rules),
    callsHeldByProvider: areCallsHeldByProvider(given, context.messages),
  });
  context.messages = removeEmptied(context.messages, paired, contents);
  context.messages = place(context, spec, paired.replacing);
  spec.finish?.(context, nameMap);
  repairIdsAndNames(context.messages, { format, codec, rules, log, nameMap });
  repairEnds(context);
  return finished(given, field, context, nameMap);
}

function finished(given: JsonObject, field: string, context: FormatContext, nameMap: NameMap): Repaired<JsonObject> {
  const { codec, log } = context;
  if (context.messages.length === 0) log.problem('request-shape', field, 'The request has no messages after the repair.');
  if (log.clean) return { request: given, changes: [], problems: log.problems, mapping: nameMap.mapping() };
  const changes = log.finish({
    given,
    places: (wanted) => placesOf(context, field, wanted),
    written: (target) => writeTarget(target, codec),
  });
  return {
    request: { ...context.request, [field]: writeMessages(context, given[field] as readonly unknown[]) },
    changes,
    problems: log.problems,
    mapping: nameMap.mapping(),
  };
}

/** Adapters repair the messages of a framework, which sends its tools itself. */
const isListAlone = (request: JsonObject, list: unknown): boolean =>
  isList(list) && Object.keys(request).length === 1 && Object.getPrototypeOf(request) === Object.prototype;

const modelOf = (request: JsonObject): string => [request['model'], request['modelId']].find(isText) ?? '';

/** Whether the provider holds calls of earlier responses. */
function areCallsHeldByProvider(request: JsonObject, messages: readonly Message[]): boolean {
  const held = usableId(request['previous_response_id']) ?? request['conversation'];
  return (
    (held !== undefined && held !== null) || continuesThread(request) || messages.some(({ native }) => native['type'] === 'item_reference')
  );
}

/** Whether an Anthropic request continues a thread: tools and earlier messages are stored in the thread. */
export function continuesThread(request: JsonObject): boolean {
  const thread = request['thread'];
  return isRecord(thread) && thread['type'] === 'continue';
}

/** Whether each call and each result is a message of its own. */
const isFlat = ({ results }: ProviderRules): boolean => results === 'items-behind' || results === 'items-adjacent';

function place(context: FormatContext, spec: FormatRepair, replacing: ReadonlySet<Part>): readonly Message[] {
  const { codec, rules, log, messages } = context;
  const placing: PlacementContext = {
    codec,
    rules,
    log,
    oneResultEach: spec.format === 'openai-chat',
    messageOf: messageMaker(codec),
    replacing,
    approvals: spec.approvalsOf?.(messages) ?? new Map(),
  };
  return spec.place(messages, placing);
}

function writeMessages({ messages, codec }: FormatContext, list: readonly unknown[]): readonly unknown[] {
  const natives = messages.map((message) => (message.changed ? codec.write(message) : message.native));
  return natives.length === list.length && natives.every((native, index) => native === list[index]) ? list : natives;
}

const writeTarget = (target: Target, codec: Codec): unknown => ('parts' in target ? codec.write(target) : target.native);

function placesOf({ messages, codec }: FormatContext, field: string, wanted: ReadonlySet<Target>): ReadonlyMap<Target, string> {
  const places = new Map<Target, string>();
  messages.forEach((message, index) => {
    const path = `${field}.${index}`;
    if (wanted.has(message)) places.set(message, path);
    message.parts.forEach((part, place) => {
      if (wanted.has(part)) places.set(part, codec.partPath(path, message, place));
    });
  });
  return places;
}
