/**
 * Judges a repaired conversation by the numbers that calls and results were made with. Knows nothing of the repair.
 *
 * A result is attached to a call as the provider attaches it: by the id within its turn; without ids (Gemini) by name and order.
 */
import type { Change } from '@holdfast/wire';
import { callsOf, resultsOf, type Conversation, type Entry, type Result } from './conversation.ts';
import { readPieces, writers, type ListFormat, type Piece } from './written.ts';

type Json = Readonly<Record<string, unknown>>;

interface Attached {
  readonly call: Piece;
  readonly result: Piece;
}

export interface Verdict {
  /** Attached to a call that it does not belong to, or to none. */
  readonly wrong: readonly string[];
  /** The same, but nothing in the conversation says that it does not belong there. */
  readonly guessed: readonly string[];
  /** Gone, although the conversation tells to which call it belongs. */
  readonly lost: readonly string[];
  /** Gone, because the conversation does not tell. */
  readonly unclear: number;
  readonly kept: number;
}

/** Results with the calls that a provider takes them for. */
function attach(request: Json, format: ListFormat): { readonly pairs: readonly Attached[]; readonly stray: readonly Piece[] } {
  const pairs: Attached[] = [];
  const stray: Piece[] = [];
  let open: Piece[] = [];
  let inCalls = false;
  const everywhere = format === 'openai-responses';
  for (const piece of readPieces(request, format)) {
    if (piece.kind === 'call') {
      if (!inCalls && !everywhere) open = [];
      inCalls = true;
      open.push(piece);
    } else if (piece.kind === 'result') {
      inCalls = false;
      const fits = open.filter(({ id, name }) =>
        piece.id === undefined && format === 'gemini' ? id === undefined && name === piece.name : id === piece.id,
      );
      const [call] = fits;
      if (!call || (fits.length > 1 && piece.id !== undefined)) stray.push(piece);
      else {
        pairs.push({ call, result: piece });
        open.splice(open.indexOf(call), 1);
      }
    }
  }
  return { pairs, stray };
}

export function judge(given: Conversation, request: Json, changes: readonly Change[], format: ListFormat): Verdict {
  const { pairs, stray } = attach(request, format);
  const { namesResults } = writers[format];
  const wrong: string[] = stray.map(({ number }) => `R${number ?? 'placeholder'} belongs to no call`);
  const guessed: string[] = [];
  for (const { call, result } of pairs) {
    if (namesResults && result.name !== undefined && result.name !== call.name)
      wrong.push(`R${result.number ?? 'placeholder'} has another name than its call`);
    if (result.number === undefined) continue;
    if (result.number !== call.number)
      (isContradicted(given, result.number, call.number ?? 0, namesResults) ? wrong : guessed).push(
        `R${result.number} is at C${call.number ?? '?'}`,
      );
    const own = resultsOf(given).filter(({ number }) => number === result.number);
    // A result may be repeated without its name.
    if (namesResults && own.length > 0 && own.every(({ name }) => name !== undefined && name !== result.name))
      wrong.push(`R${result.number} was renamed to ${String(result.name)}`);
  }
  const kept = new Set(pairs.map(({ result }) => result.number));
  const removed = JSON.stringify(changes.filter(({ action }) => action === 'removed'));
  const gone = [...new Set(resultsOf(given).filter(({ isPlaceholder }) => !isPlaceholder))].filter(({ number }) => !kept.has(number));
  for (const { number } of gone) if (!removed.includes(`R${number}.`)) wrong.push(`R${number} is gone without a report`);
  const inside = new Set(callsOf(given).map(({ number }) => number));
  const owned = gone.filter(({ number }) => inside.has(number));
  const lost = owned.filter((result) => isCertain(given, result, namesResults));
  return {
    wrong,
    guessed,
    lost: [...new Set(lost.map(({ number }) => `R${number} is lost`))],
    unclear: new Set(owned.map(({ number }) => number)).size - new Set(lost.map(({ number }) => number)).size,
    kept: kept.size,
  };
}

const noIds: ReadonlySet<unknown> = new Set([undefined, '', 'undefined', 'null']);
const key = (id: unknown): string | undefined => (noIds.has(id) ? undefined : String(id).trim());

/** Whether a conversation tells that a result does not belong to a call: both have ids of their own, or the tools differ. */
function isContradicted(given: Conversation, number: number, at: number, namesResults: boolean): boolean {
  const calls = callsOf(given).filter((call) => call.number === at);
  const results = resultsOf(given).filter((result) => result.number === number);
  const differ = (one: unknown, other: unknown): boolean => key(one) !== undefined && key(other) !== undefined && key(one) !== key(other);
  return calls.every((call) => results.every((result) => differ(call.id, result.id) || (namesResults && differ(call.name, result.name))));
}

/** Whether a conversation tells where a result belongs. */
function isCertain(given: Conversation, { number }: Result, namesResults: boolean): boolean {
  return isCertainById(given, number) || isCertainByOrder(given, number, namesResults) || (namesResults && isCertainByName(given, number));
}

function isCertainById(given: Conversation, number: number): boolean {
  const calls = callsOf(given).filter((call) => call.number === number);
  const results = resultsOf(given).filter((result) => result.number === number && !result.isPlaceholder);
  const [id] = calls.map((call) => key(call.id));
  if (id === undefined || calls.length !== 1 || !results.some((result) => key(result.id) === id)) return false;
  const others = [...callsOf(given), ...resultsOf(given)].filter((each) => each.number !== number && key(each.id) === id);
  if (others.length > 0) return false;
  const place = given.entries.findIndex((entry) => entry.kind === 'model' && entry.calls.some((call) => call.number === number));
  const isBehind = given.entries
    .slice(place)
    .some(
      (entry) =>
        entry.kind === 'results' &&
        entry.results.some((result) => result.number === number && !result.isPlaceholder && key(result.id) === id),
    );
  if (isBehind || areIdsReused(given)) return isBehind;
  const own = given.entries[place + 1];
  if (own?.kind === 'results' && own.results.some((result) => key(result.id) === undefined)) return false;
  // An early result may be that of a call without an id.
  const found = given.entries.findIndex((entry) => entry.kind === 'results' && entry.results.some((result) => result.number === number));
  const before = given.entries.slice(0, found).findLast(hasCalls);
  return before?.kind !== 'model' || before.calls.every((call) => key(call.id) !== undefined);
}

function areIdsReused(given: Conversation): boolean {
  const ids = callsOf(given).flatMap(({ id }) => key(id) ?? []);
  return new Set(ids).size < ids.length;
}

/** One answer of the model with its results directly behind it, one for each call, in the order of the calls. */
function isCertainByOrder({ entries }: Conversation, number: number, namesResults: boolean): boolean {
  const place = entries.findIndex((entry) => entry.kind === 'model' && entry.calls.some((call) => call.number === number));
  const turn = entries[place];
  if (turn?.kind !== 'model') return false;
  // Adjacent messages of the model may be one answer.
  const start = entries.slice(0, place).findLastIndex(({ kind }) => kind !== 'model') + 1;
  if (entries.slice(start, place).some(hasCalls)) return false;
  const results: Result[] = [];
  for (let index = place + 1; ; index += 1) {
    const entry = entries[index];
    if (entry?.kind !== 'results') break;
    results.push(...entry.results);
    if (entry.text !== undefined && entries[index + 1]?.kind === 'results') return false;
  }
  const numbers = turn.calls.map((call) => call.number);
  if (results.length !== numbers.length || results.some(({ isPlaceholder }) => isPlaceholder)) return false;
  if (
    new Set(turn.calls.map(({ id }) => key(id)).filter((id) => id !== undefined)).size <
    turn.calls.filter(({ id }) => key(id) !== undefined).length
  )
    return false;
  const elsewhere = entries
    .filter((entry) => entry !== turn)
    .some(
      (entry) =>
        entry.kind === 'model' &&
        entry.calls.some(
          (call) => numbers.includes(call.number) || turn.calls.some(({ id }) => key(id) !== undefined && key(id) === key(call.id)),
        ),
    );
  if (elsewhere) return false;
  // Unless another result has the id of one of these calls.
  const ids = new Set(turn.calls.flatMap(({ id }) => key(id) ?? []));
  if (
    entries.some(
      (entry) => entry.kind === 'results' && entry.results.some((result) => ids.has(key(result.id) ?? '') && !results.includes(result)),
    )
  )
    return false;
  const others = entries.flatMap((entry) => (entry.kind === 'model' ? entry.calls : []));
  if (
    results.some((result) =>
      others.some((call) => call.number !== result.number && key(call.id) !== undefined && key(call.id) === key(result.id)),
    )
  )
    return false;
  // Unless both have an id, and the ids differ.
  const differs = results.some(
    (result, index) =>
      key(result.id) !== undefined && key(turn.calls[index]?.id) !== undefined && key(result.id) !== key(turn.calls[index]?.id),
  );
  return (
    !differs &&
    results.every(
      (result, index) =>
        result.number === numbers[index] && (!namesResults || result.name === undefined || result.name === turn.calls[index]?.name),
    )
  );
}

const hasCalls = (entry: Entry | undefined): boolean => entry?.kind === 'model' && entry.calls.length > 0;

/** The only call and the only result of a tool, the result later. */
function isCertainByName({ entries }: Conversation, number: number): boolean {
  const calls = entries.flatMap((entry, place) => (entry.kind === 'model' ? entry.calls.map((call) => ({ call, place })) : []));
  const results = entries.flatMap((entry, place) => (entry.kind === 'results' ? entry.results.map((result) => ({ result, place })) : []));
  const mine = calls.filter(({ call }) => call.number === number);
  const [own] = mine;
  if (!own || mine.length > 1) return false;
  const named = results.filter(({ result }) => result.name === own.call.name && !result.isPlaceholder);
  const [found] = named;
  if (!found || named.length > 1 || found.result.number !== number || key(found.result.id) !== undefined) return false;
  return calls.filter(({ call }) => call.name === own.call.name).length === 1 && found.place > own.place;
}
