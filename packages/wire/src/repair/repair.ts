/**
 * Owns the repair of a request: the order of the steps, and leaving valid requests untouched.
 *
 * Invariants
 * 1. A valid request is returned as the same object; a repaired one shares all untouched messages.
 * 2. Repairs are deterministic and idempotent: repairing a repaired request changes nothing.
 * 3. Never throws and never modifies its input. An unreadable input is reported as a problem.
 * 4. Every change is reported. Takes time linear in the size of the request.
 */
import { checkOptions, type Fields } from '@holdfast/core/internal/plain';
import { profileRule } from '../profiles/profile-rule.ts';
import { formats } from '../transcript.ts';
import { repairDefinitions } from '../definitions/repair-definitions.ts';
import { removeEmptyTurns, repairServerTools, repairSystemTurns } from '../formats/anthropic-messages/server-tools.ts';
import { repairThinking } from '../formats/anthropic-messages/thinking.ts';
import { approvalsOf } from '../formats/ai-sdk/approvals.ts';
import { repairUiMessages } from '../formats/ai-sdk-ui/repair-ui-messages.ts';
import { repairToolConfig } from '../formats/bedrock-converse/tool-config.ts';
import type { ContentContext } from '../formats/content-context.ts';
import { repairSignatures } from '../formats/gemini/signatures.ts';
import { repairMessageNames } from '../formats/openai-chat/message-names.ts';
import { fillLostReasoning } from '../formats/openai-chat/reasoning.ts';
import { repairItems } from '../formats/openai-responses/reasoning.ts';
import type { Codec } from '../formats/codec.ts';
import { codecs, type TranscriptFormat } from '../formats/codecs.ts';
import type { FormatContext } from '../formats/format-context.ts';
import { isList, isRecord, isText, type JsonObject } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import { profileFor, rulesFor } from '../profiles/rules-for.ts';
import type { Change, RuleViolation } from '../report.ts';
import { usableId, type Format, type Message, type Part } from '../transcript.ts';
import { repairContents, removeEmptied } from './repair-contents.ts';
import { repairEnds } from './conversation-ends.ts';
import { repairIdsAndNames } from './repair-ids.ts';
import { RepairLog, noPlaces, type Target } from './repair-log.ts';
import { NameMap, type Mapping } from './name-mapping.ts';
import { pairResults } from './pair-results.ts';
import { placeInNextTurn } from './place-in-turn.ts';
import { isPlainlyValid } from './plainly-valid.ts';
import { placeItems } from './place-items.ts';
import { placeOwnMessages } from './place-own-messages.ts';
import { messageMaker, type PlacementContext } from './placement.ts';

/** The format of a request and the provider that it is sent to. */
export interface RepairOptions {
  /** Format of the request. */
  readonly format: Format;
  /**
   * Provider profile whose rules apply, such as `openai`, `deepseek` or `mistral`.
   * @default the provider that defined the format
   */
  readonly profile?: string | undefined;
}

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

export const repairFields: Fields = { format: formats, profile: profileRule };

/**
 * Repairs a request so that its provider accepts it. Never throws, whatever the request is; returns a valid request as the same object.
 * @throws TypeError | RangeError for an invalid option, naming it, its value and the fix.
 */
export function repair<Request>(request: Request, options: RepairOptions): Repaired<Request> {
  return repairUnless(isPlainlyValid, request, options);
}

/** Repairs a request, unless its transcript is recognized as valid. */
export function repairUnless<Request>(isValid: typeof isPlainlyValid, request: Request, options: RepairOptions): Repaired<Request> {
  checkOptions(repairFields, options, 'repair', ['format']);
  try {
    return repairRequest(request, options, isValid);
  } catch (error) {
    const message = `The request cannot be read: ${reasonOf(error)}`;
    return { request, changes: [], problems: [{ rule: 'message-shape', kind: 'history', path: '', message }], mapping: noMapping };
  }
}

const noMapping: Mapping = { names: new Map(), ids: new Map(), toOriginal: (word) => word };

function reasonOf(error: unknown): string {
  try {
    return isRecord(error) ? String(error['message']) : String(error);
  } catch {
    return 'an error was thrown while reading it';
  }
}

function repairRequest<Request>(given: Request, { format, profile }: RepairOptions, isValid: typeof isPlainlyValid): Repaired<Request> {
  const log = new RepairLog();
  if (format === 'ai-sdk-ui') return { ...repairUiMessages(given, log), mapping: noMapping };
  if (!isRecord(given)) {
    log.problem('request-shape', '', 'The request is not an object.');
    return { request: given, changes: [], problems: log.problems, mapping: noMapping };
  }
  return repairTranscript(given, { format, profile }, log, isValid) as Repaired<Request>;
}

function repairTranscript(
  given: JsonObject,
  { format, profile }: { readonly format: TranscriptFormat; readonly profile: string | undefined },
  log: RepairLog,
  isValid: typeof isPlainlyValid,
): Repaired<JsonObject> {
  const codec = codecs[format];
  const rules = rulesFor(format, profile, modelOf(given));
  const nameMap = new NameMap(rules);
  const field = codec.lists.find((name) => isList(given[name]));
  const list = field === undefined ? undefined : given[field];
  const definitions = { format, rules, log, nameMap, profile: profileFor(format, profile) };
  const request = isListAlone(given, list) ? given : repairDefinitions(given, definitions);
  if (field === undefined || !isList(list) || list.length === 0) {
    if (!isCompleteWithoutMessages(given, format)) log.problem('request-shape', codec.lists[0] ?? '', 'The request has no messages.');
    return { request, changes: log.finish(noPlaces(given)), problems: log.problems, mapping: nameMap.mapping() };
  }
  if (log.clean && isValid(list, { format, rules, nameMap, request: given }))
    return { request: given, changes: [], problems: log.problems, mapping: nameMap.mapping() };
  const read = codec.read(list, field, { log, rules, request: given });
  const context: FormatContext = { request, messages: read, codec, rules, log };
  const contents: ContentContext = { format, codec, rules, log, onEdit: log.edited.bind(log), strict: format === 'ai-sdk' };
  context.messages = repairContents(context.messages, contents);
  const paired = pairResults({
    messages: context.messages,
    codec,
    log,
    isFlat: isFlat(rules),
    callsHeldByProvider: areCallsHeldByProvider(given, context.messages),
  });
  context.messages = removeEmptied(context.messages, paired, contents);
  context.messages = place(context, format, paired.replacing);
  applyFormatRules(context, format, nameMap);
  repairIdsAndNames(context.messages, { format, codec, rules, log, nameMap });
  repairEnds(context);
  if (context.messages.length === 0) log.problem('request-shape', field, 'The request has no messages after the repair.');
  if (log.clean) return { request: given, changes: [], problems: log.problems, mapping: nameMap.mapping() };
  const changes = log.finish({
    given,
    places: (wanted) => placesOf(context, field, wanted),
    written: (target) => writeTarget(target, codec),
  });
  return {
    request: { ...context.request, [field]: writeMessages(context, list) },
    changes,
    problems: log.problems,
    mapping: nameMap.mapping(),
  };
}

/** Adapters repair the messages of a framework, which sends its tools itself. */
const isListAlone = (request: JsonObject, list: unknown): boolean =>
  isList(list) && Object.keys(request).length === 1 && Object.getPrototypeOf(request) === Object.prototype;

const modelOf = (request: JsonObject): string => [request['model'], request['modelId']].find(isText) ?? '';

/** Whether a request is complete without a list of messages. */
function isCompleteWithoutMessages(request: JsonObject, format: TranscriptFormat): boolean {
  if (format === 'openai-responses')
    return isText(request['input']) || 'prompt' in request || usableId(request['previous_response_id']) !== undefined;
  if (format === 'gemini') return isText(request['contents']) || (isRecord(request['contents']) && isList(request['contents']['parts']));
  if (format === 'anthropic-messages') return continuesThread(request);
  return format === 'ai-sdk' && isText(request['prompt']);
}

/** Whether the provider holds calls of earlier responses. */
function areCallsHeldByProvider(request: JsonObject, messages: readonly Message[]): boolean {
  const held = usableId(request['previous_response_id']) ?? request['conversation'];
  return (
    (held !== undefined && held !== null) || continuesThread(request) || messages.some(({ native }) => native['type'] === 'item_reference')
  );
}

/** Whether an Anthropic request continues a thread: tools and earlier messages are stored in the thread. */
function continuesThread(request: JsonObject): boolean {
  const thread = request['thread'];
  return isRecord(thread) && thread['type'] === 'continue';
}

/** Whether each call and each result is a message of its own. */
const isFlat = ({ results }: ProviderRules): boolean => results === 'items-behind' || results === 'items-adjacent';

function place(context: FormatContext, format: TranscriptFormat, replacing: ReadonlySet<Part>): readonly Message[] {
  const { codec, rules, log, messages } = context;
  const placing: PlacementContext = {
    codec,
    rules,
    log,
    oneResultEach: format === 'openai-chat',
    messageOf: messageMaker(codec),
    replacing,
    approvals: format === 'ai-sdk' ? approvalsOf(messages) : new Map(),
  };
  switch (rules.results) {
    case 'own-messages':
      return placeOwnMessages(messages, placing);
    case 'items-behind':
    case 'items-adjacent':
      return placeItems(messages, placing);
    case 'next-turn':
    case 'next-message':
      return placeInNextTurn(messages, placing);
  }
}

/** Applies the format-specific rules. */
function applyFormatRules(context: FormatContext, format: TranscriptFormat, nameMap: NameMap): void {
  if (format === 'openai-chat') {
    fillLostReasoning(context);
    repairMessageNames(context);
  }
  if (format === 'openai-responses') repairItems(context);
  if (format === 'gemini') repairSignatures(context);
  if (format === 'bedrock-converse') repairToolConfig(context, nameMap);
  if (format !== 'anthropic-messages') return;
  removeEmptyTurns(context);
  repairSystemTurns(context);
  repairServerTools(context);
  repairThinking(context);
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
