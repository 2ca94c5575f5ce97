import { describe, expect, it } from 'vitest';
import { checkRequest, type RequestProblem } from '@holdfast/provider-double/rules';

const user = { role: 'user', parts: [{ text: 'go' }] };
const call = (name: string, fields: object = {}, part: object = {}): object => ({ functionCall: { name, args: {}, ...fields }, ...part });
const model = (...parts: unknown[]): object => ({ role: 'model', parts });
const response = (name: string, fields: object = {}): object => ({ functionResponse: { name, response: { output: 'ok' }, ...fields } });
const answer = (...parts: unknown[]): object => ({ role: 'user', parts });
const loop = [user, model(call('a')), answer(response('a'))];
const declared = (declaration: object): object => ({ tools: [{ functionDeclarations: [{ name: 'f', ...declaration }] }] });

const check = (contents: unknown, rest: object = {}): readonly RequestProblem[] =>
  checkRequest({ format: 'gemini', request: { model: 'gemini-2.5-flash', contents, ...rest } });

type Row = readonly [title: string, contents: unknown, rule: string, words: string, rest?: object];

const refused: readonly Row[] = [
  [
    'responses in two contents',
    [user, model(call('a'), call('b')), answer(response('a')), answer(response('b'))],
    'missing-result',
    'the number of function response parts is equal',
  ],
  [
    'two responses',
    [user, model(call('a')), answer(response('a'), response('a'))],
    'duplicate-result',
    'the number of function response parts is equal',
  ],
  ['an orphan', [user, answer(response('a'))], 'orphan-result', 'function response turn comes immediately after a function call turn'],
  ['a call at the end', [user, model(call('a'))], 'missing-result', 'the number of function response parts is equal'],
  [
    'two turns of the model',
    [user, model({ text: 'x' }), model(call('a')), answer(response('a'))],
    'call-order',
    'function call turn comes immediately after a user turn',
  ],
  [
    'another id',
    [user, model(call('a', { id: '1' })), answer(response('a', { id: '2' }))],
    'call-id-form',
    'functionResponse.id "2" does not match functionCall.id "1"',
  ],
  [
    'arguments as text',
    [user, model(call('a', { args: '{}' })), answer(response('a'))],
    'arguments-form',
    "Invalid value at 'contents[1].parts[0].function_call.args'",
  ],
  [
    'an empty part',
    [user, model({ thoughtSignature: 'S' }), user],
    'empty-content',
    "contents[1].parts[0].data: required oneof field 'data' must have one initialized field",
  ],
  ['no parts', [user, model(), user], 'empty-content', 'contents.parts must not be empty'],
  ['a field of the interface', [{ ...user, id: 'x' }], 'unknown-field', 'Unknown name "id" at \'contents[0]\': Cannot find field.'],
  ['a model message at the end', [user, model({ text: 'x' })], 'conversation-end', 'end with a user role'],
  ['a model message at the beginning', [model({ text: 'x' }), user], 'conversation-start', 'start with a user role'],
  ['no contents', [], 'empty-messages', 'contents is not specified'],
  [
    'Gemini 3: a second step without signature',
    [user, model(call('a', {}, { thoughtSignature: 'S' })), answer(response('a')), model(call('b')), answer(response('b'))],
    'thought-signature',
    'function call `default_api:b` , position 4.',
    { model: 'gemini-3-flash' },
  ],
  ['a name that starts with a digit', [user], 'tool-name-form', 'Must start with a letter or an underscore.', declared({ name: '1f' })],
  [
    'a keyword of JSON Schema',
    [user],
    'tool-schema',
    'Unknown name "additionalProperties" at \'tools[0].function_declarations[0].parameters\': Cannot find field.',
    declared({ parameters: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false } }),
  ],
  [
    'an array without items',
    [user],
    'tool-schema',
    'properties[a].items: missing field.',
    declared({ parameters: { type: 'object', properties: { a: { type: 'array' } } } }),
  ],
  [
    'an object without properties',
    [user],
    'tool-schema',
    'properties: should be non-empty for OBJECT type',
    declared({ parameters: { type: 'object', properties: {} } }),
  ],
  [
    'properties of a string',
    [user],
    'tool-schema',
    'properties: only allowed for OBJECT type',
    declared({ parameters: { type: 'string', properties: { a: { type: 'string' } } } }),
  ],
  ['two schemas', [user], 'tool-schema', 'mutually exclusive', declared({ parameters: { type: 'string' }, parametersJsonSchema: {} })],
  [
    'Gemini 3: two responses whose ids are swapped',
    [
      user,
      model(call('a', { id: '1' }, { thoughtSignature: 'S' }), call('b', { id: '2' })),
      answer(response('a', { id: '2' }), response('b', { id: '1' })),
    ],
    'result-name',
    'Request contains an invalid argument.',
    { model: 'gemini-3-pro' },
  ],
];

describe('refused', () => {
  for (const [title, contents, rule, words, rest] of refused) {
    it(title, () => {
      const problems = check(contents, rest);
      expect(problems.map((problem) => [problem.rule, problem.message.includes(words)])).toContainEqual([rule, true]);
    });
  }
});

const accepted: readonly (readonly [title: string, contents: unknown, rest?: object])[] = [
  ['a loop', loop],
  ['a string', 'go'],
  [
    'text beside calls, responses in another order',
    [
      user,
      model({ text: 'x' }, call('a', { id: '1' }), call('b', { id: '2' })),
      answer(response('b', { id: '2' }), response('a', { id: '1' })),
      user,
    ],
  ],
  ['two users', [user, user, ...loop.slice(1)]],
  ['ids on one side', [user, model(call('a', { id: '1' })), answer(response('a'))]],
  ['a chain of steps', [...loop, model(call('b')), answer(response('b'))]],
  [
    'the other spelling',
    [user, model({ function_call: { name: 'a', args: {} } }), answer({ function_response: { name: 'a', response: {} } })],
  ],
  [
    'Gemini 3: the first of two signed, and nothing in turns before',
    [...loop, user, model(call('a', {}, { thoughtSignature: 'S' }), call('b')), answer(response('a'), response('b'))],
    { model: 'gemini-3-pro' },
  ],
  [
    'Gemini 3: responses in another order, found by name or by id',
    [
      user,
      model(call('a', {}, { thoughtSignature: 'S' }), call('b')),
      answer(response('b'), response('a')),
      model(call('a', { id: '1' }, { thoughtSignature: 'S' }), call('a', { id: '2' })),
      answer(response('a', { id: '2' }), response('a', { id: '1' })),
    ],
    { model: 'gemini-3-pro' },
  ],
  ['the name of another function, before Gemini 3', [user, model(call('a')), answer(response('b'))]],
  ['a calling config of mode NONE without functions', [user], { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }],
  [
    'a single object in place of a list of tools, in the other spelling',
    [user],
    { tools: { function_declarations: [{ name: 'f' }] }, tool_config: { function_calling_config: { mode: 'ANY' } } },
  ],
  ['a signature beside an empty text', [user, model({ text: '', thoughtSignature: 'S' }), user]],
  ['JSON Schema in parametersJsonSchema', [user], declared({ parametersJsonSchema: { type: 'object', additionalProperties: false } })],
  [
    'a schema of OpenAPI',
    [user],
    declared({ parameters: { type: 'OBJECT', properties: { a: { type: 'ARRAY', items: { type: 'STRING' } } }, required: ['a'] } }),
  ],
];

describe('taken', () => {
  for (const [title, contents, rest] of accepted) {
    it(title, () => {
      expect(check(contents, rest)).toEqual([]);
    });
  }
});
