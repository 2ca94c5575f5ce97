/**
 * Owns reading calls from streams of OpenAI Chat Completions, as sent by OpenAI and compatible servers.
 *
 * Invariants
 * 1. Nothing is final before the end: arguments that already parse may still continue.
 * 2. A piece is assigned to the call with its id, else the one at its index, else the last one. A name after a complete one starts a new call.
 */
import { parseJson } from '../arguments/parse-json.ts';
import { isList, isRecord, isText, type JsonObject, sameJson } from '../json.ts';
import { endingOf, laterReason } from '../responses/finish-reasons.ts';
import { usableId } from '../transcript.ts';
import { CallDraft, type StreamReader } from './assembled-calls.ts';

interface IndexedDraft {
  readonly draft: CallDraft;
  index: number | undefined;
}

/** A piece of a call. */
interface Piece {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string;
  readonly arguments: unknown;
}

export function openaiChatReader(): StreamReader {
  const calls: IndexedDraft[] = [];
  let reason: string | undefined;
  let ended = false;
  return {
    push: (chunk) => {
      if (isText(chunk) && chunk.trim() === '[DONE]') ended = true;
      if (!isRecord(chunk)) return;
      if (isRecord(chunk['error'])) reason = 'error';
      const { delta, finish } = firstChoice(chunk);
      reason = laterReason(reason, finish, 'openai-chat');
      for (const piece of piecesOf(delta)) place(piece, calls);
    },
    read: () => ({
      drafts: calls.map(({ draft }) => draft),
      reason,
      ending: reason === undefined && ended ? 'complete' : endingOf(reason, 'openai-chat'),
    }),
  };
}

/** Reads a complete chunk, or only its delta. */
function firstChoice(chunk: JsonObject): { readonly delta: JsonObject; readonly finish: unknown } {
  const { choices } = chunk;
  if (!isList(choices)) return { delta: chunk, finish: chunk['finish_reason'] };
  const choice = choices.find((each) => isRecord(each) && (each['index'] ?? 0) === 0);
  if (!isRecord(choice)) return { delta: {}, finish: undefined };
  const delta = choice['delta'] ?? choice['message'];
  return { delta: isRecord(delta) ? delta : {}, finish: choice['finish_reason'] };
}

function piecesOf(delta: JsonObject): readonly Piece[] {
  const { tool_calls: list, function_call: single } = delta;
  if (isRecord(single)) return [pieceOf({ index: 0, function: single })];
  return isList(list) ? list.filter(isRecord).map(pieceOf) : [];
}

function pieceOf(given: JsonObject): Piece {
  const called = isRecord(given['function']) ? given['function'] : {};
  return {
    index: typeof given['index'] === 'number' ? given['index'] : undefined,
    id: usableId(given['id']),
    name: isText(called['name']) ? called['name'] : '',
    arguments: called['arguments'],
  };
}

function place(piece: Piece, calls: IndexedDraft[]): void {
  const known = find(piece, calls);
  if (known) {
    known.index = piece.index ?? known.index;
    known.draft.id ??= piece.id;
    known.draft.name = nameAfter(known.draft.name, piece.name);
    known.draft.append(piece.arguments);
    return;
  }
  const draft = new CallDraft(piece.id, piece.name);
  draft.append(piece.arguments);
  calls.push({ draft, index: piece.index });
}

function find(piece: Piece, calls: readonly IndexedDraft[]): IndexedDraft | undefined {
  const byId = piece.id === undefined ? undefined : calls.findLast(({ draft }) => draft.id === piece.id);
  if (byId) return startsAnother(piece, byId) ? undefined : byId;
  const place = piece.index === undefined ? calls.at(-1) : calls.findLast(({ index }) => index === piece.index);
  if (!place) return piece.name === '' && piece.id === undefined ? calls.at(-1) : undefined;
  // A different id with a name is a new call, regardless of the index; without a name, the server has only changed the id.
  if (piece.id !== undefined && place.draft.id !== undefined && piece.name !== '') return undefined;
  return startsAnother(piece, place) ? undefined : place;
}

/** Whether a repeated name starts another call or belongs to the same one. */
function startsAnother(piece: Piece, { draft, index }: IndexedDraft): boolean {
  if (piece.name === '' || draft.isEmpty) return false;
  const elsewhere = piece.index !== undefined && index !== undefined && piece.index !== index;
  if (elsewhere || piece.name !== draft.name) return true;
  const now = objectOf(piece.arguments);
  const before = now && objectOf(draft.arguments);
  return before !== undefined && !sameJson(before, now);
}

/** A complete, non-empty object. */
function objectOf(given: unknown): JsonObject | undefined {
  const value = isText(given) ? (/^\s*\{/.test(given) ? parseJson(given)?.value : undefined) : given;
  return isRecord(value) && Object.keys(value).length > 0 ? value : undefined;
}

/** A repeated or longer name replaces the previous one; a fragment is appended. */
function nameAfter(name: string, next: string): string {
  if (next === '' || next === name) return name;
  return next.startsWith(name) ? next : name + next;
}
