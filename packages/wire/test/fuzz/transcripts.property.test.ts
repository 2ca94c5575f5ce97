/**
 * Transcripts of every format, shuffled and damaged at random: a repaired one is accepted, keeps all calls and texts of the user, and is not
 * repaired again. With arbitrary values anywhere, a repair neither throws nor modifies its input.
 */
import { checkRequest, type BackendProfile, type WireFormat } from '@holdfast/provider-double';
import { repair } from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

type Json = Record<string, unknown>;

interface Call {
  readonly id: string;
  readonly mark: string;
}

type Step = { readonly says: 'user' | 'model'; readonly text: string } | { readonly calls: readonly Call[] };

/** How a format writes a step. */
interface Writer {
  readonly list: string;
  readonly text: (role: 'user' | 'model', text: string) => Json;
  readonly calls: (calls: readonly Call[]) => readonly Json[];
  readonly results: (calls: readonly Call[]) => readonly Json[];
  readonly around: Json;
}

const roleOf = (role: 'user' | 'model'): string => (role === 'user' ? 'user' : 'assistant');
const args = ({ mark }: Call): Json => ({ mark });

const writers: Readonly<Record<WireFormat, Writer>> = {
  'openai-chat': {
    list: 'messages',
    text: (role, content) => ({ role: roleOf(role), content }),
    calls: (calls) => [
      {
        role: 'assistant',
        content: '',
        tool_calls: calls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: 'a', arguments: JSON.stringify(args(call)) },
        })),
      },
    ],
    results: (calls) => calls.map(({ id, mark }) => ({ role: 'tool', tool_call_id: id, content: `result ${mark}` })),
    around: {},
  },
  'openai-responses': {
    list: 'input',
    text: (role, content) => ({ role: roleOf(role), content }),
    calls: (calls) => calls.map((call) => ({ type: 'function_call', call_id: call.id, name: 'a', arguments: JSON.stringify(args(call)) })),
    results: (calls) => calls.map(({ id, mark }) => ({ type: 'function_call_output', call_id: id, output: `result ${mark}` })),
    around: {},
  },
  'anthropic-messages': {
    list: 'messages',
    text: (role, content) => ({ role: roleOf(role), content }),
    calls: (calls) => [
      { role: 'assistant', content: calls.map((call) => ({ type: 'tool_use', id: call.id, name: 'a', input: args(call) })) },
    ],
    results: (calls) => [
      { role: 'user', content: calls.map(({ id, mark }) => ({ type: 'tool_result', tool_use_id: id, content: `result ${mark}` })) },
    ],
    around: { max_tokens: 10 },
  },
  gemini: {
    list: 'contents',
    text: (role, text) => ({ role, parts: [{ text }] }),
    calls: (calls) => [{ role: 'model', parts: calls.map((call) => ({ functionCall: { id: call.id, name: 'a', args: args(call) } })) }],
    results: (calls) => [
      {
        role: 'user',
        parts: calls.map(({ id, mark }) => ({ functionResponse: { id, name: 'a', response: { output: `result ${mark}` } } })),
      },
    ],
    around: {},
  },
  'bedrock-converse': {
    list: 'messages',
    text: (role, text) => ({ role: roleOf(role), content: [{ text }] }),
    calls: (calls) => [
      { role: 'assistant', content: calls.map((call) => ({ toolUse: { toolUseId: call.id, name: 'a', input: args(call) } })) },
    ],
    results: (calls) => [
      { role: 'user', content: calls.map(({ id, mark }) => ({ toolResult: { toolUseId: id, content: [{ text: `result ${mark}` }] } })) },
    ],
    around: {
      modelId: 'amazon.nova-pro-v1:0',
      toolConfig: { tools: [{ toolSpec: { name: 'a', inputSchema: { json: { type: 'object' } } } }] },
    },
  },
  'ai-sdk': {
    list: 'messages',
    text: (role, content) => ({ role: roleOf(role), content }),
    calls: (calls) => [
      { role: 'assistant', content: calls.map((call) => ({ type: 'tool-call', toolCallId: call.id, toolName: 'a', input: args(call) })) },
    ],
    results: (calls) => [
      {
        role: 'tool',
        content: calls.map(({ id, mark }) => ({
          type: 'tool-result',
          toolCallId: id,
          toolName: 'a',
          output: { type: 'text', value: `result ${mark}` },
        })),
      },
    ],
    around: {},
  },
};

/** A turn of the user, then rounds of calls, then a text of the model. */
const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }), { minLength: 1, maxLength: 4 })
  .map((turns) => {
    let count = 0;
    const call = (): Call => {
      count += 1;
      return { id: `call_${count}`, mark: `call-${count}.` };
    };
    return turns.flatMap((rounds, turn): readonly Step[] => [
      { says: 'user', text: `user-${turn}.` },
      ...rounds.map((size) => ({ calls: Array.from({ length: size }, call) })),
      ...(turn < turns.length - 1 ? [{ says: 'model', text: `model-${turn}.` } as const] : []),
    ]);
  });

const written = (writer: Writer, plan: readonly Step[]): Json[] =>
  plan.flatMap((step) =>
    'calls' in step ? [...writer.calls(step.calls), ...writer.results(step.calls)] : [writer.text(step.says, step.text)],
  );

interface Damage {
  readonly kind: 'drop' | 'double' | 'move' | 'junk' | 'replay' | 'cut-blocks' | 'double-block' | 'move-block';
  readonly from: number;
  readonly to: number;
}

const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('drop', 'double', 'move', 'junk', 'replay', 'cut-blocks', 'double-block', 'move-block'),
    from: fc.nat(1000),
    to: fc.nat(1000),
  }),
  { minLength: 1, maxLength: 5 },
);

const blocksOf = (message: unknown): unknown[] | undefined => {
  const { content, parts, tool_calls: calls } = (message ?? {}) as Json;
  return [content, parts, calls].find((each): each is unknown[] => Array.isArray(each) && each.length > 0);
};

function damage(list: unknown[], { kind, from, to }: Damage): void {
  if (list.length === 0) return;
  const index = from % list.length;
  const other = to % (list.length + 1);
  const blocks = blocksOf(list[index]);
  if (kind === 'drop') list.splice(index, 1);
  else if (kind === 'double') list.splice(other, 0, structuredClone(list[index]));
  else if (kind === 'move') list.splice(other, 0, ...list.splice(index, 1));
  else if (kind === 'junk') list.splice(other, 0, null);
  else if (kind === 'replay' && list.length < 40) list.push(...structuredClone(list));
  else if (kind === 'cut-blocks') blocks?.splice(to % blocks.length, 1);
  else if (kind === 'double-block' && blocks) blocks.push(structuredClone(blocks[to % blocks.length]));
  else if (kind === 'move-block' && blocks) {
    const target = list.map(blocksOf).find((each, place) => each && place >= to % list.length);
    const block: unknown = blocks.splice(to % blocks.length, 1)[0];
    (target ?? blocks).push(block);
  }
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) frozen(item);
  }
  return value;
}

const marksIn = (value: unknown): ReadonlySet<string> =>
  new Set(JSON.stringify(value).match(/(?<!result )(?:call|user|model)-\d+\./g) ?? []);

const combinations: readonly (readonly [WireFormat, BackendProfile])[] = [
  ['openai-chat', 'openai'],
  ['openai-chat', 'deepseek'],
  ['openai-chat', 'mistral'],
  ['openai-chat', 'kimi'],
  ['openai-chat', 'xai'],
  ['openai-chat', 'vllm'],
  ['openai-responses', 'openai'],
  ['openai-responses', 'deepseek'],
  ['anthropic-messages', 'anthropic'],
  ['gemini', 'gemini'],
  ['bedrock-converse', 'bedrock'],
  ['ai-sdk', 'ai-sdk'],
];

const options = { numRuns: 150, interruptAfterTimeLimit: 15_000 } as const;

describe.each(combinations)('%s at %s', (format, profile) => {
  const writer = writers[format];

  it('damaged by moving, dropping and repeating: accepted, complete, repaired once', () => {
    fc.assert(
      fc.property(steps, damages, (plan, kinds) => {
        const list: unknown[] = written(writer, plan);
        for (const each of kinds) damage(list, each);
        const given = frozen({ ...structuredClone(writer.around), [writer.list]: list });
        const { request, changes, problems } = repair(given, { format, profile });
        expect(problems.filter(({ rule }) => rule !== 'request-shape')).toEqual([]);
        expect(problems.length > 0 ? [] : checkRequest({ format, profile, request })).toEqual([]);
        expect([...marksIn(given)].filter((mark) => !marksIn(request).has(mark))).toEqual([]);
        const again = repair(request, { format, profile });
        expect(again.request).toBe(request);
        expect(again.changes).toEqual([]);
        const copied = repair(structuredClone(given), { format, profile });
        expect(copied.request).toEqual(request);
        expect(copied.changes).toEqual(changes);
      }),
      options,
    );
  });

  it('any value anywhere: never throws, does not modify its input, and repairing again changes nothing', () => {
    const hostile = fc.constantFrom<unknown>(undefined, null, '', 0, Number.NaN, true, [], {}, [null], 'x'.repeat(70), '\ud800', [[]], {
      type: 'x',
    });
    fc.assert(
      fc.property(
        steps,
        fc.array(fc.tuple(fc.array(fc.nat(50), { minLength: 2, maxLength: 7 }), hostile), { minLength: 1, maxLength: 3 }),
        (plan, edits) => {
          const list: unknown[] = written(writer, plan);
          for (const [way, value] of edits) put(list, way, structuredClone(value));
          const given = frozen({ ...structuredClone(writer.around), [writer.list]: list });
          const { request, problems, changes } = repair(given, { format, profile });
          expect(problems.filter(({ rule, message }) => rule === 'message-shape' && message.includes('cannot be read'))).toEqual([]);
          expect(changes.length === 0).toBe(request === given);
          expect(repair(request, { format, profile }).request).toBe(request);
        },
      ),
      options,
    );
  });
});

/** Replaces the value at a path of lists and fields. */
function put(list: unknown[], way: readonly number[], value: unknown): void {
  let owner: object = list;
  for (const [depth, step] of way.entries()) {
    const keys = Object.keys(owner);
    const key = keys[step % Math.max(1, keys.length)];
    if (key === undefined) return;
    const next = (owner as Json)[key];
    if (depth === way.length - 1 || typeof next !== 'object' || next === null) {
      (owner as Json)[key] = value;
      return;
    }
    owner = next;
  }
}
