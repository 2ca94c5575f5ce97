/**
 * Owns recognizing transcripts of the usual form, in which nothing has to be repaired: a loop sends its whole conversation with every request, and most are like that.
 *
 * Invariants
 * 1. The steps of the repair would leave what is recognized unchanged, and report nothing. All else is left to them.
 * 2. Nothing is converted. Takes time linear in the size of the transcript.
 */
import { isList, isRecord, isText, parseJsonOrUndefined, type JsonObject } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import { usableId } from '../transcript.ts';
import type { NameMap } from './name-mapping.ts';
import { isPlain, isWellFormed } from './plain-values.ts';

/** What a transcript is checked with. */
export interface PlainContext {
  readonly rules: ProviderRules;
  readonly nameMap: NameMap;
  readonly request: JsonObject;
}

/** Whether a transcript of Chat Completions is recognized as valid. `false` says nothing. */
export const isPlainlyValidChat = (list: readonly unknown[], context: PlainContext): boolean =>
  hasUsualRules(context.rules) && list.length > 0 && isPlainChat(list, context);

/** The same for the items of Responses. */
export const arePlainlyValidItems = (list: readonly unknown[], context: PlainContext): boolean =>
  context.rules.results === 'items-behind' && list.length > 0 && arePlainItems(list, context);

/** Rules about how roles follow each other, or about fields that are not looked at here. */
const hasUsualRules = (rules: ProviderRules): boolean =>
  rules.results === 'own-messages' &&
  rules.reasoningBack === 'none' &&
  rules.unknownFields.length === 0 &&
  !rules.filledTexts &&
  !rules.filledAnswers &&
  !rules.contentBesideCalls &&
  !rules.startsWithUser &&
  !rules.endsWithUser &&
  !rules.bridgeBehindResults &&
  rules.besideResults === 'anything';

/** The calls of a transcript, as far as it has been read. */
class Calls {
  readonly #context: PlainContext;
  readonly #seen = new Set<string>();
  /** Names by id. */
  readonly #open = new Map<string, string>();

  constructor(context: PlainContext) {
    this.#context = context;
  }

  get areAnswered(): boolean {
    return this.#open.size === 0;
  }

  /** Adds a call with an id of its own; returns whether it is valid. */
  add(id: unknown, name: unknown, args: unknown): boolean {
    const { nameMap, rules } = this.#context;
    if (!isText(id) || !isText(name) || !isText(args) || !isWellFormed(args)) return false;
    if (this.#seen.has(id) || usableId(id) === undefined || !nameMap.isId(id) || !nameMap.isName(name)) return false;
    if (rules.arguments !== 'any-text' && !(rules.arguments === 'json-text' && isRecord(parseJsonOrUndefined(args)))) return false;
    this.#seen.add(id);
    this.#open.set(id, name);
    return true;
  }

  /** Takes the only result of an open call; returns the name of the call. */
  answer(id: unknown): string | undefined {
    const name = isText(id) ? this.#open.get(id) : undefined;
    if (name !== undefined) this.#open.delete(id as string);
    return name;
  }
}

const isPlainText = (value: unknown): boolean => isText(value) && isWellFormed(value);
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Chat Completions: the results of an answer directly follow it. */
function isPlainChat(list: readonly unknown[], context: PlainContext): boolean {
  const calls = new Calls(context);
  for (const message of list) {
    if (!isRecord(message)) return false;
    if (
      message['role'] === 'tool'
        ? !isPlainResult(message, calls, context.rules)
        : !calls.areAnswered || !isPlainMessage(message, calls, context.rules)
    )
      return false;
  }
  return calls.areAnswered;
}

function isPlainResult(
  { tool_call_id: id, content, name, tool_calls: own }: JsonObject,
  calls: Calls,
  { messageName }: ProviderRules,
): boolean {
  const called = calls.answer(id);
  if (called === undefined || !isAbsent(own) || !isPlainText(content)) return false;
  return isAbsent(name) || (name === called && messageName.inResults?.test(called) !== false);
}

function isPlainMessage(message: JsonObject, calls: Calls, { developerRole, callTypes }: ProviderRules): boolean {
  const { role, content, name, tool_calls: own } = message;
  if (!isAbsent(name) || 'tool_call_id' in message) return false;
  if (isAbsent(own)) return isPlainText(content) && (isPlainRole(role) || (role === 'developer' && developerRole));
  if (role !== 'assistant' || !isList(own) || own.length === 0 || !(isAbsent(content) || isPlainText(content))) return false;
  for (const call of own) {
    if (!isRecord(call) || call['type'] !== 'function' || callTypes?.includes('function') === false) return false;
    const called = call['function'];
    if (!isRecord(called) || !calls.add(call['id'], called['name'], called['arguments'])) return false;
  }
  return true;
}

const isPlainRole = (role: unknown): boolean => role === 'user' || role === 'assistant' || role === 'system';

/** Responses of OpenAI: a result is anywhere behind its call, and reasoning directly before what it led to. Ids of items are not looked at here. */
function arePlainItems(list: readonly unknown[], context: PlainContext): boolean {
  const calls = new Calls(context);
  const isStored = context.request['store'] !== false;
  let reasons = false;
  for (const item of list) {
    if (!isRecord(item) || item['id'] !== undefined) return false;
    const { type } = item;
    if (reasons && !isFromModel(item, type)) return false;
    reasons = type === 'reasoning';
    if (!isPlainItem(item, type, calls, context.rules) || (reasons && !isStored && !isText(item['encrypted_content']))) return false;
  }
  return calls.areAnswered && !reasons;
}

const isMessage = (type: unknown): boolean => type === undefined || type === 'message';

const isFromModel = ({ role }: JsonObject, type: unknown): boolean =>
  type === 'function_call' || type === 'reasoning' || (isMessage(type) && role === 'assistant');

function isPlainItem(item: JsonObject, type: unknown, calls: Calls, rules: ProviderRules): boolean {
  switch (type) {
    case 'function_call':
      return calls.add(item['call_id'], item['name'], item['arguments']);
    case 'function_call_output':
      return calls.answer(item['call_id']) !== undefined && isPlainOutput(item['output']);
    case 'reasoning':
      return isList(item['summary']);
    default:
      return isMessage(type) && isPlainMessageItem(item, rules);
  }
}

const isPlainOutput = (output: unknown): boolean => (isText(output) || (isList(output) && output.length > 0)) && isPlain(output, false, 0);

function isPlainMessageItem(item: JsonObject, { contentTypes }: ProviderRules): boolean {
  const { role, content } = item;
  if ('tool_call_id' in item || !isAbsent(item['tool_calls']) || !(isPlainRole(role) || role === 'developer')) return false;
  if (!isPlain(item, false, 0)) return false;
  if (isText(content)) return true;
  return isList(content) && content.length > 0 && content.every((piece) => isPlainPiece(piece, role === 'assistant', contentTypes));
}

function isPlainPiece(piece: unknown, ofModel: boolean, contentTypes: readonly string[] | undefined): boolean {
  const type = isRecord(piece) ? piece['type'] : undefined;
  if (!isText(type) || type === 'text') return false;
  return ofModel ? type !== 'input_text' : type !== 'output_text' && contentTypes?.includes(type) !== false;
}
