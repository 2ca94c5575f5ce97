/**
 * Owns the reading of a transcript as turns of calls and the results behind them, and what may be paired at all.
 * Does not own the decisions: `pair-by-id`, `pair-by-order`.
 */
import { isList, isRecord, isText, jsonText, sameJson, valueAt, withValueAt, type JsonObject } from '../json.ts';
import type { Codec } from '../formats/codec.ts';
import { sentences, usableName, type Message, type Part } from '../transcript.ts';

/** A call, and where it was made. */
export interface Slot {
  readonly call: Part;
  readonly message: Message;
  readonly turn: number;
  /** Calls of one answer of the model have the same group. Adjacent messages of a turn may be separate answers. */
  readonly group: number;
}

/** A result, and where it was found. */
export class Found {
  readonly result: Part;
  /** The latest turn before it; -1 if there is none. */
  readonly turn: number;
  /** Results with nothing but results between them have the same run. */
  readonly run: number;
  /** Nothing but results is between the calls of the turn and this result. */
  readonly inPlace: boolean;
  readonly #codec: Codec;
  #text: string | undefined;
  #body: string | undefined;
  #isPlaceholder: boolean | undefined;

  constructor(result: Part, place: Pick<Found, 'turn' | 'run' | 'inPlace'>, codec: Codec) {
    this.result = result;
    this.turn = place.turn;
    this.run = place.run;
    this.inPlace = place.inPlace;
    this.#codec = codec;
  }

  get isPlaceholder(): boolean {
    return (this.#isPlaceholder ??= isPlaceholder(this.result, this.#codec));
  }

  /** The result without its id: equal ones repeat each other, or are of tools that say the same. */
  get text(): string {
    return (this.#text ??= jsonText(this.#withoutId()));
  }

  /** The result without its id and name: of those with one id, equal ones repeat each other. */
  get body(): string {
    return (this.#body ??= jsonText(withValueAt(this.#withoutId(), this.#codec.fieldsOf(this.result).name ?? ['name'], undefined)));
  }

  #withoutId(): JsonObject {
    return withValueAt(this.result.native, this.#codec.fieldsOf(this.result).id, undefined);
  }
}

/** Calls with no result and no other turn between them. */
export type Turn = readonly Slot[];

export interface Reading {
  readonly turns: readonly Turn[];
  readonly results: readonly Found[];
}

interface Walk {
  readonly turns: Slot[][];
  readonly results: Found[];
  readonly codec: Codec;
  inCalls: boolean;
  group: number;
  run: number;
  /** The run behind the latest calls. */
  ownRun: number;
}

/** `isFlat`: each call is a message of its own, so that adjacent ones are one answer. */
export function readTurns(messages: readonly Message[], codec: Codec, isFlat: boolean): Reading {
  const walk: Walk = { turns: [], results: [], codec, inCalls: false, group: 0, run: 0, ownRun: 0 };
  let previous: Part | undefined;
  for (const message of messages) {
    if (!isFlat || previous?.kind !== 'call') walk.group += 1;
    if (message.parts.every(({ kind }) => kind !== 'result')) walk.run += 1;
    for (const part of message.parts) step(walk, part, message);
    previous = message.parts[0];
  }
  return walk;
}

function step(walk: Walk, part: Part, message: Message): void {
  if (part.kind === 'result') {
    walk.inCalls = false;
    const { turns, run } = walk;
    const place = { turn: turns.length - 1, run, inPlace: turns.length > 0 && run === walk.ownRun };
    walk.results.push(new Found(part, place, walk.codec));
  } else if (part.kind === 'call') takeCall(walk, part, message);
  else if (message.role !== 'assistant') walk.inCalls = false;
}

function takeCall(walk: Walk, call: Part, message: Message): void {
  if (!walk.inCalls) {
    walk.turns.push([]);
    walk.run += 1;
  }
  walk.inCalls = true;
  walk.ownRun = walk.run;
  walk.turns.at(-1)?.push({ call, message, turn: walk.turns.length - 1, group: walk.group });
}

const placeholderTexts: readonly string[] = [sentences.noResult, sentences.denied];

/** Whether a result only says that there is none. Other programs may have wrapped the sentence, as in `{"error":"…"}`. */
function isPlaceholder(part: Part, codec: Codec): boolean {
  const text = textIn(valueAt(part.native, codec.fieldsOf(part).content ?? []));
  return text !== undefined && placeholderTexts.some((sentence) => text.length <= sentence.length + wrapping && text.includes(sentence));
}

const wrapping = 16;
const textFields = ['text', 'error', 'value', 'reason', 'output', 'stderr', 'json'] as const;

/** The only text in a content. */
function textIn(content: unknown): string | undefined {
  if (isText(content)) return content;
  if (isList(content)) return content.length === 1 ? textIn(content[0]) : undefined;
  if (!isRecord(content)) return undefined;
  for (const field of textFields) {
    const text = content[field] === undefined ? undefined : textIn(content[field]);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}

export function join(call: Part, result: Part): void {
  if (call.partner) call.partner.partner = undefined;
  call.partner = result;
  result.partner = call;
}

/** Whether a call has a result that is more than a placeholder. */
export const isAnswered = ({ call }: Slot, placeholders: ReadonlySet<Part>): boolean =>
  call.partner !== undefined && !placeholders.has(call.partner);

/** Results without those that repeat an earlier one. */
export const distinct = (results: readonly Found[]): readonly Found[] => withoutRepeats(results, ({ text }) => text);

/** The same of results that have one id. */
export const distinctOfId = (results: readonly Found[]): readonly Found[] => withoutRepeats(results, ({ body }) => body);

function withoutRepeats(results: readonly Found[], keyOf: (found: Found) => string): readonly Found[] {
  if (results.length < 2) return results;
  const seen = new Set<string>();
  return results.filter((found) => {
    const key = keyOf(found);
    return key === '' || (!seen.has(key) && seen.add(key));
  });
}

export function isSameCall(one: Part, other: Part, codec: Codec): boolean {
  const fields = codec.fieldsOf(one).arguments;
  if (one.name !== other.name) return false;
  return fields ? sameJson(valueAt(one.native, fields), valueAt(other.native, fields)) : sameJson(one.native, other.native);
}

/** Whether the names allow that a result is of a call. */
export function areNamesEqual(call: Part, result: Part): boolean {
  const [one, other] = [usableName(call.name), usableName(result.name)];
  return one === undefined || other === undefined || one === other;
}

/** Whether a result may be of the same tool, for parts that have the same id. Programs change the form of names, but not their words. */
export function mayBeSameTool(call: Part, result: Part): boolean {
  const [one, other] = [usableName(call.name), usableName(result.name)];
  if (one === undefined || other === undefined || other === result.id) return true;
  return one === other || folded(one) === folded(other) || bare(one) === bare(other);
}

const folded = (name: string): string => name.replaceAll(/[^a-zA-Z0-9]/g, '_');
/** Without a namespace, as in `default_api:shell`. */
const bare = (name: string): string => name.slice(Math.max(name.lastIndexOf(':'), name.lastIndexOf('.'), name.lastIndexOf('/')) + 1);

interface Pairing {
  readonly codec: Codec;
  readonly placeholders: ReadonlySet<Part>;
  readonly crowded: ReadonlySet<number>;
}

/**
 * Pairs calls with results that nothing but their order tells apart, if there is exactly one result for each call. Late results that
 * follow a placeholder replace it. Returns whether it has paired them.
 */
export function pairEach(
  slots: readonly Slot[],
  results: readonly Found[],
  { codec, placeholders, crowded }: Pairing,
  mayPair: (slot: Slot, found: Found) => boolean = () => true,
): boolean {
  const [wanted, late] = oneEach(slots, results, crowded.has(slots[0]?.turn ?? 0), codec);
  if (wanted.length === 0 || !wanted.every((found, index) => slots[index] && mayPair(slots[index], found))) return false;
  joinAll(slots, wanted);
  joinAll(
    slots.filter(({ call }) => call.partner && placeholders.has(call.partner)),
    late,
  );
  return true;
}

function joinAll(slots: readonly Slot[], results: readonly Found[]): void {
  results.forEach(({ result }, index) => {
    const call = slots[index]?.call;
    if (call) join(call, result);
  });
}

/** One result for each call, and late ones for the placeholders among them; nothing if that is not certain. */
function oneEach(
  slots: readonly Slot[],
  results: readonly Found[],
  isCrowded: boolean,
  codec: Codec,
): readonly [readonly Found[], readonly Found[]] {
  const count = slots.length;
  const [first] = slots;
  const areEqual = first !== undefined && slots.every(({ call }) => isSameCall(first.call, call, codec));
  const mayRepeat = isCrowded && distinct(results).length < results.length;
  if (results.length <= count && (areEqual || !mayRepeat)) return [results.length === count || areEqual ? results : [], []];
  const start = results.slice(0, count);
  const late = results.slice(count);
  const awaited = start.filter(({ isPlaceholder }) => isPlaceholder).length;
  if (awaited > 0 && late.length === awaited && late.every(({ isPlaceholder }) => !isPlaceholder)) return [start, late];
  const real = withoutEchoes(results.filter(({ isPlaceholder }) => !isPlaceholder));
  return [real.length === count || (areEqual && real.length < count) ? real : [], []];
}

/**
 * Results without those that directly repeat the one before; nothing if one is repeated elsewhere, since its place is then unknown.
 */
function withoutEchoes(results: readonly Found[]): readonly Found[] {
  const kept = results.filter(({ text }, index) => text === '' || text !== results[index - 1]?.text);
  return distinct(kept).length === kept.length ? kept : [];
}
