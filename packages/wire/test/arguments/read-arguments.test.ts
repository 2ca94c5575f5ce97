/** Every kind of malformed arguments seen in practice: one row each. */
import { describe, expect, test } from 'vitest';
import { argumentReader, readArguments } from '../../src/arguments/read-arguments.ts';
import { ask, object, type ReadRow, said, text } from '../support/reading.ts';

describe('accepted arguments', () => {
  test.each<ReadRow>([
    // Valid
    ['an object', { a: 1 }, { a: 1 }],
    ['strict JSON', '{"a":1}', { a: 1 }],
    ['surrounding whitespace', ' \n{"a":1}\n', { a: 1 }],
    // Empty
    ['nothing', undefined, {}],
    ['null', null, {}],
    ['an empty string', '', {}],
    ['a blank string', ' \n', {}],
    ['null as a string', 'null', [{}, 'empty-to-object']],
    ['the empty list of PHP', '[]', [{}, 'empty-to-object']],
    ['the empty list of PHP, parsed', [], [{}, 'empty-to-object']],
    // Lossless
    ['a byte order mark', '\uFEFF{"a":1}', [{ a: 1 }, 'invisible-characters']],
    ['trailing zeros', '{"a":1}\u0000\u0000', [{ a: 1 }, 'invisible-characters']],
    ['a code fence', '```json\n{"a":1}\n```', [{ a: 1 }, 'code-fence']],
    ['a code fence on one line', '``` {"a":1} ```', [{ a: 1 }, 'code-fence']],
    ['an unclosed code fence', '```json\n{"a":1}', [{ a: 1 }, 'code-fence']],
    ['a code fence in a value', '{"a":"```x```"}', { a: '```x```' }],
    ['a special token', '{"a":1}<|endoftext|>', [{ a: 1 }, 'special-tokens']],
    ['special tokens', '{"a":1}<|tool_call_end|><|im_end|>\n', [{ a: 1 }, 'special-tokens']],
    ['full-width special tokens', '{"a":1}<｜tool▁call▁end｜>', [{ a: 1 }, 'special-tokens']],
    ['tags of a template', '<tool_call>{"a":1}</tool_call>', [{ a: 1 }, 'special-tokens']],
    ['marks in brackets', '{"a":1}[/TOOL_CALLS]', [{ a: 1 }, 'special-tokens']],
    ['a preceding tool name', 'search{"a":"x"}</function>', [{ a: 'x' }, 'special-tokens']],
    [
      'a named call in its tags',
      '<tool_call>{"name":"search","arguments":{"a":1}}</tool_call>',
      [{ a: 1 }, 'special-tokens', 'named-call'],
    ],
    ['a fence around a string with fences', '```json\n{"a":"```sh\\nls\\n```"}\n```', [{ a: '```sh\nls\n```' }, 'code-fence']],
    ['a token in a value', '{"a":"<|x|>"}', { a: '<|x|>' }],
    ['line breaks in a string', '{"a":"x\ny\tz"}', [{ a: 'x\ny\tz' }, 'raw-line-breaks']],
    ['encoded twice', '"{\\"a\\":1}"', [{ a: 1 }, 'double-encoded']],
    ['encoded three times', JSON.stringify(JSON.stringify('{"a":1}')), [{ a: 1 }, 'double-encoded', 'double-encoded']],
    ['encoded twice with a token', '"{\\"a\\":1}<|end|>"', [{ a: 1 }, 'double-encoded', 'special-tokens']],
    ['a preceding empty object', '{}{"a":1}', [{ a: 1 }, 'leading-empty-object']],
    ['a repeated object', '{"a":1}{"a":1}', [{ a: 1 }, 'repeated-value']],
    ['a repeated object, formatted differently', '{"a":1}\n{ "a": 1 }', [{ a: 1 }, 'repeated-value']],
    ['two empty objects', '{}{}', [{}, 'repeated-value']],
    ['escaped as a whole', '{\\"a\\":\\"x\\"}', [{ a: 'x' }, 'double-encoded']],
    ['the tags of a sentence end', '<s>{"a":1}</s>', [{ a: 1 }, 'special-tokens']],
    // By the schema
    ['a list as a string', '{"q":"[\\"x\\"]"}', [{ q: ['x'] }, 'text-to-list q'], { schema: object({ q: { type: 'array' } }) }],
    ['a range as a string', '{"r":"[1, 50]"}', [{ r: [1, 50] }, 'text-to-list r'], { schema: object({ r: { type: 'array' } }) }],
    ['a list as a string where a string is allowed', '{"q":"[1]"}', { q: '[1]' }, { schema: object({ q: { type: ['array', 'string'] } }) }],
    ['a number as a string', '{"n":"200000"}', [{ n: 200_000 }, 'text-to-number n'], { schema: object({ n: { type: 'integer' } }) }],
    [
      'a string for a list',
      '{"d":"light"}',
      [{ d: ['light'] }, 'value-to-list d'],
      { schema: object({ d: { type: 'array', items: text } }) },
    ],
    // Numbers
    ['the largest exact number', '{"a":9007199254740991}', { a: 9_007_199_254_740_991 }],
    ['an exact integer in scientific notation', '{"a":1e20}', { a: 1e20 }],
    ['a fraction in scientific notation', '{"a":1.380649e-23}', { a: 1.380_649e-23 }],
    [
      'a large number in scientific notation where it need not be an integer',
      '{"a":6.02214076e23}',
      [{ a: 6.022_140_76e23 }, 'big-integer-to-text', 'text-to-number a'],
      { schema: object({ a: { type: 'number' } }) },
    ],
    ['a long fraction', '{"a":13.40495400000000012}', { a: 13.404_954 }],
    ['a power of two', '{"a":9007199254740992}', { a: 9_007_199_254_740_992 }],
    ['digits in a string', '{"a":"12345678901234567890"}', { a: '12345678901234567890' }],
    [
      'many digits where a string is allowed',
      '{"a":-12345678901234567890}',
      [{ a: '-12345678901234567890' }, 'big-integer-to-text'],
      { schema: object({ a: text }) },
    ],
    ['a parameter named constructor', '{"constructor":"Ferrari"}', { constructor: 'Ferrari' }, { schema: object({ constructor: text }) }],
  ])('%s', (...row: readonly unknown[]) => {
    const [, raw, expected, more] = row as unknown as ReadRow;
    expect(said(raw, more)).toEqual(expected);
  });

  test('a valid object is returned as the same object', () => {
    const given = { a: { b: [1] } };
    expect(readArguments(ask(given, { schema: object({ a: { type: 'object' } }) }))).toMatchObject({ ok: true, repairs: [] });
    expect((readArguments(ask(given)) as { readonly value: unknown }).value).toBe(given);
  });
});

/** Texts that are not JSON, but have one reading. */
const readOnce: readonly ReadRow[] = [
  ['escaped apostrophes', String.raw`{"a":"n = \'bob\'"}`, [{ a: "n = 'bob'" }, 'json-syntax']],
  ['a Python dict', "{'a': 'x', 'b': True, 'c': None}", [{ a: 'x', b: true, c: null }, 'json-syntax']],
  ['an escaped apostrophe', "{'a': 'it\\'s'}", [{ a: "it's" }, 'json-syntax']],
  ['a Python dict with both quotes', `{'a': "it's", 'b': 'say "hi"'}`, [{ a: "it's", b: 'say "hi"' }, 'json-syntax']],
  ['unquoted names', '{a: "x"}', [{ a: 'x' }, 'json-syntax']],
  ['a trailing comma', '{"a":[1,2,],}', [{ a: [1, 2] }, 'json-syntax']],
  ['comments', '{"a":1, // one\n"b": /* two */ 2}', [{ a: 1, b: 2 }, 'json-syntax']],
  ['a dict in a fence, with line breaks', "```python\n{'a': 'x\ny'}\n```", [{ a: 'x\ny' }, 'code-fence', 'json-syntax', 'raw-line-breaks']],
  ['the same dict twice', "{'a':1}{'a':1}", [{ a: 1 }, 'json-syntax', 'repeated-value']],
  ['quoted names and values', '{"\\"a\\"":"\\"x\\""}', [{ a: 'x' }, 'quoted-names'], { schema: object({ a: text }) }],
  ['quoted names', '{"\\"a\\"":"x"}', [{ a: 'x' }, 'quoted-names'], { schema: object({ a: text }) }],
];

describe('tools that declare read or idempotent', () => {
  test.each(readOnce)('%s', (...row: readonly unknown[]) => {
    const [, raw, expected, more] = row as unknown as ReadRow;
    expect(said(raw, { ...more, effect: 'read' })).toEqual(expected);
    expect(said(raw, { ...more, effect: 'idempotent' })).toEqual(expected);
    expect(argumentReader({ guesses: 'always' })(ask(raw, more))).toMatchObject({ ok: true });
  });

  test.each(readOnce)('%s is not read for other tools', (...row: readonly unknown[]) => {
    const [, raw, , more] = row as unknown as ReadRow;
    expect([said(raw, more), said(raw, { ...more, effect: 'unsafe' })]).toEqual(['refused', 'refused']);
    expect(argumentReader({ guesses: 'never' })(ask(raw, { ...more, effect: 'read' }))).toMatchObject({ ok: false });
  });

  test.each<ReadRow>([
    ['quoted names without a schema', '{"\\"a\\"":1}', { '"a"': 1 }],
    ['quoted names that the schema requires', '{"\\"a\\"":1}', { '"a"': 1 }, { schema: object({ '"a"': {} }) }],
  ])('%s stay as they are', (...row: readonly unknown[]) => {
    const [, raw, expected, more] = row as unknown as ReadRow;
    expect(said(raw, { ...more, effect: 'read' })).toEqual(expected);
  });
});

describe('truncated arguments are neither repaired nor run', () => {
  test.each<readonly [string, string]>([
    ['in a string', '{"path":"a","content":"xx'],
    ['in a command', '{"command":"rm -rf /tmp/bui'],
    ['in a word', '{"force":tr'],
    ['in a name', '{"a":1,"con'],
    ['after a name', '{"a":1,"con"'],
    ['after a colon', '{"a":'],
    ['in a list', '{"a":[1,2'],
    ['after a string', '{"a":"x"'],
    ['in a Python dict', "{'path':'a"],
    ['in a fence', '```json\n{"a":"x'],
    ['before a token', '{"a":"x<|endoftext|>'],
    ['in the second of two objects', '{"a":1}{"a"'],
    ['in a comment', '{"a":1 // one}'],
    ['in a text that no notation describes', 'Sure: {"a":'],
    ['in an escape', '{"a":"\\u00'],
    ['in a string within a string', '"{\\"a\\":\\"x"'],
  ])('%s', (_name, raw) => {
    expect(said(raw)).toBe('cut off');
    expect(argumentReader({ guesses: 'always' })(ask(raw))).toMatchObject({ ok: false, truncated: true });
  });

  test.each([['{"a":1}'], [''], [{ a: 1 }]])('%o of a truncated answer', (raw) => {
    expect(said(raw, { truncated: true })).toBe('cut off');
  });
});

describe('tools with side effects', () => {
  test.each([["{'a':1}"], ['{"a":1,}']])('%s is not accepted as arguments of an unsafe or undeclared tool', (raw) => {
    expect(said(raw, { effect: 'unsafe' })).toBe('refused');
    expect(said(raw, { effect: undefined })).toBe('refused');
    expect(said(raw, { effect: 'idempotent' })).toContainEqual({ a: 1 });
    expect(argumentReader({ guesses: 'always' })(ask(raw, { effect: 'unsafe' }))).toMatchObject({ ok: true, value: { a: 1 } });
    expect(argumentReader({ guesses: 'never' })(ask(raw, { effect: 'read' }))).toMatchObject({ ok: false });
  });

  test.each([['{"a":1}<|end|>'], ['{"a":"1"}'], ['"{\\"a\\":1}"'], ['{}{"a":1}']])('%s is one: nothing is guessed', (raw) => {
    const schema = object({ a: { type: 'integer' } });
    expect(readArguments(ask(raw, { effect: 'unsafe', schema }))).toMatchObject({ ok: true, value: { a: 1 } });
  });
});

test.each([
  '<|START_THINKING|>{"amount":5}<|END_THINKING|>',
  '<|begin_of_thought|>{"amount":5}<|end_of_thought|>',
  '<|example|>{"amount":5}',
  '<|draft|>{"amount":5}<|cancelled|>',
  '<|do not run|>{"amount":5}',
])('marks that say something about the value are no framing: %s', (raw) => {
  for (const effect of ['unsafe', 'read'] as const)
    expect(readArguments({ raw, toolName: 'pay', schema: undefined, truncated: false, effect }).ok).toBe(false);
});
