/**
 * Owns placing results that are separate messages, directly after the message with the calls (OpenAI Chat, AI SDK).
 *
 * Invariants
 * 1. If all results are already there, they are not changed, in any order; otherwise all results of the turn are put there in call order.
 * 2. Other parts keep their order.
 */
import type { Message, Part } from '../transcript.ts';
import { answersOf, isClientCall, isPlaced, moveInto, type PlacementContext } from './placement.ts';

export function placeOwnMessages(messages: readonly Message[], placing: PlacementContext): readonly Message[] {
  const placed: Message[] = [];
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (!message) continue;
    const kept = withoutResults(message);
    placed.push(...kept);
    if (message.role === 'tool' || kept.length === 0) continue;
    const calls = message.role === 'assistant' ? message.parts.filter(isClientCall) : [];
    if (calls.length === 0) continue;
    const run = toolRun(messages, index + 1);
    index += run.length;
    placed.push(...resultsAfter(calls, run, placing, index + 1 >= messages.length));
  }
  return placed;
}

function toolRun(messages: readonly Message[], from: number): readonly Message[] {
  let end = from;
  while (messages[end]?.role === 'tool') end += 1;
  return messages.slice(from, end);
}

/** A message without the results that are placed elsewhere; texts, approvals and the like remain. */
function withoutResults(message: Message): readonly Message[] {
  const kept = message.parts.filter((part) => part.kind !== 'result' || isPlaced(part));
  if (kept.length === message.parts.length) return [message];
  if (kept.length === 0) return [];
  message.parts = kept;
  message.changed = true;
  return [message];
}

function resultsAfter(calls: readonly Part[], run: readonly Message[], placing: PlacementContext, atEnd: boolean): readonly Message[] {
  const existing = run.flatMap(({ parts }) => parts).filter(({ kind }) => kind === 'result');
  const answers = answersOf(calls, placing, run, atEnd);
  const wanted = new Set(answers);
  const fits = existing.length === answers.length && existing.every((part) => wanted.has(part));
  if (fits) return run;
  moveInto(answers, existing, placing);
  const notes = run.flatMap(({ parts }) => parts).filter((part) => part.kind !== 'result' || isPlaced(part));
  return placing.oneResultEach ? asMessages(answers, notes, run, placing) : asOneMessage(answers, notes, run, placing);
}

/** Chat: each result is a separate message. */
function asMessages(
  answers: readonly Part[],
  notes: readonly Part[],
  run: readonly Message[],
  placing: PlacementContext,
): readonly Message[] {
  const own = new Map(run.map((message) => [message.parts[0], message]));
  return [...answers, ...notes].map((part) => own.get(part) ?? placing.messageOf('tool', [part]));
}

function asOneMessage(
  answers: readonly Part[],
  notes: readonly Part[],
  run: readonly Message[],
  placing: PlacementContext,
): readonly Message[] {
  const parts = [...answers, ...notes];
  const [first] = run;
  if (parts.length === 0) return [];
  if (!first) return [placing.messageOf('tool', parts)];
  first.parts = parts;
  first.changed = true;
  return [first];
}
