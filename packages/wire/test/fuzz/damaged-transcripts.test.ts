/**
 * Damaged conversations in every format and profile: every result is at its call or nowhere, nothing is renamed, what can be told is kept.
 * A new seed each time, printed on failure; `WIRE_SEED` repeats one, `WIRE_TRANSCRIPTS` sets how many conversations are damaged.
 */
import { checkRequest, type BackendProfile } from '@holdfast/provider-double/rules';
import { repair } from '@holdfast/wire';
import { expect, test } from 'vitest';
import { newConversation, type Conversation, type IdStyle } from '../support/transcripts/conversation.ts';
import { damages, damagesFor } from '../support/transcripts/damages.ts';
import { judge } from '../support/transcripts/judge.ts';
import { randomFrom, type Random } from '../support/transcripts/random.ts';
import { write, writers, type ListFormat } from '../support/transcripts/written.ts';

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
  const totals = { kept: 0, unclear: 0, guessed: 0, repaired: 0 };
  const offset = Number(process.env['WIRE_OFFSET'] ?? 0);
  for (let index = offset; index < offset + size; index += 1) {
    const random = randomFrom(seed + index - offset);
    const [format, profile] = targets[index % targets.length] as (typeof targets)[number];
    const evidence = random.pick(['ids', 'ids', 'order', 'any'] as const);
    const { conversation, kinds } = damaged(random, evidence, format);
    const given = frozen(write(conversation, format));
    const { request, changes, problems } = repair(given, { format, profile });
    const fail = (what: string): void => void failures.push(`${index} ${evidence} ${format} ${profile} [${kinds.join(' ')}]: ${what}`);
    const { wrong, guessed, lost, kept, unclear } = judge(conversation, request, changes, format);
    for (const each of [...wrong, ...lost]) fail(each);
    if (evidence === 'any') totals.guessed += guessed.length;
    else for (const each of guessed) fail(each);
    totals.kept += kept;
    totals.unclear += unclear;
    totals.repaired += request === given ? 0 : 1;
    if ((request === given) !== (changes.length === 0)) fail('the report does not match');
    if (repair(request, { format, profile }).request !== request) fail('is repaired again');
    const again = repair(structuredClone(given), { format, profile });
    if (JSON.stringify([again.request, again.changes]) !== JSON.stringify([request, changes])) fail('is repaired differently');
    if (String(index) === process.env['WIRE_SHOW'])
      console.log(
        JSON.stringify(conversation.entries, null, 0).replaceAll('},{"kind"', '},\n{"kind"'),
        '\n',
        changes,
        JSON.stringify(request),
      );
    const messages = request[writers[format].list];
    if (problems.length === 0 && Array.isArray(messages) && messages.length > 0)
      for (const { rule, path } of checkRequest({ format, profile, request })) fail(`refused: ${rule} at ${path}`);
  }
  console.log(JSON.stringify({ seed, size, ...totals, failures: failures.length }));
  expect(failures.slice(0, 40)).toEqual([]);
});
