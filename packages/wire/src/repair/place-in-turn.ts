/**
 * Owns placing results in the user turn after the calls, as its first parts (Anthropic, Bedrock, Gemini).
 *
 * Invariants
 * 1. A turn whose first parts are the results, one for each call, is not changed.
 * 2. Other parts keep their order. An emptied user message is removed if an adjacent message is the user's too.
 * 3. If the provider counts per message, the assistant messages with a turn's calls are merged, and so are its results.
 */
import { newPart, sentences, type Message, type Part } from '../transcript.ts';
import { answersOf, isClientCall, isPlaced, moveInto, type PlacementContext } from './placement.ts';

export function placeInNextTurn(messages: readonly Message[], placing: PlacementContext): readonly Message[] {
  const placed: Message[] = [];
  let index = 0;
  while (index < messages.length) {
    const model = runOf(messages, index, 'assistant');
    index += model.length;
    const others = messages[index]?.role === 'system' ? [] : runOf(messages, index, 'user');
    index += others.length;
    const calls = model.flatMap(({ parts }) => parts).filter(isClientCall);
    const turn = calls.length > 0 ? resultsFirst(calls, others, placing) : withoutStrays(others, placing);
    placed.push(...modelTurn(model, placing), ...turn);
    const next = messages[index];
    if (next?.role === 'system' || next?.role === 'tool') {
      placed.push(next);
      index += 1;
    }
  }
  return placed;
}

function runOf(messages: readonly Message[], from: number, role: Message['role']): readonly Message[] {
  let end = from;
  while (messages[end]?.role === role) end += 1;
  return messages.slice(from, end);
}

/** The assistant messages without misplaced results, merged into one if the provider requires that. */
function modelTurn(model: readonly Message[], placing: PlacementContext): readonly Message[] {
  for (const message of model) keep(message, (part) => !isMovable(part) && !(part.kind === 'call' && part.dropped));
  const filled = model.filter(({ parts, changed }) => parts.length > 0 || !changed);
  const [first] = filled;
  const merge = placing.rules.results === 'next-message' && filled.length > 1 && filled.some(({ parts }) => parts.some(isClientCall));
  if (!first || !merge) return filled;
  for (const { parts } of filled.slice(1)) for (const part of parts) placing.log.moved('message-merge', part);
  first.parts = filled.flatMap(({ parts }) => parts);
  first.changed = true;
  return [first];
}

const isMovable = (part: Part): boolean => part.kind === 'result' && !isPlaced(part);

function keep(message: Message, wanted: (part: Part) => boolean): void {
  if (message.parts.every(wanted)) return;
  message.parts = message.parts.filter(wanted);
  message.changed = true;
}

function resultsFirst(calls: readonly Part[], others: readonly Message[], placing: PlacementContext): readonly Message[] {
  const answers = answersOf(calls, placing, others, false);
  const existing = others.flatMap(({ parts }) => parts).filter(isMovable);
  if (areInPlace(answers, others, placing)) return others;
  moveInto(answers, inFront(existing, others, placing), placing);
  for (const message of others) keep(message, (part) => !isMovable(part));
  const [first] = others;
  if (!first) return [placing.messageOf('user', answers)];
  first.parts = [...answers, ...first.parts];
  first.changed = true;
  return others.filter((message) => message.parts.length > 0 || !message.changed);
}

/** The results before all other content; those after it are moved. */
function inFront(existing: readonly Part[], others: readonly Message[], { rules }: PlacementContext): readonly Part[] {
  const parts = (rules.results === 'next-message' ? others.slice(0, 1) : others).flatMap((message) => message.parts);
  const firstOther = parts.findIndex((part) => !isMovable(part));
  return firstOther < 0 ? existing.slice(0, parts.length) : parts.slice(0, firstOther);
}

/** Whether the first parts are the results of these calls, and no other part is a result. */
function areInPlace(answers: readonly Part[], others: readonly Message[], { rules }: PlacementContext): boolean {
  if (others.length === 1 && answers.length === 1 && others[0]) {
    const [first, ...rest] = others[0].parts;
    return first === answers[0] && !rest.some(isMovable);
  }
  const wanted = new Set(answers);
  const parts = (rules.results === 'next-message' ? others.slice(0, 1) : others).flatMap((message) => message.parts);
  const behind = rules.results === 'next-message' ? others.slice(1).flatMap((message) => message.parts) : [];
  const front = parts.slice(0, answers.length);
  if (front.length < answers.length || ![...parts.slice(answers.length), ...behind].every((part) => !isMovable(part))) return false;
  return front.every((part) => wanted.has(part));
}

/** Removes results from a user turn that follows no calls. */
function withoutStrays(others: readonly Message[], placing: PlacementContext): readonly Message[] {
  if (others.every(({ parts }) => !parts.some(isMovable))) return others;
  for (const message of others) keep(message, (part) => !isMovable(part));
  const filled = others.filter((message) => message.parts.length > 0 || !message.changed);
  const [first] = others;
  if (filled.length > 0 || !first) return filled;
  const text = newPart('text', placing.codec.textPart(sentences.resultRemoved));
  placing.log.added('empty-content', text);
  first.parts = [text];
  first.changed = true;
  return [first];
}
