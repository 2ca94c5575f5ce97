/**
 * Owns placing results in a flat list of items (OpenAI Responses).
 *
 * Invariants
 * 1. If the provider pairs by id alone, only results that precede their call or replace a placeholder are moved, and placeholders follow
 *    their run of calls.
 * 2. If it requires results directly after the calls, the order is the model's other items, its calls, their results.
 */
import type { Message, Part } from '../transcript.ts';
import { answersOf, isClientCall, isPlaced, moveInto, type PlacementContext } from './placement.ts';

export function placeItems(messages: readonly Message[], placing: PlacementContext): readonly Message[] {
  const kept = messages.filter(({ parts }) => !parts.some(({ dropped }) => dropped) && parts.length > 0);
  return placing.rules.results === 'items-behind' ? placeAfterCalls(kept, placing) : placeAdjacent(kept, placing);
}

const isResult = (message: Message): boolean => message.role === 'tool';

function placeAfterCalls(messages: readonly Message[], placing: PlacementContext): readonly Message[] {
  const placed: Message[] = [];
  const seen = new Set<Part>();
  let calls: Part[] = [];
  const replaces = ({ partner }: Part): boolean => partner !== undefined && placing.replacing.has(partner);
  const flush = (isDue: (call: Part) => boolean): void => {
    for (const call of calls.filter(isDue)) if (!call.partner || !seen.has(call.partner)) placed.push(...lateResult(call, placing));
    calls = calls.filter((call) => !isDue(call));
  };
  const order = placesOf(messages);
  const mayStay = (result: Part): boolean => followsCall(result, order) && !placing.replacing.has(result);
  for (const message of messages) {
    const [part] = message.parts;
    if (!part) continue;
    // A placeholder was directly behind the calls; a call without a result waits for the end of its turn.
    if (!isResult(message) && !isClientCall(part) && calls.length > 0) flush(message.role === 'assistant' ? replaces : () => true);
    if (isClientCall(part)) {
      if (!part.partner || !mayStay(part.partner)) calls.push(part);
      placed.push(message);
    } else if (part.kind !== 'result' || isPlaced(part) || mayStay(part)) {
      placed.push(message);
      seen.add(part);
    }
  }
  flush(() => true);
  return placed;
}

const placesOf = (messages: readonly Message[]): ReadonlyMap<Part | undefined, number> =>
  new Map(messages.map((message, index) => [message.parts[0], index]));

const followsCall = (result: Part, order: ReadonlyMap<Part | undefined, number>): boolean =>
  (order.get(result.partner) ?? Infinity) < (order.get(result) ?? 0);

/** A placeholder, or a result that preceded its call or replaces a placeholder. */
function lateResult(call: Part, placing: PlacementContext): readonly Message[] {
  const moved = call.partner;
  if (moved) placing.log.moved('result-place', moved);
  return answersOf([call], placing, [], false).map((part) => placing.messageOf('tool', [part]));
}

function placeAdjacent(messages: readonly Message[], placing: PlacementContext): readonly Message[] {
  const placed: Message[] = [];
  let index = 0;
  while (index < messages.length) {
    const model = run(messages, index, (message) => message.role === 'assistant');
    const results = run(messages, index + model.length, isResult);
    const calls = model.flatMap(({ parts }) => parts).filter(isClientCall);
    if (calls.length === 0) {
      placed.push(...model, ...results.filter(({ parts }) => parts.every(isPlaced)));
      index += model.length + results.length;
      const next = messages[index];
      if (next && next.role !== 'assistant' && !isResult(next)) {
        placed.push(next);
        index += 1;
      }
      continue;
    }
    placed.push(...modelItems(model, placing), ...answers(calls, results, placing));
    index += model.length + results.length;
  }
  return placed;
}

function run(messages: readonly Message[], from: number, belongs: (message: Message) => boolean): readonly Message[] {
  let end = from;
  for (let message = messages[end]; message && belongs(message); message = messages[end]) end += 1;
  return messages.slice(from, end);
}

const holdsCall = ({ parts }: Message): boolean => parts.some(isClientCall);

function modelItems(model: readonly Message[], { log }: PlacementContext): readonly Message[] {
  const firstCall = model.findIndex(holdsCall);
  const stray = model.slice(firstCall).filter((message) => !holdsCall(message));
  if (stray.length === 0) return model;
  for (const { parts } of stray) for (const part of parts) log.moved('block-order', part);
  return [...model.filter((message) => !holdsCall(message)), ...model.filter(holdsCall)];
}

function answers(calls: readonly Part[], results: readonly Message[], placing: PlacementContext): readonly Message[] {
  const existing = results.flatMap(({ parts }) => parts);
  const wanted = answersOf(calls, placing, [], false);
  const set = new Set(wanted);
  if (existing.length === wanted.length && existing.every((part) => set.has(part))) return results;
  moveInto(wanted, existing, placing);
  const own = new Map(results.map((message) => [message.parts[0], message]));
  const held = results.filter(({ parts }) => parts.every(isPlaced));
  return [...wanted.map((part) => own.get(part) ?? placing.messageOf('tool', [part])), ...held];
}
