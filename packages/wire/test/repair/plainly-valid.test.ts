/** What is recognized as valid is what the steps of the repair leave unchanged: random conversations, valid and damaged, with and without the recognition. */
import type { repair, Repaired } from '@holdfast/wire';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { repairDefinitions } from '../../src/definitions/repair-definitions.ts';
import { formatRepairs } from '../../src/repair/repair.ts';
import { repairTranscript, type IsPlainlyValid } from '../../src/repair/repair-transcript.ts';
import { damaged, damages } from '../support/damage.ts';
import { cases, titleOf } from '../support/format-cases.ts';
import { plans } from '../support/plans.ts';

type Json = Record<string, unknown>;

const watched = { recognized: 0 };

type Options = Parameters<typeof repair>[1];

/** Repairs a request as `repair` does, with or without the recognition. */
function repairWith(request: Json, { format, profile }: Options, recognizes: boolean): Repaired<Json> {
  const spec = formatRepairs[format as keyof typeof formatRepairs];
  const isPlainlyValid: IsPlainlyValid = (list, context) => {
    const recognized = recognizes && spec.isPlainlyValid?.(list, context) === true;
    if (recognized) watched.recognized += 1;
    return recognized;
  };
  return repairTranscript(request, { ...spec, isPlainlyValid }, { profile, definitions: repairDefinitions });
}

function outcomeOf(request: Json, options: Options, recognizes: boolean): readonly unknown[] {
  const { request: repaired, changes, problems, mapping } = repairWith(request, options, recognizes);
  return [repaired === request ? 'the same object' : repaired, changes, problems, [...mapping.names], [...mapping.ids]];
}

function expectSame(request: Json, options: Options): void {
  expect(outcomeOf(request, options, true)).toEqual(outcomeOf(request, options, false));
}

beforeEach(() => {
  watched.recognized = 0;
});

const flat = cases.filter(({ format }) => format === 'openai-chat' || format === 'openai-responses');

describe.each(flat.map((each) => ({ ...each, title: titleOf(each) })))('$title', ({ format, profile, write, list }) => {
  test('a damaged conversation is repaired as without the recognition', () => {
    fc.assert(
      fc.property(plans, damages, (plan, damage) => expectSame(damaged(write(plan), list, damage, format), { format, profile })),
      { numRuns: 40 },
    );
  });
});

const hostile: readonly unknown[] = [
  undefined,
  null,
  '',
  ' ',
  7,
  true,
  [],
  {},
  [{}],
  '\uD800',
  'null',
  '[]',
  '{}',
  'tool',
  'assistant',
  'custom',
  'call_0_0',
  'a b',
  'x'.repeat(70),
  new Date(0),
  1n,
  [{ type: 'text', text: 'a' }],
  [{ type: 'refusal', refusal: 'a' }],
  [{ type: 'output_text', text: '\uDC00' }],
  [{ type: 'output_text', text: 'a' }],
  [{ type: 'input_text', text: 'a' }],
];
const fields = [
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'type',
  'id',
  'call_id',
  'function',
  'arguments',
  'output',
  'summary',
  'encrypted_content',
  'custom',
  'function_call',
];
const places = ['message', 'call', 'function'] as const;

/** A value at a place of a message, or of a call of it. */
interface Touch {
  readonly at: number;
  readonly inside: (typeof places)[number];
  readonly field: string;
  readonly value: unknown;
}

function touch(messages: Json[], { at, inside, field, value }: Touch): void {
  const message = messages[at % messages.length] as Json;
  const [call] = Array.isArray(message['tool_calls']) ? (message['tool_calls'] as Json[]) : [];
  const target = inside === 'message' ? message : inside === 'call' ? call : (call?.['function'] as Json | undefined);
  // What was changed before may be no object any more.
  if (typeof target === 'object' && target !== null) target[field] = value;
}

const touches = fc.array(
  fc.record({ at: fc.nat(40), inside: fc.constantFrom(...places), field: fc.constantFrom(...fields), value: fc.constantFrom(...hostile) }),
  { maxLength: 2 },
);

const step = fc.record({
  kind: fc.constantFrom('user', 'system', 'developer', 'model', 'calls', 'calls', 'reasoning', 'thought', 'late'),
  count: fc.integer({ min: 1, max: 3 }),
  named: fc.boolean(),
});
const conversations = fc.array(step, { minLength: 1, maxLength: 6 });
interface Step {
  readonly kind: string;
  readonly count: number;
  readonly named: boolean;
}

const chatOf = (steps: readonly Step[]): Json[] =>
  steps.flatMap(({ kind, count, named }, at): Json[] => {
    const ids = Array.from({ length: count }, (_, index) => `call_${at}_${index}`);
    const call = (id: string): Json => ({ id, type: 'function', function: { name: 'look', arguments: '{"a":1}' } });
    const results = ids.map((id): Json => ({ role: 'tool', tool_call_id: id, content: 'found', ...(named ? { name: 'look' } : {}) }));
    if (kind === 'calls') return [{ role: 'assistant', content: named ? null : '', tool_calls: ids.map(call) }, ...results];
    if (kind === 'late')
      return [...results.slice(1), { role: 'assistant', content: 'So.', tool_calls: ids.map(call) }, ...results.toReversed()];
    return [{ role: ['model', 'reasoning', 'thought'].includes(kind) ? 'assistant' : kind, content: named ? 'Well.' : '' }];
  });

const itemsOf = (steps: readonly Step[]): Json[] =>
  steps.flatMap(({ kind, count, named }, at): Json[] => {
    const ids = Array.from({ length: count }, (_, index) => `call_${at}_${index}`);
    const calls = ids.map((id): Json => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{"a":1}' }));
    const results = ids.map((id): Json => ({
      type: 'function_call_output',
      call_id: id,
      output: named ? 'found' : [{ type: 'input_text', text: 'found' }],
    }));
    if (kind === 'calls') return [...calls, ...results];
    if (kind === 'late') return [...calls, { role: 'user', content: 'Wait.' }, ...results.toReversed()];
    if (kind === 'thought') return [{ type: 'reasoning', summary: [], encrypted_content: 'x' }];
    if (kind === 'reasoning')
      return [{ type: 'reasoning', summary: [], ...(named ? { encrypted_content: 'x' } : {}) }, ...calls, ...results];
    const fromModel = kind === 'model';
    const content = named ? 'Well.' : [{ type: fromModel ? 'output_text' : 'input_text', text: 'Well.' }];
    return [{ ...(count > 1 ? { type: 'message' } : {}), role: fromModel ? 'assistant' : kind, content }];
  });

describe('any value at any place', () => {
  const profiles = fc.constantFrom('openai', 'deepseek', 'qwen', 'kimi', 'xai', 'groq', 'vllm', 'litellm', undefined);

  test.each([
    ['openai-chat', 'messages', chatOf],
    ['openai-responses', 'input', itemsOf],
  ] as const)('%s', (format, list, write) => {
    let touched = 0;
    fc.assert(
      fc.property(conversations, touches, profiles, fc.boolean(), (steps, values, profile, stored) => {
        const messages = structuredClone(write(steps));
        for (const each of values) touch(messages, each);
        const before = watched.recognized;
        expectSame({ ...(stored ? {} : { store: false }), model: 'gpt-5', [list]: messages }, { format, profile });
        if (values.length > 0 && watched.recognized > before) touched += 1;
      }),
      { numRuns: 1500 },
    );
    // Otherwise nothing was compared.
    expect(watched.recognized).toBeGreaterThan(150);
    expect(touched).toBeGreaterThan(20);
  });
});

const usual: readonly Step[] = [
  { kind: 'user', count: 1, named: true },
  { kind: 'calls', count: 2, named: false },
  { kind: 'reasoning', count: 1, named: true },
  { kind: 'model', count: 1, named: true },
  { kind: 'model', count: 1, named: false },
];

describe('each value at each place of a usual conversation', () => {
  test.each([
    ['openai-chat', 'messages', chatOf, ['openai', 'qwen', 'vllm']],
    ['openai-responses', 'input', itemsOf, ['openai']],
  ] as const)('%s', (format, list, write, profiles) => {
    const length = write(usual).length;
    for (const profile of profiles)
      for (let at = 0; at < length; at += 1)
        for (const inside of format === 'openai-chat' ? places : (['message'] as const))
          for (const field of fields)
            for (const value of hostile) {
              const messages = write(usual);
              touch(messages, { at, inside, field, value });
              expectSame({ [list]: messages }, { format, profile });
            }
  });

  test.each([
    ['openai-chat', 'messages', chatOf, 'tool_call_id'],
    ['openai-responses', 'input', itemsOf, 'call_id'],
  ] as const)('%s: of a call and its result', (format, list, write, field) => {
    const ids = [...hostile, 'undefined', 'NaN', 'call-1', 'x'.repeat(40), 'x'.repeat(41), 'x'.repeat(64), 'x'.repeat(65)];
    for (const profile of ['openai', 'mistral', 'kimi', 'vllm'])
      for (const id of ids) {
        const messages = write(usual);
        for (const message of messages) {
          const calls = message['tool_calls'];
          for (const call of Array.isArray(calls) ? (calls as Json[]) : []) if (call['id'] === 'call_1_1') call['id'] = id;
          if (message[field] === 'call_1_1') message[field] = id;
        }
        expectSame({ [list]: messages }, { format, profile });
      }
  });
});

test('a usual conversation is recognized', () => {
  repairWith({ messages: chatOf(usual) }, { format: 'openai-chat' }, true);
  repairWith({ input: itemsOf(usual) }, { format: 'openai-responses' }, true);
  expect(watched.recognized).toBe(2);
});
