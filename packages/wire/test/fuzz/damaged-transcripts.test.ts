/**
 * Damaged conversations in every format and profile: every result is at its call or nowhere, nothing is renamed, what can be told is kept.
 * A new seed each time, printed on failure; `WIRE_SEED` repeats one, `WIRE_TRANSCRIPTS` sets how many conversations are damaged.
 */
import { checkRequest, type BackendProfile } from '@holdfast/provider-double/rules';
import { repair } from '@holdfast/wire';
import { expect, test } from 'vitest';
import { callsOf, newConversation, resultsOf, type Conversation, type IdStyle } from '../support/transcripts/conversation.ts';
import { damages, damagesFor } from '../support/transcripts/damages.ts';
import { judge } from '../support/transcripts/judge.ts';
import { randomFrom, type Random } from '../support/transcripts/random.ts';
import { readPieces, write, writers, type ListFormat } from '../support/transcripts/written.ts';

const targets: readonly (readonly [ListFormat, BackendProfile])[] = [
  ['openai-chat', 'openai'],
  ['openai-chat', 'deepseek'],
  ['openai-chat', 'mistral'],
  ['openai-chat', 'qwen'],
  ['openai-chat', 'kimi'],
  ['openai-chat', 'minimax'],
  ['openai-chat', 'xai'],
  ['openai-chat', 'groq'],
  ['openai-chat', 'vllm'],
  ['openai-responses', 'openai'],
  ['openai-responses', 'deepseek'],
  ['anthropic-messages', 'anthropic'],
  ['anthropic-messages', 'deepseek'],
  ['gemini', 'gemini'],
  ['bedrock-converse', 'bedrock'],
  ['ai-sdk', 'ai-sdk'],
];

const size = Number(process.env['WIRE_TRANSCRIPTS'] ?? 1500);
const seed = Number(process.env['WIRE_SEED'] ?? Date.now() % 4_294_967_296);
type Evidence = 'ids' | 'order' | 'any';

const styles: Readonly<Record<Evidence, readonly IdStyle[]>> = {
  ids: ['counter', 'long', 'digits', 'numbers'],
  order: ['counter', 'long', 'digits', 'numbers', 'restarting', 'none'],
  any: ['counter', 'long', 'digits', 'numbers', 'restarting', 'none'],
};

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) frozen(item);
  }
  return value;
}

function damaged(
  random: Random,
  evidence: Evidence,
  format: ListFormat,
): { readonly conversation: Conversation; readonly kinds: readonly string[] } {
  const style = random.pick(styles[evidence]);
  const conversation = newConversation(random, style, writers[format].namesResults);
  const names = damagesFor(evidence).filter((name) => writers[format].namesResults || name !== 'borrowedId');
  const kinds = Array.from({ length: 1 + random.below(4) }, () => random.pick(names));
  for (const kind of kinds) if (conversation.entries.length > 0) damages[kind](conversation, random);
  return { conversation, kinds: [style, ...kinds] };
}

test(`${size} damaged conversations (WIRE_SEED=${seed})`, { timeout: 600_000 }, () => {
  const failures: string[] = [];
  const totals = { kept: 0, unclear: 0, guessed: 0, lost: 0, repaired: 0 };
  for (let index = 0; index < size; index += 1) {
    const random = randomFrom(seed + index);
    const [format, profile] = targets[index % targets.length] as (typeof targets)[number];
    const evidence = random.pick(['ids', 'ids', 'order', 'any'] as const);
    const { conversation, kinds } = damaged(random, evidence, format);
    const given = frozen(write(conversation, format));
    const { request, changes, problems } = repair(given, { format, profile });
    const fail = (what: string): void => void failures.push(`${index} ${evidence} ${format} ${profile} [${kinds.join(' ')}]: ${what}`);
    const { wrong, guessed, lost, kept, unclear } = judge(conversation, request, changes, format);
    for (const each of wrong) fail(each);
    // Without ids, and with things moved or lost, what can be told is a matter of judgement: it is counted.
    if (evidence === 'any') {
      totals.guessed += guessed.length;
      totals.lost += lost.length;
    } else for (const each of [...guessed, ...lost]) fail(each);
    totals.kept += kept;
    totals.unclear += unclear;
    totals.repaired += request === given ? 0 : 1;
    if ((request === given) !== (changes.length === 0)) fail('the report does not match');
    if (repair(request, { format, profile }).request !== request) fail('is repaired again');
    const again = repair(structuredClone(given), { format, profile });
    if (JSON.stringify([again.request, again.changes]) !== JSON.stringify([request, changes])) fail('is repaired differently');
    const messages = request[writers[format].list];
    if (problems.length === 0 && Array.isArray(messages) && messages.length > 0)
      for (const { rule, path } of checkRequest({ format, profile, request })) fail(`refused: ${rule} at ${path}`);
  }
  console.log(JSON.stringify({ seed, size, ...totals, failures: failures.length }));
  expect(failures.slice(0, 40)).toEqual([]);
});

/** Gives the result of one call a placeholder and comes with it later. */
function delay(conversation: Conversation, random: Random): number | undefined {
  const before = resultsOf(conversation).filter(({ isPlaceholder }) => isPlaceholder).length;
  damages.lateResult(conversation, random);
  const awaited = resultsOf(conversation).filter(({ isPlaceholder }) => isPlaceholder);
  return awaited.length > before ? awaited.at(-1)?.number : undefined;
}

test(`${size} conversations with late results (WIRE_SEED=${seed})`, { timeout: 600_000 }, () => {
  const failures: string[] = [];
  let late = 0;
  for (let index = 0; index < size; index += 1) {
    const random = randomFrom(seed - index);
    const [format, profile] = targets[index % targets.length] as (typeof targets)[number];
    const conversation = newConversation(random, random.pick(styles.ids), writers[format].namesResults);
    for (let count = random.below(3); count >= 0; count -= 1) if (callsOf(conversation).length > 0) delay(conversation, random);
    const awaited = new Set(resultsOf(conversation).flatMap(({ isPlaceholder, number }) => (isPlaceholder ? [number] : [])));
    const { request, changes } = repair(frozen(write(conversation, format)), { format, profile });
    const { wrong, guessed, lost } = judge(conversation, request, changes, format);
    late += awaited.size;
    for (const each of [...wrong, ...guessed, ...lost]) failures.push(`${index} ${format} ${profile}: ${each}`);
    // Nothing but other calls and results is between a call and its result.
    const pieces = readPieces(request, format);
    for (const number of awaited) {
      const from = pieces.findIndex((piece) => piece.kind === 'call' && piece.number === number);
      const to = pieces.findIndex((piece) => piece.kind === 'result' && piece.number === number);
      if (to < from || pieces.slice(from, to).some(({ kind }) => kind === 'other'))
        failures.push(`${index} ${format} ${profile}: R${number} is not in place`);
    }
    if (JSON.stringify(request).includes('no result was recorded')) failures.push(`${index} ${format} ${profile}: a placeholder is left`);
  }
  console.log(JSON.stringify({ seed, size, late, failures: failures.length }));
  expect(failures.slice(0, 40)).toEqual([]);
});

test(`valid conversations are the same object (WIRE_SEED=${seed})`, { timeout: 600_000 }, () => {
  for (let index = 0; index < size; index += 1) {
    const random = randomFrom(seed + index);
    const [format, profile] = targets[index % targets.length] as (typeof targets)[number];
    if (profile === 'mistral') continue;
    const conversation = newConversation(
      random,
      random.pick(format === 'gemini' ? ['counter', 'none'] : ['counter', 'long', 'digits']),
      writers[format].namesResults,
    );
    const given = write(conversation, format);
    const { request, changes, problems } = repair(given, { format, profile });
    expect([changes, problems]).toEqual([[], []]);
    expect(request).toBe(given);
  }
});
