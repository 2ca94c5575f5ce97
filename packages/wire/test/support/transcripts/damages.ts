/** Ways in which programs break conversations. */
import { callsOf, resultOf, resultsOf, type Call, type Conversation, type Entry, type Result } from './conversation.ts';
import type { Random } from './random.ts';

export type Damage = (conversation: Conversation, random: Random) => void;

type Kind<Name extends Entry['kind']> = Extract<Entry, { kind: Name }>;

const isModel = (entry: Entry): entry is Kind<'model'> => entry.kind === 'model';
const isResults = (entry: Entry): entry is Kind<'results'> => entry.kind === 'results';

const newResults = (...results: Result[]): Entry => ({ kind: 'results', results, text: undefined });

function take(conversation: Conversation, result: Result): boolean {
  for (const entry of conversation.entries) {
    if (!isResults(entry)) continue;
    const index = entry.results.indexOf(result);
    if (index < 0) continue;
    entry.results.splice(index, 1);
    tidy(conversation);
    return true;
  }
  return false;
}

/** Removes messages that have become empty. */
function tidy({ entries }: Conversation): void {
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (
      (entry?.kind === 'results' && entry.results.length === 0 && entry.text === undefined) ||
      (entry?.kind === 'model' && entry.calls.length === 0 && entry.text === undefined)
    )
      entries.splice(index, 1);
  }
}

const placeOf = ({ entries }: Conversation, call: Call): number =>
  entries.findIndex((entry) => isModel(entry) && entry.calls.includes(call));

const pickResult = (conversation: Conversation, random: Random): Result | undefined => {
  const results = resultsOf(conversation).filter(({ isPlaceholder }) => !isPlaceholder);
  return results.length > 0 ? random.pick(results) : undefined;
};

function callOf(conversation: Conversation, result: Result | undefined): Call | undefined {
  return result && callsOf(conversation).find(({ number }) => number === result.number);
}

function numericIds(conversation: Conversation, random: Random): void {
  const side = random.below(4);
  const toNumber = (each: Call | Result): void => {
    const digits = typeof each.id === 'string' ? /\d+$/.exec(each.id)?.[0] : undefined;
    if (digits === undefined || (side === 2 && random.chance(0.5))) return;
    each.id = side === 3 ? Number(digits) : digits;
    if (side !== 3) each.id = Number(each.id);
  };
  // Both sides lose the text before the number; then calls, results or some of both are numbers.
  for (const each of [...callsOf(conversation), ...resultsOf(conversation)])
    if (typeof each.id === 'string') each.id = /\d+$/.exec(each.id)?.[0] ?? each.id;
  if (side !== 1) callsOf(conversation).forEach(toNumber);
  if (side !== 0) resultsOf(conversation).forEach(toNumber);
}

const noIds = [undefined, undefined, '', 'undefined', 'null'] as const;

function missingIds(conversation: Conversation, random: Random): void {
  const call = random.pick([...callsOf(conversation), undefined]);
  const side = random.below(3);
  const chosen = callsOf(conversation).filter((each) => call === undefined || each === call);
  for (const each of chosen) {
    conversation.bare.add(each.number);
    const results = resultsOf(conversation).filter(({ number }) => number === each.number);
    if (side !== 1) each.id = random.pick(noIds);
    if (side !== 0) for (const result of results) result.id = random.pick(noIds);
  }
}

function shareId(conversation: Conversation, one: Call, other: Call): void {
  for (const { number } of callsOf(conversation).filter(({ id }) => id === one.id || id === other.id)) conversation.bare.add(number);
  for (const result of resultsOf(conversation)) if (result.number === other.number) result.id = one.id;
  other.id = one.id;
}

const repeatedId =
  (distance: 'same' | 'next' | 'far'): Damage =>
  (conversation, random) => {
    const turns = conversation.entries.filter(isModel).filter(({ calls }) => calls.length > 0);
    if (turns.length === 0) return;
    const at = random.below(turns.length);
    const [one, other] =
      distance === 'same' ? [turns[at], turns[at]] : [turns[at], turns[at + (distance === 'next' ? 1 : 2 + random.below(3))]];
    const first = one && random.pick(one.calls);
    const second = other && other.calls.filter((call) => call !== first).at(random.below(4) % Math.max(other.calls.length - 1, 1));
    if (first && second && first.id !== undefined) shareId(conversation, first, second);
  };

function swapResults(conversation: Conversation, random: Random): void {
  const [one, other] = [pickResult(conversation, random), pickResult(conversation, random)];
  if (!one || !other || one === other) return;
  const [first, second] = [
    conversation.entries.filter(isResults).find(({ results }) => results.includes(one)),
    conversation.entries.filter(isResults).find(({ results }) => results.includes(other)),
  ];
  if (!first || !second) return;
  const [at, to] = [first.results.indexOf(one), second.results.indexOf(other)];
  first.results[at] = other;
  second.results[to] = one;
}

function earlyResult(conversation: Conversation, random: Random): void {
  const result = pickResult(conversation, random);
  const call = callOf(conversation, result);
  if (!result || !call || !take(conversation, result)) return;
  const place = placeOf(conversation, call);
  conversation.entries.splice(random.chance(0.5) ? place : random.below(place + 1), 0, newResults(result));
}

const lateResult =
  (leavesPlaceholder: boolean): Damage =>
  (conversation, random) => {
    const result = pickResult(conversation, random);
    const call = callOf(conversation, result);
    const entry = conversation.entries.filter(isResults).find(({ results }) => result && results.includes(result));
    if (!result || !call || !entry) return;
    const place = conversation.entries.indexOf(entry);
    const index = entry.results.indexOf(result);
    if (leavesPlaceholder) entry.results[index] = { ...resultOf(call), id: result.id, isPlaceholder: true };
    else entry.results.splice(index, 1);
    const rest = conversation.entries.length - place - 1;
    let to = place + 1 + random.below(rest + 1);
    // Not directly behind calls, where it would be in place.
    while (to < conversation.entries.length && isModel(conversation.entries[to - 1] as Entry)) to += 1;
    const next = conversation.entries[to];
    if (next && isResults(next) && random.chance(0.5)) next.results.push(result);
    else conversation.entries.splice(to, 0, { kind: 'user', text: `wait ${to}` }, newResults(result));
    tidy(conversation);
  };

/** A result of a tool that was not called. Where results have no names, one without an id could be any result. */
function foreignResult(conversation: Conversation, random: Random): void {
  conversation.foreign += 1;
  const other = pickResult(conversation, random);
  const entry = random.pick(conversation.entries);
  const ids = [`foreign_${conversation.foreign}`, conversation.foreign, ...(conversation.namesResults ? [undefined] : [])];
  const result: Result = {
    number: conversation.foreign,
    id: random.pick(ids),
    name: `other_tool_${conversation.foreign}`,
    isPlaceholder: false,
  };
  if (other && isResults(entry)) entry.results.splice(random.below(entry.results.length + 1), 0, result);
  else conversation.entries.splice(conversation.entries.indexOf(entry), 0, newResults(result));
}

/** The id of a call, the name of another tool; only in formats where results have names does that tell anything. */
function borrowedId(conversation: Conversation, random: Random): void {
  const call = random.pick([...callsOf(conversation), undefined]);
  if (!call) return;
  conversation.foreign += 1;
  const result: Result = { number: conversation.foreign, id: call.id, name: `other_tool_${conversation.foreign}`, isPlaceholder: false };
  const own = conversation.entries.filter(isResults).find(({ results }) => results.some(({ number }) => number === call.number));
  if (own) own.results[own.results.findIndex(({ number }) => number === call.number)] = result;
}

function dropCall(conversation: Conversation, random: Random): void {
  const calls = callsOf(conversation);
  if (calls.length === 0) return;
  const call = random.pick(calls);
  const entry = conversation.entries.filter(isModel).find((each) => each.calls.includes(call));
  entry?.calls.splice(entry.calls.indexOf(call), 1);
  tidy(conversation);
}

function dropResult(conversation: Conversation, random: Random): void {
  const result = pickResult(conversation, random);
  if (result) take(conversation, result);
}

function dropEntry({ entries }: Conversation, random: Random): void {
  if (entries.length > 2) entries.splice(random.below(entries.length), 1);
}

function repeatEntry({ entries }: Conversation, random: Random): void {
  const index = random.below(entries.length);
  const entry = entries[index];
  if (entry) entries.splice(random.chance(0.7) ? index + 1 : random.below(entries.length + 1), 0, structuredClone(entry));
}

function repeatResult(conversation: Conversation, random: Random): void {
  const result = pickResult(conversation, random);
  const entry = conversation.entries.filter(isResults).find(({ results }) => result && results.includes(result));
  if (!result || !entry) return;
  entry.results.splice(random.below(entry.results.length + 1), 0, { ...result });
}

function repeatResultLater(conversation: Conversation, random: Random): void {
  const result = pickResult(conversation, random);
  if (result) conversation.entries.push(newResults({ ...result }));
}

function cutHead({ entries }: Conversation, random: Random): void {
  entries.splice(0, random.below(Math.ceil(entries.length / 2)));
}

function cutTail({ entries }: Conversation, random: Random): void {
  entries.splice(Math.max(1, entries.length - random.below(Math.ceil(entries.length / 2))));
}

function split({ entries }: Conversation, random: Random): void {
  const wide = entries.filter((entry) => (isModel(entry) ? entry.calls.length > 1 : isResults(entry) && entry.results.length > 1));
  if (wide.length === 0) return;
  const entry = random.pick(wide);
  const index = entries.indexOf(entry);
  if (isModel(entry))
    entries.splice(index + 1, 0, { kind: 'model', text: undefined, calls: entry.calls.splice(1 + random.below(entry.calls.length - 1)) });
  else if (isResults(entry)) entries.splice(index + 1, 0, newResults(...entry.results.splice(1 + random.below(entry.results.length - 1))));
}

function merge(conversation: Conversation, random: Random): void {
  const { entries } = conversation;
  const index = random.below(entries.length);
  const entry = entries[index];
  const next = entries.findIndex((each, place) => place > index && each.kind === entry?.kind);
  const other = entries[next];
  if (!entry || !other) return;
  if (isModel(entry) && isModel(other)) entry.calls.push(...other.calls);
  else if (isResults(entry) && isResults(other)) entry.results.push(...other.results);
  else return;
  entries.splice(next, 1);
  // Ids that are used twice are now used twice in one message.
  for (const { number } of callsOf(conversation))
    if (isModel(entry) && entry.calls.some((call) => call.number === number)) conversation.bare.add(number);
}

/** Text in the message of the results. */
function textBesideResults({ entries }: Conversation, random: Random): void {
  const found = entries.filter(isResults);
  if (found.length > 0) random.pick(found).text = 'go on';
}

/** Blanks or a line break around the ids of results. */
function blankIds(conversation: Conversation, random: Random): void {
  for (const result of resultsOf(conversation))
    if (typeof result.id === 'string' && random.chance(0.5)) result.id = random.pick([` ${result.id}`, `${result.id}\n`, ` ${result.id} `]);
}

/** The name of a tool is missing in its result. */
function namelessResult(conversation: Conversation, random: Random): void {
  const result = pickResult(conversation, random);
  if (result && result.number < 1000) result.name = undefined;
}

/** A message between calls and their results. */
function messageBetween({ entries }: Conversation, random: Random): void {
  const found = entries.flatMap((entry, index) => (isResults(entry) ? [index] : []));
  if (found.length > 0) entries.splice(random.pick(found), 0, { kind: 'user', text: 'hurry' });
}

/** Damages that take the evidence away from calls: their ids. */
const blinding = {
  missingIds,
  namelessResult,
  sameIdInMessage: repeatedId('same'),
  sameIdInNextTurn: repeatedId('next'),
  sameIdFarAway: repeatedId('far'),
};

/** Damages that take something away or move it. */
const moving = {
  swapResults,
  earlyResult,
  lateResult: lateResult(true),
  lateWithoutPlaceholder: lateResult(false),
  foreignResult,
  borrowedId,
  dropCall,
  dropResult,
  dropEntry,
  repeatEntry,
  repeatResultLater,
  cutHead,
  merge,
  messageBetween,
};

/** Damages that leave ids and order as they are. */
const harmless = { numericIds, blankIds, repeatResult, cutTail, split, textBesideResults };

const all = { ...blinding, ...moving, ...harmless };

export type DamageName = keyof typeof all;

export const damages: Readonly<Record<DamageName, Damage>> = all;

/**
 * Names of damages after which a conversation still tells where every result belongs: without ids its order is kept. `any`: without ids
 * things are moved and lost too, so that some results could belong to several calls.
 */
export function damagesFor(evidence: 'ids' | 'order' | 'any'): readonly DamageName[] {
  const chosen = evidence === 'ids' ? { ...moving, ...harmless } : evidence === 'order' ? { ...blinding, ...harmless } : all;
  return Object.keys(chosen) as DamageName[];
}
