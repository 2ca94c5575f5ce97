/**
 * Owns pairing results with calls, the same way for every format.
 * Does not own their placement (`place-…`) or their ids (`repair-ids`).
 *
 * Invariants
 * 1. A call has at most one result and vice versa.
 * 2. A result goes to its call or to no call: by id, without a usable id by name, then by order. What is not certain is not paired.
 * 3. A real result replaces a placeholder.
 * 4. Takes time linear in the number of parts.
 */
import type { Codec } from '../formats/codec.ts';
import type { RuleId } from '../rules.ts';
import type { Message, Part } from '../transcript.ts';
import { pairEarly, pairLane, type IdPairing, type Lane } from './pair-by-id.ts';
import { pairByOrder, type OrderPairing } from './pair-by-order.ts';
import { areNamesEqual, join, mayBeSameTool, readTurns, type Found, type Reading, type Slot, type Turn } from './pairing.ts';
import { dropRepeatedCalls, type RemovedRepeats } from './repeated-calls.ts';
import type { RepairLog } from './repair-log.ts';

export interface Pairing {
  readonly messages: readonly Message[];
  readonly codec: Codec;
  readonly log: RepairLog;
  /** Each call and result is a message of its own. */
  readonly isFlat: boolean;
  /** The provider may hold the calls, so results without a call are left alone. */
  readonly callsHeldByProvider: boolean;
}

export interface Paired extends RemovedRepeats {
  /** Late results that replace a placeholder. */
  readonly replacing: ReadonlySet<Part>;
}

export function pairResults({ messages, codec, log, isFlat, callsHeldByProvider }: Pairing): Paired {
  const reading = readTurns(messages, codec, isFlat);
  const { turns, results } = reading;
  const lanes = lanesOf(reading);
  if (pairOneToOne(reading, lanes)) return { ...dropRepeatedCalls(turns, codec, log), replacing: new Set() };
  const context = contextOf(reading, lanes, codec, isFlat);
  for (const lane of lanes.values()) pairLane(lane, context);
  for (const lane of lanes.values()) pairEarly(lane, context);
  // A result with an id that no call has may be of a call that the provider holds.
  const mayBeLoose = ({ id }: Part): boolean => (id === undefined ? true : !callsHeldByProvider && !lanes.has(id));
  const left = results.filter(({ result }) => !result.partner && (context.uncertain.has(result) || mayBeLoose(result)));
  if (left.length > 0) {
    pairByOrder(turns, left, context);
    for (const lane of lanes.values()) pairEarly(lane, context);
  }
  const replacing = isFlat ? lateResults(results, lanes) : new Set<Part>();
  for (const { result } of results) {
    if (result.partner) continue;
    if (callsHeldByProvider) reportHeld(result, log);
    else drop(result, context.uncertain.has(result) ? 'uncertain-result' : ruleOfStray(result, lanes), log);
  }
  return { ...dropRepeatedCalls(turns, codec, log), replacing };
}

/**
 * Pairs the parts of a transcript in which each id has one call and, behind it, one result: most are like that, and nothing has to be weighed. Returns whether it is one;
 * otherwise it pairs nothing.
 */
function pairOneToOne({ turns, results }: Reading, lanes: ReadonlyMap<string, Lane>): boolean {
  const calls = turns.reduce((sum, { length }) => sum + length, 0);
  if (calls !== lanes.size || results.length !== lanes.size) return false;
  for (const { slots, results: own } of lanes.values()) {
    const [slot] = slots;
    const [found] = own;
    if (!slot || !found || slots.length + own.length > 2) return false;
    if (found.turn < slot.turn || !mayBeSameTool(slot.call, found.result)) return false;
  }
  for (const { slots, results: own } of lanes.values()) if (slots[0] && own[0]) join(slots[0].call, own[0].result);
  return true;
}

function contextOf(reading: Reading, lanes: ReadonlyMap<string, Lane>, codec: Codec, isFlat: boolean): IdPairing & OrderPairing {
  const { turns, results } = reading;
  const counts = countByTurn(results);
  return {
    codec,
    turns,
    isFlat,
    ids: lanes,
    idsAreReused: areReused(lanes),
    placeholders: new Set(results.flatMap(({ result, isPlaceholder }) => (isPlaceholder ? [result] : []))),
    crowded: new Set(turns.flatMap(({ length }, turn) => ((counts.get(turn) ?? 0) > length ? [turn] : []))),
    turnsWithLoose: turnsWithLoose(reading, lanes),
    uncertain: new Set(),
    contested: new Set(),
  };
}

/** Whether a result has no id but the place and name of a result of this turn. */
const isLoose = ({ result, inPlace, turn }: Found, turns: readonly Turn[]): boolean =>
  inPlace && result.id === undefined && turns[turn]?.some(({ call }) => areNamesEqual(call, result)) === true;

function turnsWithLoose({ turns, results }: Reading, lanes: ReadonlyMap<string, Lane>): ReadonlySet<number> {
  const free = ({ call }: Slot): boolean => call.id === undefined || lanes.get(call.id)?.results.length === 0;
  const counts = countByTurn(results.filter((found) => isLoose(found, turns)));
  return new Set([...counts].flatMap(([turn, count]) => (count > (turns[turn] ?? []).filter(free).length ? [turn] : [])));
}

function countByTurn(results: readonly Found[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { turn } of results) counts.set(turn, (counts.get(turn) ?? 0) + 1);
  return counts;
}

function lanesOf({ turns, results }: Reading): ReadonlyMap<string, Lane> {
  const lanes = new Map<string, Lane>();
  for (const turn of turns)
    for (const slot of turn) {
      const { id } = slot.call;
      if (id === undefined) continue;
      const lane = lanes.get(id);
      if (lane) lane.slots.push(slot);
      else lanes.set(id, { slots: [slot], results: [] });
    }
  for (const found of results) if (found.result.id !== undefined) lanes.get(found.result.id)?.results.push(found);
  return lanes;
}

const areReused = (lanes: ReadonlyMap<string, Lane>): boolean =>
  [...lanes.values()].some(({ slots }) => slots.length > 1 && slots[0]?.turn !== slots.at(-1)?.turn);

/** Results that came in another run than the placeholder they replace. */
function lateResults(results: readonly Found[], lanes: ReadonlyMap<string, Lane>): ReadonlySet<Part> {
  const late = new Set<Part>();
  for (const { result, isPlaceholder, turn, run } of results) {
    if (!isPlaceholder || result.partner) continue;
    const lane = lanes.get(result.id ?? '');
    const partner = lane?.slots.findLast((slot) => slot.turn <= turn)?.call.partner;
    const found = partner && lane?.results.find((each) => each.result === partner);
    if (found && found.run > run) late.add(found.result);
  }
  return late;
}

function reportHeld(result: Part, log: RepairLog): void {
  if (result.id !== undefined) return;
  log.problem('server-state', result.path ?? '', 'The result has no call id, and the calls it could belong to are held by the provider.');
}

function ruleOfStray(result: Part, lanes: ReadonlyMap<string, Lane>): RuleId {
  const lane = lanes.get(result.id ?? '');
  return lane?.slots.some(({ call }) => call.partner && mayBeSameTool(call, result)) === true ? 'duplicate-result' : 'orphan-result';
}

function drop(result: Part, rule: RuleId, log: RepairLog): void {
  result.dropped = true;
  log.removed(rule, result.path, result.native);
}
