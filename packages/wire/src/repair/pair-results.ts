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
  const { lanes, byId } = lanesOf(reading);
  if (pairOneToOne(reading, lanes)) return { ...dropRepeatedCalls(turns, codec, log), replacing: new Set() };
  const context = contextOf(reading, lanes, byId, codec, isFlat);
  for (const lane of lanes) pairLane(lane, context);
  for (const lane of lanes) pairEarly(lane, context);
  // A result with an id that no call has may be of a call that the provider holds.
  const mayBeLoose = ({ id }: Part): boolean => (id === undefined ? true : !callsHeldByProvider && !byId.has(id));
  const left = results.filter(({ result }) => !result.partner && (context.uncertain.has(result) || mayBeLoose(result)));
  if (left.length > 0) {
    pairByOrder(turns, left, context);
    for (const lane of lanes) pairEarly(lane, context);
  }
  const replacing = isFlat ? lateResults(results, byId) : new Set<Part>();
  for (const { result } of results) {
    if (result.partner) continue;
    if (callsHeldByProvider) reportHeld(result, log);
    else drop(result, context.uncertain.has(result) ? 'uncertain-result' : ruleOfStray(result, byId), log);
  }
  return { ...dropRepeatedCalls(turns, codec, log), replacing };
}

/**
 * Pairs the parts of a transcript in which each id has one call and, behind it, one result: most are like that, and nothing has to be weighed. Returns whether it is one;
 * otherwise it pairs nothing.
 */
function pairOneToOne({ turns, results }: Reading, lanes: readonly Lane[]): boolean {
  const calls = turns.reduce((sum, { length }) => sum + length, 0);
  if (calls !== lanes.length || results.length !== lanes.length) return false;
  for (const { slots, results: own } of lanes) {
    const [slot] = slots;
    const [found] = own;
    if (!slot || !found || slots.length + own.length > 2) return false;
    if (found.turn < slot.turn || !mayBeSameTool(slot.call, found.result)) return false;
  }
  for (const { slots, results: own } of lanes) if (slots[0] && own[0]) join(slots[0].call, own[0].result);
  return true;
}

function contextOf(reading: Reading, lanes: readonly Lane[], byId: LanesById, codec: Codec, isFlat: boolean): IdPairing & OrderPairing {
  const { turns, results } = reading;
  const counts = countByTurn(results);
  return {
    codec,
    turns,
    isFlat,
    ids: byId,
    idsAreReused: areReused(lanes),
    placeholders: new Set(results.flatMap(({ result, isPlaceholder }) => (isPlaceholder ? [result] : []))),
    crowded: new Set(turns.flatMap(({ length }, turn) => ((counts.get(turn) ?? 0) > length ? [turn] : []))),
    turnsWithLoose: turnsWithLoose(reading, byId),
    runsWithStrays: new Set(results.flatMap(({ result: { id }, run }) => (id === undefined || byId.has(id) ? [] : [run]))),
    uncertain: new Set(),
    contested: new Set(),
  };
}

/** Whether a result has no id but the place and name of a result of this turn. */
const isLoose = ({ result, inPlace, turn }: Found, turns: readonly Turn[]): boolean =>
  inPlace && result.id === undefined && turns[turn]?.some(({ call }) => areNamesEqual(call, result)) === true;

function turnsWithLoose({ turns, results }: Reading, lanes: LanesById): ReadonlySet<number> {
  const free = ({ call }: Slot): boolean => call.id === undefined || lanes.get(call.id)?.results.length === 0;
  const counts = countByTurn(results.filter((found) => isLoose(found, turns)));
  return new Set([...counts].flatMap(([turn, count]) => (count > (turns[turn] ?? []).filter(free).length ? [turn] : [])));
}

function countByTurn(results: readonly Found[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { turn } of results) counts.set(turn, (counts.get(turn) ?? 0) + 1);
  return counts;
}

type LanesById = ReadonlyMap<string, Lane>;

/** The lanes, and the lane of each id that a call or a result has. */
function lanesOf({ turns, results }: Reading): { readonly lanes: readonly Lane[]; readonly byId: LanesById } {
  const byId = new Map<string, Lane>();
  for (const turn of turns)
    for (const slot of turn) {
      const { id } = slot.call;
      if (id === undefined) continue;
      const lane = byId.get(id);
      if (lane) lane.slots.push(slot);
      else byId.set(id, { slots: [slot], results: [] });
    }
  const lanes = [...byId.values()];
  addTrimmedIds(byId, results);
  for (const found of results) if (found.result.id !== undefined) byId.get(found.result.id)?.results.push(found);
  return { lanes, byId };
}

/** An id with blanks or a line break around it is that of a call if exactly one id of calls is the same without them. */
function addTrimmedIds(byId: Map<string, Lane>, results: readonly Found[]): void {
  let trimmed: Map<string, Lane | undefined> | undefined;
  for (const { result } of results) {
    const { id } = result;
    if (id === undefined || byId.has(id)) continue;
    trimmed ??= byTrimmedId(byId);
    const lane = trimmed.get(id.trim());
    if (lane) byId.set(id, lane);
  }
}

function byTrimmedId(byId: LanesById): Map<string, Lane | undefined> {
  const trimmed = new Map<string, Lane | undefined>();
  for (const [id, lane] of byId) trimmed.set(id.trim(), trimmed.has(id.trim()) ? undefined : lane);
  return trimmed;
}

const areReused = (lanes: readonly Lane[]): boolean => lanes.some(({ slots }) => slots.length > 1 && slots[0]?.turn !== slots.at(-1)?.turn);

/** Results that came in another run than the placeholder they replace. */
function lateResults(results: readonly Found[], lanes: LanesById): ReadonlySet<Part> {
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

function ruleOfStray(result: Part, lanes: LanesById): RuleId {
  const lane = lanes.get(result.id ?? '');
  return lane?.slots.some(({ call }) => call.partner && mayBeSameTool(call, result)) === true ? 'duplicate-result' : 'orphan-result';
}

function drop(result: Part, rule: RuleId, log: RepairLog): void {
  result.dropped = true;
  log.removed(rule, result.path, result.native);
}
