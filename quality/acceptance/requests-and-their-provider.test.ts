/** Random damage to a valid request: whatever the provider refuses is found before it is sent, and what is corrected without a problem left is accepted. */
/* oxlint-disable vitest/no-conditional-expect -- the provider says what is expected */
import { checkRequest } from '@holdfast/provider-double/rules';
import { repair, ResponseValidationMiddleware } from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectTruthful, writers, type ProviderFormat, type Round } from './support/conversation.ts';
import { propertyRuns } from './support/property-runs.ts';

type Json = Readonly<Record<string, unknown>>;

const call = (callId: string, tool: string) => ({ callId, tool, result: `answer of ${callId}` });
const [first, second, third] = [call('call_1', 'weather'), call('call_2', 'hotels'), call('call_3', 'weather')];
const rounds: readonly Round[] = [
  { question: 'How is it in Oslo?', exchanges: [first, second], written: [first, second] },
  { question: 'And then?', exchanges: [], written: [] },
  { question: 'And in Rome?', exchanges: [third], written: [third] },
];

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'array', items: { type: 'integer' } }, unit: { type: 'string', enum: ['C', 'F'] } },
  required: ['city'],
};
const names = ['weather', 'hotels', 'flights'];
const tools: Readonly<Record<ProviderFormat, Json>> = {
  'openai-chat': {
    tools: names.map((name) => ({ type: 'function', function: { name, description: 'd', parameters: schema } })),
    tool_choice: 'auto',
  },
  'openai-responses': { tools: names.map((name) => ({ type: 'function', name, parameters: schema, strict: false })), tool_choice: 'auto' },
  'anthropic-messages': { tools: names.map((name) => ({ name, description: 'd', input_schema: schema })), tool_choice: { type: 'auto' } },
  gemini: {
    tools: [{ functionDeclarations: names.map((name) => ({ name, description: 'd', parameters: schema })) }],
    toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
  },
  'bedrock-converse': {
    toolConfig: { tools: names.map((name) => ({ toolSpec: { name, inputSchema: { json: schema } } })), toolChoice: { auto: {} } },
  },
};

/** The choice of one tool, where the tools are. */
const forced: Readonly<Record<ProviderFormat, Json>> = {
  'openai-chat': { tool_choice: { type: 'function', function: { name: 'weather' } } },
  'openai-responses': { tool_choice: { type: 'function', name: 'weather' } },
  'anthropic-messages': { tool_choice: { type: 'tool', name: 'weather' } },
  gemini: { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } } },
  'bedrock-converse': { toolConfig: { ...(tools['bedrock-converse']['toolConfig'] as Json), toolChoice: { tool: { name: 'weather' } } } },
};
/** Gemini takes one tool in place of a list, and calls without arguments have no field for them. */
const sparse = JSON.parse(
  JSON.stringify({ ...writers.gemini(rounds), ...tools.gemini, tools: (tools.gemini['tools'] as readonly unknown[])[0] }).replaceAll(
    ',"args":{}',
    '',
  ),
) as Json;

/** Every place of a request, except those that clients and gateways fill in after the check. */
function placesOf(value: unknown, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, part]) =>
    path.length === 0 && ['model', 'modelId', 'max_tokens'].includes(String(key))
      ? []
      : [[...path, key], ...placesOf(part, [...path, key])],
  );
}

const removed = Symbol('removed');
const repeated = Symbol('repeated');
type Edit = unknown;
const edits: fc.Arbitrary<Edit> = fc.constantFrom<Edit>(
  removed,
  removed,
  repeated,
  null,
  '',
  '  ',
  0,
  true,
  [],
  {},
  'call_1',
  'no such tool',
  'x'.repeat(200),
  { type: 'text', text: 'hello' },
  'required',
  { type: 'any' },
  { type: 'tool', name: 'weather' },
  { type: 'adaptive' },
);

function edited(value: unknown, [key, ...rest]: readonly (string | number)[], edit: Edit): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const at = Number(key);
    const part = value[at] as unknown;
    const parts = rest.length > 0 ? [edited(part, rest, edit)] : edit === removed ? [] : edit === repeated ? [part, part] : [edit];
    return [...(value as unknown[]).slice(0, at), ...parts, ...(value as unknown[]).slice(at + 1)];
  }
  const { [key]: part, ...others } = value as Json;
  if (rest.length > 0) return { ...value, [key]: edited(part, rest, edit) };
  return edit === removed ? others : { ...value, [key]: edit === repeated ? [part] : edit };
}

const formats = Object.keys(writers) as readonly ProviderFormat[];

const question = { role: 'user', content: [{ type: 'text', text: 'How is it in Oslo?' }] };
const requests: readonly (readonly [string, ProviderFormat, Json])[] = [
  ...formats.map((format) => [format, format, { ...writers[format](rounds), ...tools[format] }] as const),
  ...formats.map(
    (format) => [`${format}, with a forced call`, format, { ...writers[format](rounds), ...tools[format], ...forced[format] }] as const,
  ),
  ['gemini, with one tool and calls without arguments', 'gemini', sparse],
  [
    'anthropic-messages, with thinking',
    'anthropic-messages',
    {
      model: 'claude-x',
      max_tokens: 4_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      ...tools['anthropic-messages'],
      messages: [question],
    },
  ],
];

describe.each(requests)('a request in the format %s', (_name, format, whole) => {
  const places = placesOf(whole);
  const validator = new ResponseValidationMiddleware({ format });

  /** What the middleware says about a request, and what `repair` makes of it, is what the provider says. */
  const expectVerdict = (request: unknown): void => {
    // A result with a type is one of Bedrock's own tools, which stays as it is.
    if (JSON.stringify(request).includes('"toolResult":{"type"')) return;
    const refused = checkRequest({ format, request });
    const { valid, problems } = validator.validateRequest(request);
    expect(valid).toBe(problems.length === 0);
    if (valid) expect(refused, JSON.stringify(request)).toEqual([]);
    for (const { rule, message } of problems) expect([rule, message]).toEqual([expect.stringMatching(/\S/u), expect.stringMatching(/\S/u)]);
    const corrected = repair(request, { format });
    for (const { message } of corrected.problems) expect(message).not.toContain('cannot be read');
    for (const [sent, original] of corrected.mapping.names) {
      expect(JSON.stringify(corrected.request)).toContain(JSON.stringify(sent));
      expect(JSON.stringify(request)).toContain(JSON.stringify(original));
    }
    if (corrected.problems.length === 0) expect(checkRequest({ format, request: corrected.request })).toEqual([]);
    expect(valid).toBe(corrected.problems.length + corrected.changes.length === 0);
    if (valid) expect(corrected.request).toBe(request);
    // Whether the chosen tool is among the tools, Bedrock's double does not look at, and OpenAI's not at a choice without a tool.
    const isUnread =
      format === 'bedrock-converse' || (format === 'openai-chat' && !/"tool_choice":\{[^}]*"name"/u.test(JSON.stringify(request)));
    if (refused.length === 0 && !isUnread)
      expect(
        corrected.problems.map(({ rule }) => rule),
        JSON.stringify(request),
      ).not.toContain('tool-choice');
    expectTruthful(corrected.changes, request, corrected.request);
  };

  test('as its provider wants it is valid', { tags: ['S4-request-validation'] }, () => {
    expect(checkRequest({ format, request: whole })).toEqual([]);
    expect(validator.validateRequest(whole)).toEqual({ valid: true, problems: [] });
  });

  test('with each field in turn missing, null or empty', { tags: ['S4-request-validation', 'S4-auto-correction'] }, () => {
    for (const place of places) for (const edit of [removed, null, '']) expectVerdict(edited(whole, place, edit));
  });

  test(
    'with one or two fields that are missing, repeated or of another kind',
    { tags: ['S4-request-validation', 'S4-auto-correction'] },
    () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(fc.nat(places.length - 1), edits), { minLength: 1, maxLength: 2 }), (damage) => {
          const request = damage.reduce<unknown>((given, [place, edit]) => edited(given, places[place] ?? [], edit), whole);
          expectVerdict(request);
        }),
        propertyRuns(100),
      );
    },
  );
});

test(
  'a forced call beside thinking is refused where its provider refuses it, and nowhere else',
  { tags: ['S4-request-validation'] },
  () => {
    const validator = new ResponseValidationMiddleware({ format: 'anthropic-messages' });
    for (const thinking of [undefined, { type: 'disabled' }, { type: 'enabled', budget_tokens: 2_000 }, { type: 'adaptive' }])
      for (const choice of [
        undefined,
        { type: 'auto' },
        { type: 'none' },
        { type: 'any' },
        { type: 'tool', name: 'weather' },
        { type: 'tool', name: 'cars' },
      ]) {
        const request = {
          ...tools['anthropic-messages'],
          model: 'claude-x',
          max_tokens: 4_000,
          messages: [question],
          ...(thinking === undefined ? {} : { thinking }),
          ...(choice === undefined ? {} : { tool_choice: choice }),
        };
        const refused = checkRequest({ format: 'anthropic-messages', request }).length > 0;
        expect(validator.validateRequest(request).valid, JSON.stringify([thinking, choice])).toBe(!refused);
      }
  },
);

test.each(['openai-chat', 'anthropic-messages', 'bedrock-converse'] as const)(
  'names that the provider does not take become others, all different, in the format %s',
  { tags: ['S4-request-validation', 'S4-auto-correction'] },
  (format) => {
    const invalid = ['cars.rent', 'cars/rent', 'cars rent', 'Ünïcödé', 'x'.repeat(300), `${'x'.repeat(300)}y`];
    for (const [index] of invalid.slice(2).entries()) {
      const given = invalid.slice(index, index + names.length);
      const renamed = JSON.stringify({ ...writers[format](rounds), ...tools[format] }).replaceAll(
        /"name":"(weather|hotels|flights)"/gu,
        (_, name: string) => `"name":"${given[names.indexOf(name)] ?? ''}"`,
      );
      const { request, mapping, problems } = repair(JSON.parse(renamed) as object, { format });
      expect(problems).toEqual([]);
      expect(checkRequest({ format, request })).toEqual([]);
      expect([...mapping.names.values()].toSorted()).toEqual(given.toSorted());
      for (const [sent, original] of mapping.names) expect(mapping.toOriginal(sent)).toBe(original);
    }
  },
);
