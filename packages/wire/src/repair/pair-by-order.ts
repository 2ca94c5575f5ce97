/**
 * Owns pairing what has no usable id: by the name of the tool, then by order.
 *
 * Invariants
 * 1. Order decides only directly behind the calls, and only if there is exactly one result for each call that could be meant.
 * 2. A late result is paired if one call without a result is left that it could belong to, and no other result contends for it.
 * 3. A result whose id no call has is paired only directly behind the calls, with a call that has no id itself.
 */
import type { Codec } from '../formats/codec.ts';
import { jsonText, valueAt } from '../json.ts';
import { usableName, type Part } from '../transcript.ts';
import { areNamesEqual, distinct, isAnswered, join, pairEach, type Found, type Slot, type Turn } from './pairing.ts';

export interface OrderPairing {
  readonly codec: Codec;
  readonly placeholders: ReadonlySet<Part>;
  readonly uncertain: Set<Part>;
  readonly ids: IdsOfCalls;
  readonly crowded: ReadonlySet<number>;
  readonly contested: ReadonlySet<Part>;
}

type IdsOfCalls = Pick<ReadonlySet<string>, 'has'>;

/** Pairs results without an id, with an id that no call has, or with one that several calls have. */
export function pairByOrder(turns: readonly Turn[], loose: readonly Found[], context: OrderPairing): void {
  const inPlace = loose.filter((found) => found.inPlace);
  for (const [turn, results] of groupBy(inPlace, (found) => found.turn)) pairInPlace(turns[turn] ?? [], results, context);
  const late = loose.filter(({ result, isPlaceholder, turn }) => !result.partner && !isPlaceholder && result.id === undefined && turn >= 0);
  if (late.length > 0) pairLate(turns, loose, late, context);
}

/** Items without a key are left out. */
function groupBy<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key | undefined): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

const nameOfCall = ({ call }: Slot): string | undefined => usableName(call.name);
const nameOfResult = ({ result }: Found): string | undefined => usableName(result.name);

function pairInPlace(turn: Turn, results: readonly Found[], context: OrderPairing): void {
  const nameless = results.filter((found) => nameOfResult(found) === undefined);
  const unpaired = turn.filter(({ call }) => !call.partner);
  const areAllNamed = nameless.length === 0 && unpaired.every((slot) => nameOfCall(slot) !== undefined);
  if (!areAllNamed && pairWhole(unpaired, results, context)) return;
  const calls = groupBy(unpaired, nameOfCall);
  // Where some have names, one too many that has none may be of any tool: the order of the others of that tool proves nothing.
  const isCrowded = nameless.length > 0 && nameless.length < results.length && results.length > unpaired.length;
  for (const [name, named] of groupBy(results, nameOfResult)) {
    const slots = calls.get(name) ?? [];
    if (isCrowded && slots.length > 1) leaveUncertain([...named, ...nameless], context);
    else pairEqual(slots, named, context);
  }
  const open = turn.filter(({ call }) => !call.partner);
  const areNamed = open.every(({ call }) => usableName(call.name) !== undefined);
  const ids = new Set(open.map(({ call }) => call.id));
  const left = results.filter(
    ({ result }) =>
      !result.partner &&
      !context.uncertain.has(result) &&
      (!areNamed || usableName(result.name) === undefined) &&
      (result.id === undefined || ids.has(undefined) || ids.has(result.id)),
  );
  pairEqual(open, left, context);
}

/** Without some of the names, order decides if it contradicts no other name. */
function pairWhole(open: readonly Slot[], results: readonly Found[], context: OrderPairing): boolean {
  return open.length <= results.length && pairEach(open, results, context, (slot, found) => mayPair(slot, found, context));
}

/** Parts with different ids or names do not belong together; a result with the id of a call belongs to no other one. */
function mayPair({ call }: Slot, { result }: Found, { ids, contested }: OrderPairing): boolean {
  if (contested.has(call)) return false;
  if (result.id !== undefined && call.id !== result.id && (call.id !== undefined || ids.has(result.id))) return false;
  return areNamesEqual(call, result);
}

/** Pairs in order if it is certain that each result belongs to these calls. */
function pairEqual(slots: readonly Slot[], results: readonly Found[], context: OrderPairing): void {
  if (slots.length === 0 || results.length === 0) return;
  if (pairEach(slots, results, context, (slot, found) => mayPair(slot, found, context))) return;
  leaveUncertain(results, context);
}

function leaveUncertain(results: readonly Found[], { uncertain }: OrderPairing): void {
  for (const { result, isPlaceholder } of results) if (!isPlaceholder) uncertain.add(result);
}

/** Pairs results that came later with the calls that are still without one. */
function pairLate(turns: readonly Turn[], loose: readonly Found[], late: readonly Found[], context: OrderPairing): void {
  const open = turns.flat().filter((slot) => !isAnswered(slot, context.placeholders));
  if (open.length === 0) return;
  const used = new Set(loose.flatMap(({ result }) => (result.partner ? [outputOf(result, context.codec)] : [])));
  const contenders = distinct(late).filter(({ result }) => !used.has(outputOf(result, context.codec)));
  const calls = groupBy(open, nameOfCall);
  const named = groupBy(contenders, nameOfResult);
  for (const [name, results] of named) pairLast(calls.get(name) ?? [], results, context);
  const nameless = contenders.filter(({ result }) => usableName(result.name) === undefined);
  // Without a name, only the placeholder is evidence that the call had no result.
  const awaited = open.filter(({ call }) => call.partner !== undefined && context.placeholders.has(call.partner));
  if (awaited.length === open.length) pairLast(awaited, nameless, context);
}

const outputOf = (result: Part, codec: Codec): string => jsonText(valueAt(result.native, codec.fieldsOf(result).content ?? []));

/** Late results belong to the calls of one turn if they came together and there is one for each. */
function pairLast(slots: readonly Slot[], results: readonly Found[], context: OrderPairing): void {
  const [slot] = slots;
  const [found] = results;
  if (!slot || !found) return;
  const areTogether = slots.every(({ turn }) => turn === slot.turn) && results.every(({ run }) => run === found.run);
  const isClear = results.every(({ result }) => !context.uncertain.has(result));
  if (slots.length === results.length && areTogether && isClear && found.turn >= slot.turn)
    results.forEach(({ result }, index) => {
      const call = slots[index]?.call;
      if (call) join(call, result);
    });
  else for (const { result } of results) context.uncertain.add(result);
}
