/**
 * Owns pairing results with calls, in one ordered pass rather than by ids over the whole transcript.
 * Does not own their placement (`place-…`) or their ids (`repair-ids`).
 *
 * Invariants
 * 1. A call has at most one result and vice versa; a result is paired with the call it was given for, never with a later turn
 *    that reuses the id.
 * 2. A result belongs to the latest turn with an open call of its id, and within that turn to the first open call.
 * 3. Without an id, name and occurrence decide, then position; uncertain cases are left alone.
 * 4. Takes time linear in the number of parts.
 */
import { jsonText, sameJson, valueAt } from '../json.ts';
import type { Codec } from '../formats/codec.ts';
import { sentences, type Message, type Part } from '../transcript.ts';
import type { RepairLog } from './repair-log.ts';

interface Slot {
  readonly call: Part;
  readonly message: Message;
}

/** Calls with no result and no other turn between them. */
interface Turn {
  readonly slots: Slot[];
  /** Results after the turn that have no usable id, or an id no call has. */
  readonly loose: Part[];
}

interface OpenCalls {
  readonly turn: Turn;
  readonly calls: Part[];
  next: number;
}

export interface Pairing {
  readonly messages: readonly Message[];
  readonly codec: Codec;
  readonly log: RepairLog;
  /** The provider may hold the calls, so results without a call are left alone. */
  readonly callsHeldByProvider: boolean;
}

/** Messages from which repeated calls were removed. */
export interface RemovedRepeats {
  readonly removed: ReadonlySet<Message>;
  readonly shortened: ReadonlySet<Message>;
}

export function pairResults({ messages, codec, log, callsHeldByProvider }: Pairing): RemovedRepeats {
  const walk = newWalk();
  for (const message of messages) for (const part of message.parts) step(walk, part, message);
  for (const result of walk.early) if (!pairWithLaterCall(walk, result)) walk.strays.push(result);
  for (const turn of walk.turns) pairLoose(turn);
  for (const result of walk.strays) {
    if (result.partner) continue;
    if (callsHeldByProvider) {
      if (result.id === undefined)
        log.problem(
          'server-state',
          result.path ?? '',
          'The result has no call id, and the calls it could belong to are held by the provider.',
        );
      continue;
    }
    drop(result, walk.ids.has(result.id ?? '') ? 'duplicate-result' : 'orphan-result', log);
  }
  const removedRepeats: RemovingRepeats = { removed: new Set(), shortened: new Set(), log };
  for (const turn of walk.turns) dropRepeatedCalls(turn, codec, removedRepeats);
  return removedRepeats;
}

interface RemovingRepeats extends RemovedRepeats {
  readonly removed: Set<Message>;
  readonly shortened: Set<Message>;
  readonly log: RepairLog;
}

interface IdState {
  /** Calls without a result; those of the latest turn last. */
  readonly open: OpenCalls[];
  /** The last result of this id, and its run of consecutive results. */
  answer: Part | undefined;
  run: number;
}

interface Walk {
  readonly turns: Turn[];
  readonly ids: Map<string, IdState>;
  /** Results whose id no call has had yet. */
  readonly early: Part[];
  readonly strays: Part[];
  inCalls: boolean;
  run: number;
}

const newWalk = (): Walk => ({
  turns: [],
  ids: new Map(),
  early: [],
  strays: [],
  inCalls: false,
  run: 0,
});

function step(walk: Walk, part: Part, message: Message): void {
  if (part.kind === 'result') takeResult(walk, part);
  else {
    walk.run += 1;
    if (part.kind === 'call') takeCall(walk, part, message);
    else if (message.role !== 'assistant') walk.inCalls = false;
  }
}

function takeCall(walk: Walk, call: Part, message: Message): void {
  if (!walk.inCalls) walk.turns.push({ slots: [], loose: [] });
  walk.inCalls = true;
  const turn = walk.turns.at(-1);
  if (!turn) return;
  turn.slots.push({ call, message });
  if (call.id === undefined) return;
  const state = walk.ids.get(call.id) ?? { open: [], answer: undefined, run: 0 };
  if (state.open.length === 0) walk.ids.set(call.id, state);
  const top = state.open.at(-1);
  if (top?.turn === turn) top.calls.push(call);
  else state.open.push({ turn, calls: [call], next: 0 });
}

function takeResult(walk: Walk, result: Part): void {
  walk.inCalls = false;
  const { id } = result;
  const turn = walk.turns.at(-1);
  if (id === undefined) {
    (turn?.loose ?? walk.strays).push(result);
    if (turn) walk.strays.push(result);
    return;
  }
  const state = walk.ids.get(id);
  const call = nextOpen(state?.open);
  if (state && call) {
    join(call, result);
    state.answer = result;
    state.run = walk.run;
  } else if (state?.answer) {
    if (state.run === walk.run && isBetter(result, state.answer)) replaceAnswer(state, result, walk);
    else walk.strays.push(result);
  } else {
    walk.early.push(result);
    turn?.loose.push(result);
  }
}

function nextOpen(stack: OpenCalls[] | undefined): Part | undefined {
  const top = stack?.at(-1);
  if (!stack || !top) return undefined;
  const call = top.calls[top.next];
  top.next += 1;
  if (top.next >= top.calls.length) stack.pop();
  return call;
}

function join(call: Part, result: Part): void {
  call.partner = result;
  result.partner = call;
}

function replaceAnswer(state: IdState, result: Part, walk: Walk): void {
  const call = state.answer?.partner;
  if (state.answer) {
    state.answer.partner = undefined;
    walk.strays.push(state.answer);
  }
  if (call) join(call, result);
  state.answer = result;
}

/** Prefers a real result to a placeholder, else the last one; of equal results the first. */
function isBetter(next: Part, first: Part): boolean {
  return !isPlaceholder(next) && (isPlaceholder(first) || !sameJson(next.native, first.native));
}

const isPlaceholder = ({ native }: Part): boolean => jsonText(native).includes(sentences.noResult);

/** Pairs a result that precedes its call, if no earlier call had its id. */
function pairWithLaterCall(walk: Walk, result: Part): boolean {
  if (result.partner) return true;
  const open = walk.ids.get(result.id ?? '')?.open;
  const bottom = open?.[0];
  const call = bottom?.calls[bottom.next];
  if (!bottom || !call || call.partner) return false;
  bottom.next += 1;
  join(call, result);
  if (bottom.next >= bottom.calls.length) open?.shift();
  return true;
}

/** Pairs results without a known id: by name and occurrence, then by position. */
function pairLoose({ slots, loose }: Turn): void {
  if (loose.length === 0) return;
  const results = loose.filter(({ partner }) => !partner);
  if (results.length === 0) return;
  const open = slots.map(({ call }) => call).filter(({ partner }) => !partner);
  const byName = new Map<string, Part[]>();
  for (const call of open.toReversed()) {
    const queue = byName.get(call.name ?? '') ?? [];
    queue.push(call);
    byName.set(call.name ?? '', queue);
  }
  for (const result of results) {
    const queue = result.name === undefined ? undefined : byName.get(result.name);
    const call = queue?.at(-1);
    if (!call || !mayPair(call, result)) continue;
    queue?.pop();
    join(call, result);
  }
  pairByPosition(open, results);
}

/** A call and a result that both have ids but were not paired by them do not belong together. */
const mayPair = (call: Part, result: Part): boolean => call.id === undefined || result.id === undefined;

function pairByPosition(open: readonly Part[], results: readonly Part[]): void {
  const calls = open.filter(({ partner }) => !partner);
  const withoutId = calls.filter(({ id }) => id === undefined);
  const left = results.filter(({ partner }) => !partner);
  if (withoutId.length > 0) {
    withoutId.slice(0, left.length).forEach((call, index) => {
      const result = left[index];
      if (result) join(call, result);
    });
    return;
  }
  const [call] = calls;
  const [result] = left.filter(({ id }) => id === undefined);
  if (call && result && calls.length === 1) join(call, result);
}

function drop(result: Part, rule: 'orphan-result' | 'duplicate-result', log: RepairLog): void {
  result.dropped = true;
  log.removed(rule, result.path, result.native);
}

/** Removes repetitions of a call that has one result or none for both. */
function dropRepeatedCalls({ slots }: Turn, codec: Codec, removing: RemovingRepeats): void {
  if (slots.length === 1 || slots.every(({ call }) => call.partner)) return;
  const first = new Map<string, Slot>();
  const repeats = new Map<Message, Repeat>();
  for (const { call, message } of slots) {
    if (call.id === undefined) continue;
    const original = first.get(call.id);
    if (!original) first.set(call.id, { call, message });
    else if (!call.partner && isSameCall(original.call, call, codec)) {
      const repeat = repeats.get(message) ?? { original: original.message, calls: new Set() };
      repeat.calls.add(call);
      repeats.set(message, repeat);
    }
  }
  for (const [message, repeat] of repeats) dropRepeats(message, repeat, removing);
}

/** Calls of a message that repeat calls of an earlier one. */
interface Repeat {
  readonly original: Message;
  readonly calls: Set<Part>;
}

function isSameCall(one: Part, other: Part, codec: Codec): boolean {
  const fields = codec.fieldsOf(one).arguments;
  if (one.name !== other.name) return false;
  return fields ? sameJson(valueAt(one.native, fields), valueAt(other.native, fields)) : sameJson(one.native, other.native);
}

function dropRepeats(message: Message, { original, calls }: Repeat, { removed, shortened, log }: RemovingRepeats): void {
  message.changed = true;
  if (original !== message && isRepeated(message, original)) {
    for (const part of message.parts) if (part.kind === 'call') part.dropped = true;
    log.removed('duplicate-call', message.path, message.native);
    removed.add(message);
    return;
  }
  for (const call of calls) {
    call.dropped = true;
    log.removed('duplicate-call', call.path, call.native);
  }
  message.parts = message.parts.filter((part) => !calls.has(part));
  shortened.add(message);
}

const partFields: ReadonlySet<string> = new Set(['content', 'parts', 'tool_calls']);

/** Whether a message contains nothing new compared to another one: the same parts and the same other fields. */
function isRepeated(message: Message, original: Message): boolean {
  const { native } = message;
  if (Object.keys(native).some((key) => !partFields.has(key) && !sameJson(native[key], original.native[key]))) return false;
  const contents = new Set(original.parts.map((part) => jsonText(part.native)));
  return message.parts.every((part) => {
    if (part.kind === 'call') return !part.partner && contents.has(jsonText(part.native));
    if (part.native === null || part.native === '') return true;
    return part.kind !== 'result' && contents.has(jsonText(part.native));
  });
}
