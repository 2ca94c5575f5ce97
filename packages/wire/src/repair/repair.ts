/**
 * Owns the repair of a request: the order of the steps, and that nothing is touched where nothing is wrong.
 *
 * Invariants
 * 1. A valid request comes back as the same object; a repaired one shares every message that was not touched.
 * 2. The same request gives the same repair, and a repaired one is valid: repairing again changes nothing.
 * 3. It never throws and never writes to what it was given. What cannot be read is a problem.
 * 4. Every change is reported. The time is linear in the size of the request.
 */
import { repairDefinitions } from '../definitions/repair-definitions.ts';
import { repairHollowTurns, repairServerTools, repairSystemTurns } from '../formats/anthropic-messages/server-tools.ts';
import { repairThinking } from '../formats/anthropic-messages/thinking.ts';
import { approvalsOf } from '../formats/ai-sdk/approvals.ts';
import { repairUiMessages } from '../formats/ai-sdk-ui/repair-ui-messages.ts';
import { repairToolConfig } from '../formats/bedrock-converse/tool-config.ts';
import type { ContentContext } from '../formats/content-context.ts';
import { repairSignatures } from '../formats/gemini/signatures.ts';
import { reportLostReasoning } from '../formats/openai-chat/reasoning.ts';
import { repairItems } from '../formats/openai-responses/reasoning.ts';
import type { Codec } from '../formats/codec.ts';
import { codecs, type TranscriptFormat } from '../formats/codecs.ts';
import type { FormatContext } from '../formats/format-context.ts';
import { isList, isRecord, isText, type JsonObject } from '../json.ts';
import { profileFor, rulesFor } from '../profiles/rules-for.ts';
import type { Change, RuleViolation } from '../report.ts';
import { usableId, type Format, type Message } from '../transcript.ts';
import { repairContents, removeEmptied } from './repair-contents.ts';
import { repairEnds } from './conversation-ends.ts';
import { repairIdsAndNames } from './repair-ids.ts';
import { RepairLog, noPlaces, type Target } from './repair-log.ts';
import { NameMap, type Mapping } from './name-mapping.ts';
import { pairResults } from './pair-results.ts';
import { placeInNextTurn } from './place-in-turn.ts';
import { placeItems } from './place-items.ts';
import { placeOwnMessages } from './place-own-messages.ts';
import { messageMaker, type PlacementContext } from './placement.ts';

/** The format of a request and the provider that it is sent to. */
export interface RepairOptions {
  /** The form of the request. */
  readonly format: Format;
  /**
   * Whose rules apply: a name such as `openai`, `deepseek` or `mistral`.
   * @default the provider that the format comes from
   */
  readonly profile?: string | undefined;
}

/** A request that its provider accepts, and what was changed for it. */
export interface Repaired<Request> {
  /** The request to send: the one that was given when nothing was wrong. */
  readonly request: Request;
  /** Everything that is different now, and why. Empty for a valid request. */
  readonly changes: readonly Change[];
  /** What is wrong and could not be repaired: tool definitions, state that the provider holds, a request that cannot be read. */
  readonly problems: readonly RuleViolation[];
  /** Leads back from ids and names as sent to those as given. */
  readonly mapping: Mapping;
}

/** Makes a request one that its provider takes. Never throws; a valid request comes back as the same object. */
export function repair<Request>(request: Request, options: RepairOptions): Repaired<Request> {
  try {
    return repairRequest(request, options);
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
    return 'it throws when it is read';
  }
}

function repairRequest<Request>(given: Request, { format, profile }: RepairOptions): Repaired<Request> {
  const log = new RepairLog();
  if (format === 'ai-sdk-ui') return { ...repairUiMessages(given, log), mapping: noMapping };
  if (!isRecord(given)) {
    log.problem('request-shape', '', 'The request is no object.');
    return { request: given, changes: [], problems: log.problems, mapping: noMapping };
  }
  return repairTranscript(given, format, profile, log) as Repaired<Request>;
}

function repairTranscript(given: JsonObject, format: TranscriptFormat, profile: string | undefined, log: RepairLog): Repaired<JsonObject> {
  const codec = codecs[format];
  const rules = rulesFor(format, profile, modelOf(given));
  const words = new NameMap(rules);
  const field = codec.lists.find((name) => isList(given[name]));
  const list = field === undefined ? undefined : given[field];
  const backend = profileFor(format, profile);
  const request = repairDefinitions(given, { format, rules, log, words, profile: backend });
  if (field === undefined || !isList(list) || list.length === 0) {
    if (!isCompleteWithoutMessages(given, format)) log.problem('request-shape', codec.lists[0] ?? '', 'The request has no messages.');
    return { request, changes: log.finish(noPlaces(given)), problems: log.problems, mapping: words.mapping() };
  }
  const read = codec.read(list, field, { log, rules, request: given });
  const scene: FormatContext = { request, messages: read, codec, rules, log };
  const contents: ContentContext = { format, codec, rules, log, onEdit: log.edited.bind(log), strict: format === 'ai-sdk' };
  scene.messages = repairContents(scene.messages, contents);
  const thinned = pairResults({ messages: scene.messages, codec, log, heldElsewhere: isHeldElsewhere(given, scene.messages) });
  scene.messages = removeEmptied(scene.messages, thinned, contents);
  scene.messages = place(scene, format);
  applyFormatRules(scene, format, words);
  if (backend === 'deepseek' && format === 'openai-chat') reportLostReasoning(scene);
  repairIdsAndNames(scene.messages, { format, codec, rules, log, words });
  repairEnds(scene);
  if (scene.messages.length === 0) log.problem('request-shape', field, 'No message is left.');
  if (log.clean) return { request: given, changes: [], problems: log.problems, mapping: words.mapping() };
  const changes = log.finish({
    given,
    places: (wanted) => placesOf(scene, field, wanted),
    written: (target) => writeTarget(target, codec),
  });
  return { request: { ...scene.request, [field]: writeMessages(scene, list) }, changes, problems: log.problems, mapping: words.mapping() };
}

const modelOf = (request: JsonObject): string => [request['model'], request['modelId']].find(isText) ?? '';

/** Requests without a list of messages that are whole all the same. */
function isCompleteWithoutMessages(request: JsonObject, format: TranscriptFormat): boolean {
  if (format === 'openai-responses')
    return isText(request['input']) || 'prompt' in request || usableId(request['previous_response_id']) !== undefined;
  if (format === 'gemini') return isText(request['contents']) || isRecord(request['contents']);
  if (format === 'anthropic-messages') return continuesThread(request);
  return format === 'ai-sdk' && isText(request['prompt']);
}

/** Calls of earlier responses that the provider keeps. */
function isHeldElsewhere(request: JsonObject, messages: readonly Message[]): boolean {
  const held = usableId(request['previous_response_id']) ?? request['conversation'];
  return (
    (held !== undefined && held !== null) || continuesThread(request) || messages.some(({ native }) => native['type'] === 'item_reference')
  );
}

/** A request of Anthropic's with only what its thread does not have yet; tools and earlier messages are the thread's. */
function continuesThread(request: JsonObject): boolean {
  const thread = request['thread'];
  return isRecord(thread) && thread['type'] === 'continue';
}

function place(scene: FormatContext, format: TranscriptFormat): readonly Message[] {
  const { codec, rules, log, messages } = scene;
  const placing: PlacementContext = {
    codec,
    rules,
    log,
    oneResultEach: format === 'openai-chat',
    messageOf: messageMaker(codec),
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

/** Rules that one format alone has. */
function applyFormatRules(scene: FormatContext, format: TranscriptFormat, words: NameMap): void {
  if (format === 'openai-responses') repairItems(scene);
  if (format === 'gemini') repairSignatures(scene);
  if (format === 'bedrock-converse') repairToolConfig(scene, words);
  if (format !== 'anthropic-messages') return;
  repairHollowTurns(scene);
  repairSystemTurns(scene);
  repairServerTools(scene);
  repairThinking(scene);
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
