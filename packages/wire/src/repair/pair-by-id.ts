/**
 * Owns pairing results with the calls of their id.
 *
 * Invariants
 * 1. A result belongs to the nearest call of its id before it; to a later one only if no id of the transcript is used twice.
 * 2. A result of another tool is not paired, whatever its id is.
 * 3. What could belong to two different calls is not paired.
 */
import type { Codec } from '../formats/codec.ts';
import { usableName, type Part } from '../transcript.ts';
import { distinctOfId, isAnswered, isSameCall, join, mayBeSameTool, pairEach, type Found, type Slot, type Turn } from './pairing.ts';

/** The calls and results of one id. */
export interface Lane {
  readonly slots: Slot[];
  readonly results: Found[];
}

export interface IdPairing {
  readonly codec: Codec;
  readonly placeholders: ReadonlySet<Part>;
  /** Turns with more results than calls. */
  readonly crowded: ReadonlySet<number>;
  /** Calls with an early result of their id. */
  readonly contested: Set<Part>;
  /** Results that could belong to several calls. */
  readonly uncertain: Set<Part>;
  /** Some id of the transcript is used by calls of different turns. */
  readonly idsAreReused: boolean;
  /** Calls of one answer cannot be told from those of several. */
  readonly isFlat: boolean;
  readonly turns: readonly Turn[];
  /** Turns with results directly behind them that have no id, more than calls without another result. */
  readonly turnsWithLoose: ReadonlySet<number>;
  /** Runs with a result whose id no call has. The calls of other results were lost too, perhaps of those with an id that is used again. */
  readonly runsWithStrays: ReadonlySet<number>;
}

export function pairLane({ slots, results }: Lane, context: IdPairing): void {
  const [slot] = slots;
  const [found] = results;
  if (!slot || !found) return;
  if (slots.length === 1 && results.length === 1 && found.turn >= slot.turn) {
    if (mayBeSameTool(slot.call, found.result)) join(slot.call, found.result);
    return;
  }
  const names = new Set(slots.map(({ call }) => usableName(call.name)));
  if (names.size > 1) {
    const named = namedByPlace(slots, results);
    for (const name of names) {
      if (name === undefined) continue;
      const own = results.filter((found) => (usableName(found.result.name) ?? named.get(found)) === name);
      pairWindows(
        slots.filter(({ call }) => call.name === name),
        own,
        context,
      );
    }
  }
  const open = slots.filter(({ call }) => !call.partner);
  const left = results.filter(({ result }) => !result.partner && open.some(({ call }) => mayBeSameTool(call, result)));
  if (names.size === 1 || left.every(({ result }) => usableName(result.name) === undefined)) pairWindows(open, left, context);
}

/** The only result of the id directly behind the only call of the id is of its tool. A placeholder there leaves the call to a later result. */
function namedByPlace(slots: readonly Slot[], results: readonly Found[]): ReadonlyMap<Found, string | undefined> {
  const calls = oneOfTurn(slots);
  const inPlace = oneOfTurn(results.filter((found) => found.inPlace));
  return new Map(
    [...inPlace].flatMap(([turn, found]) => (found && isReal(found) ? [[found, usableName(calls.get(turn)?.call.name)] as const] : [])),
  );
}

/** What is the only one of its turn; `undefined` where there are several. */
function oneOfTurn<Item extends { readonly turn: number }>(items: readonly Item[]): ReadonlyMap<number, Item | undefined> {
  const found = new Map<number, Item | undefined>();
  for (const item of items) found.set(item.turn, found.has(item.turn) ? undefined : item);
  return found;
}

/** Pairs the calls of one id and tool turn by turn. */
function pairWindows(slots: readonly Slot[], results: readonly Found[], context: IdPairing): void {
  const [first] = slots;
  if (!first || results.length === 0) return;
  const surplus: Found[] = [];
  let at = 0;
  let hasOpen = false;
  let rest = results.findIndex(({ turn }) => turn >= first.turn);
  if (rest < 0) rest = results.length;
  while (at < slots.length) {
    const from = at;
    const turn = slots[at]?.turn ?? 0;
    while (slots[at]?.turn === turn) at += 1;
    const next = slots[at]?.turn ?? Infinity;
    const start = rest;
    while ((results[rest]?.turn ?? Infinity) < next) rest += 1;
    const own = slots.slice(from, at);
    surplus.push(...pairTurn(own, results.slice(start, rest), hasOpen, context));
    hasOpen ||= own.some((slot) => !isAnswered(slot, context.placeholders));
  }
  pairSurplus(slots, surplus, context);
}

const isReal = ({ isPlaceholder }: Found): boolean => !isPlaceholder;

/** Returns the real results for which the turn has no call. `hasOpen`: an earlier call of the same id has no result. */
function pairTurn(slots: readonly Slot[], results: readonly Found[], hasOpen: boolean, context: IdPairing): readonly Found[] {
  const [slot] = slots;
  const [first] = results;
  if (!slot || !first) return [];
  if (slots.length > 1) return pairRepeatedId(slots, results, context);
  const real = results.filter(isReal);
  const [own] = real;
  if (!own) {
    join(slot.call, first.result);
    return [];
  }
  const chosen = context.runsWithStrays.has(own.run) ? own : lastOf(real.filter(({ run }) => run === own.run));
  if (isContested(slot, results, hasOpen, context)) return leave(real, context);
  join(slot.call, chosen.result);
  return distinctOfId([chosen, ...real]).slice(1);
}

/** Whether another call of the id could be meant, or another result. `hasOpen`: an earlier call of the same id has no result. */
function isContested({ turn }: Slot, results: readonly Found[], hasOpen: boolean, context: IdPairing): boolean {
  const real = results.filter(isReal);
  const [own] = real;
  if (!own) return false;
  const { idsAreReused, turns, turnsWithLoose } = context;
  const isOwn = own === results[0] && own.inPlace && own.turn === turn;
  // Behind a placeholder, every later result of an id that is used again may be the one.
  const candidates = idsAreReused && !isOwn ? real : real.filter(({ run }) => run === own.run);
  if (distinctOfId(candidates).length > 1)
    return hasOpen || idsAreReused || turns[turn]?.some((each) => each.call.id === undefined) === true;
  // A placeholder in place proves that the results without ids are of other calls.
  return idsAreReused && !isOwn && results[0]?.isPlaceholder !== true && turnsWithLoose.has(turn);
}

/** The last result; of equal ones in a row the first. */
function lastOf(results: readonly Found[]): Found {
  return results.reduce((kept, next) => (distinctOfId([kept, next]).length > 1 ? next : kept));
}

/** Calls of one turn with the same id: the id does not tell them apart, but their order does if there is one result for each of them. */
function pairRepeatedId(slots: readonly Slot[], results: readonly Found[], context: IdPairing): readonly Found[] {
  const last = slots.filter(({ group }) => group === slots.at(-1)?.group);
  const real = results.filter(isReal);
  const [first] = slots;
  const newest = slots.at(-1);
  // Calls of several answers: the results behind the last one are its own.
  const areEqual = first !== undefined && slots.every(({ call }) => isSameCall(first.call, call, context.codec));
  const isOne = areEqual || last.length === slots.length;
  const run = results.filter((found) => found.run === results[0]?.run);
  const hasLoose = context.turnsWithLoose.has(newest?.turn ?? 0);
  if (
    isOne
      ? pairEach(slots, run, context) || (areEqual && !hasLoose && pairEach(slots, results, context))
      : !hasLoose && pairEach(last, real, context)
  )
    return real.filter(({ result }) => !result.partner);
  const [found] = real;
  const isAlone = slots.length === context.turns[newest?.turn ?? 0]?.length && !hasLoose;
  if (!context.isFlat || !isAlone || !found || !newest || distinctOfId(real).length > 1) return leave(real, context);
  // A result beside it that has an id of no call may be that of the other call.
  if (context.runsWithStrays.has(found.run)) return leave(real, context);
  // Adjacent answers rather than one: the first result was lost.
  join(newest.call, found.result);
  return [];
}

/** Leaves results unpaired that could belong to other calls too. */
function leave(results: readonly Found[], { uncertain }: IdPairing): readonly Found[] {
  for (const { result } of results) uncertain.add(result);
  return [];
}

/** A late result belongs to the one call of its id for which a placeholder was made. */
function pairSurplus(slots: readonly Slot[], surplus: readonly Found[], context: IdPairing): void {
  const open = slots.filter(({ call }) => call.partner !== undefined && context.placeholders.has(call.partner));
  const [slot] = open;
  const [found] = surplus;
  if (slot && found && open.length === 1 && distinctOfId(surplus).length === 1 && found.turn >= slot.turn) join(slot.call, found.result);
}

/** Pairs a result that precedes the only call of its id, unless another result may be that of the call, or another call that of the result. */
export function pairEarly({ slots, results }: Lane, context: IdPairing): void {
  const { turns, placeholders } = context;
  const [slot] = slots;
  if (!slot || slots.length > 1 || isAnswered(slot, placeholders)) return;
  const early = results.filter((found) => isReal(found) && found.turn < slot.turn && mayBeSameTool(slot.call, found.result));
  const [found] = early;
  if (!found) return;
  if (context.turnsWithLoose.has(slot.turn)) context.contested.add(slot.call);
  else if (context.idsAreReused || distinctOfId(early).length > 1) return;
  else if (turns[found.turn]?.every(({ call }) => call.id !== undefined || call.partner) !== false) join(slot.call, found.result);
}
