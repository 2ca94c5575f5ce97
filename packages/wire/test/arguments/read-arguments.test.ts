/** Every kind of malformed arguments seen in practice, and every silent error of a repair library: one row each. */
import type { JsonSchema } from '@holdfast/core';
import type { ArgumentRequest } from '@holdfast/core/agent';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { argumentReader, readArguments } from '../../src/arguments/read-arguments.ts';

const text = { type: 'string' };
const object = (properties: Readonly<Record<string, unknown>>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

const ask = (raw: unknown, more: Partial<ArgumentRequest> = {}): ArgumentRequest => ({
  raw,
  toolName: 'search',
  schema: undefined,
  effect: undefined,
  truncated: false,
  ...more,
});
const said = (raw: unknown, more: Partial<ArgumentRequest> = {}): unknown => {
  const reading = readArguments(ask(raw, more));
  if (reading.ok) return reading.repairs.length === 0 ? reading.value : [reading.value, ...reading.repairs];
  return reading.truncated ? 'cut off' : 'refused';
};

type ReadRow = readonly [name: string, raw: unknown, expected: unknown, more?: Partial<ArgumentRequest>];
type RefusedRow = readonly [name: string, raw: string, more?: Partial<ArgumentRequest>];

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
    ['a token in a value', '{"a":"<|x|>"}', { a: '<|x|>' }],
    ['line breaks in a string', '{"a":"x\ny\tz"}', [{ a: 'x\ny\tz' }, 'raw-control-characters']],
    ['a regular expression', '{"a":"\\d+"}', [{ a: '\\d+' }, 'invalid-escapes']],
    ['a Windows path', '{"a":"C:\\Users\\x"}', [{ a: 'C:\\Users\\x' }, 'invalid-escapes']],
    ['encoded twice', '"{\\"a\\":1}"', [{ a: 1 }, 'double-encoded']],
    ['encoded three times', JSON.stringify(JSON.stringify('{"a":1}')), [{ a: 1 }, 'double-encoded', 'double-encoded']],
    ['encoded twice with a token', '"{\\"a\\":1}<|end|>"', [{ a: 1 }, 'double-encoded', 'special-tokens']],
    ['a preceding empty object', '{}{"a":1}', [{ a: 1 }, 'leading-empty-object']],
    ['a repeated object', '{"a":1}{"a":1}', [{ a: 1 }, 'repeated-value']],
    ['a repeated object, formatted differently', '{"a":1}\n{ "a": 1 }', [{ a: 1 }, 'repeated-value']],
    ['two empty objects', '{}{}', [{}, 'repeated-value']],
    ['quoted names', '{"\\"command\\"":"\\"ls\\""}', [{ command: 'ls' }, 'quoted-names']],
    ['quoted names that are in the schema', '{"\\"a\\"":1}', [{ a: 1 }, 'quoted-names'], { schema: object({ a: {} }) }],
    ['quoted names that the schema requires', '{"\\"a\\"":1}', { '"a"': 1 }, { schema: object({ '"a"': {} }) }],
    // Guesses
    ['both kinds of escapes', '{"a":"\\d+\\n"}', [{ a: '\\d+\n' }, 'mixed-escapes']],
    ['a Python dict', "{'a': 'x', 'b': True, 'c': None}", [{ a: 'x', b: true, c: null }, 'json-syntax']],
    ['an escaped apostrophe', "{'a': 'it\\'s'}", [{ a: "it's" }, 'json-syntax']],
    ['a regular expression in single quotes', "{'a':'\\d+'}", [{ a: '\\d+' }, 'json-syntax']],
    ['unquoted names', '{a: "x"}', [{ a: 'x' }, 'json-syntax']],
    ['a trailing comma', '{"a":[1,2,],}', [{ a: [1, 2] }, 'json-syntax']],
    ['a missing comma', '{"a":"x"\n"b":"y"}', [{ a: 'x', b: 'y' }, 'json-syntax']],
    ['comments', '{"a":1, // one\n"b": /* two */ 2}', [{ a: 1, b: 2 }, 'json-syntax']],
    ['an unquoted URL', '{url: http://x.y/z}', [{ url: 'http://x.y/z' }, 'json-syntax']],
    ['smart quotes', '{“a”: “x”}', [{ a: 'x' }, 'json-syntax']],
    ['quotes in a string', '{"a":"say "hi" now"}', [{ a: 'say "hi" now' }, 'json-syntax']],
    ['one brace too many', '{"a":1}}', [{ a: 1 }, 'json-syntax']],
    ['a function call', 'run({"a":1})', [{ a: 1 }, 'surrounding-text']],
    ['a function call with a dict', "run({'a':1})", [{ a: 1 }, 'json-syntax']],
    ['escaped as a whole', '{\\"a\\":\\"x\\"}', [{ a: 'x' }, 'double-encoded']],
    ['surrounding text', 'Here it is: {"a":1}', [{ a: 1 }, 'surrounding-text']],
    ['surrounding text and a fence', 'Sure!\n```json\n{"a":1}\n```\nDone.', [{ a: 1 }, 'surrounding-text']],
    ['only the value of the only parameter', '"ls"', [{ command: 'ls' }, 'only-parameter'], { schema: object({ command: text }) }],
    ['only the list of the only parameter', '[1]', [{ ids: [1] }, 'only-parameter'], { schema: object({ ids: { type: 'array' } }) }],
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
    ['in a string within a string', '"{\\"a\\":\\"x"'],
  ])('%s', (_name, raw) => {
    expect(said(raw)).toBe('cut off');
    expect(argumentReader({ guesses: 'always' })(ask(raw))).toMatchObject({ ok: false, truncated: true });
  });

  test.each([['{"a":1}'], [''], [{ a: 1 }]])('%o of a truncated answer', (raw) => {
    expect(said(raw, { truncated: true })).toBe('cut off');
  });
});

describe('silent errors of a repair library are all refused', () => {
  test.each<RefusedRow>([
    ['prose', 'I will look at the file first.'],
    ['a command', 'ls -la'],
    ['several objects', '{"a":1}{"b":2}'],
    ['objects on lines', '{"a":1}\n{"b":2}\n'],
    ['three objects, two of them equal', '{"a":1}{"b":2}{"a":1}'],
    ['a string in triple quotes', '{"a": """x"""}'],
    ['a string in triple single quotes', "{'a': '''x'''}"],
    ['a missing value', '{"a":}'],
    ['an apostrophe in single quotes', "{'a':'it's'}"],
    ['statements', '{"a":1;"b":2}'],
    ['an omission', '{"a":[1,2,...]}'],
    ['not a number', '{"a":NaN}'],
    ['concatenated strings', '{"a":"1"+"2"}'],
    ['a nested function call', '{"a":ObjectId("x")}'],
    ['an incomplete number', '{a: 2e}'],
    ['an incomplete word', '{"a":tru}'],
    ['a path with ambiguous backslashes', '{"a":"C:\\Users\\new"}', { effect: 'unsafe' }],
    ['a decimal point without digits', '{"a": 5.}'],
    ['another protocol', '{"script" timeout_secs="10": "ls"}'],
    ['a mark spliced in', '{"a":"x… [archived] …y","b":{"c":'.concat('1}')],
    ['a list', '[1]'],
    ['a number', '5'],
    ['a string', '"ls"'],
    ['a list of the only parameter', '["x"]', { schema: object({ command: text }) }],
    ['names that are not in the schema', "{'a':1}", { schema: { ...object({ b: {} }, ['b']) } }],
    ['a name of an object member', '{"__proto__":{"admin":true}}'],
    ['a nested one', '{"a":[{"__proto__":1}]}'],
    ['an escaped one', '{"\\u005f_proto__":1}'],
    ['a constructor', '{"constructor":{"prototype":{}}}'],
    ['a number that would be rounded', '{"a":12345678901234567890}'],
    ['a number out of range', '{"a":1e400}'],
    ['a number that the schema requires', '{"a":12345678901234567890}', { schema: object({ a: { type: 'integer' } }) }],
  ])('%s', (...row: readonly unknown[]) => {
    const [, raw, more] = row as unknown as RefusedRow;
    expect(['refused', 'cut off']).toContain(said(raw, more));
  });
});

describe('tools with side effects', () => {
  test.each([["{'a':1}"], ['{"a":1,}'], ['Here: {"a":1}']])('%s is not accepted as arguments of an unsafe tool', (raw) => {
    expect(said(raw, { effect: 'unsafe' })).toBe('refused');
    expect(said(raw, { effect: 'idempotent' })).toContainEqual({ a: 1 });
    expect(argumentReader({ guesses: 'always' })(ask(raw, { effect: 'unsafe' }))).toMatchObject({ ok: true, value: { a: 1 } });
    expect(argumentReader({ guesses: 'never' })(ask(raw, { effect: 'read' }))).toMatchObject({ ok: false });
  });

  test.each([['{"a":1}<|end|>'], ['{"a":"1"}'], ['"{\\"a\\":1}"'], ['{}{"a":1}']])('%s is one: nothing is guessed', (raw) => {
    const schema = object({ a: { type: 'integer' } });
    expect(readArguments(ask(raw, { effect: 'unsafe', schema }))).toMatchObject({ ok: true, value: { a: 1 } });
  });
});

describe('for any text', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '\\',
    ',',
    ':',
    '"a":',
    'true',
    'None',
    '1',
    ' ',
    '\n',
    '```',
    '<|x|>',
    '…',
    '//',
    '\\u00',
  );
  const mess = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
  );

  test('never throws, and returns an object if it accepts the text', () => {
    fc.assert(
      fc.property(fc.oneof(mess, fc.anything()), fc.boolean(), (raw, truncated) => {
        const reading = readArguments(ask(raw, { truncated, schema: object({ a: { type: 'integer' } }) }));
        if (!reading.ok) return reading.message.length > 0;
        return typeof reading.value === 'object' && reading.value !== null && !Array.isArray(reading.value);
      }),
      { numRuns: 3_000 },
    );
  });

  test('never mistakes part of a string for the whole', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, at) => {
        const whole = JSON.stringify(value);
        const part = whole.slice(0, 1 + (at % (whole.length - 1)));
        expect(readArguments(ask(part)).ok).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  test('any JSON is read unchanged', () => {
    const name = fc.string().filter((key) => key !== '__proto__' && key !== 'constructor');
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue({ depthSize: 'small' })), (value) => {
        const raw = JSON.stringify(value);
        if (/"(?:__proto__|constructor)"|^\{(?:"\\")/.test(raw) || /\d{16}|e\+/.test(raw)) return;
        expect(readArguments(ask(raw))).toEqual({ ok: true, value: JSON.parse(raw), repairs: [] });
      }),
    );
  });

  test.each<readonly [string, (size: number) => string]>([
    ['quotes', (size) => '"'.repeat(size)],
    ['single quotes', (size) => `{'a':${"'x ".repeat(size / 3)}}`],
    ['braces', (size) => '{'.repeat(size)],
    ['lists', (size) => '['.repeat(size / 2) + ']'.repeat(size / 2)],
    ['backslashes', (size) => `{"a":"${'\\'.repeat(size)}`],
    ['code in a string', (size) => `{"a":"${'if (x == "y") { z(); }\n'.repeat(size / 23)}"}`],
    ['comments', (size) => `{${'/*'.repeat(size / 2)}`],
    ['objects', (size) => '{"a":1}'.repeat(size / 7)],
    ['tokens', (size) => `{"a":1,}${'<|x|>'.repeat(size / 5)}`],
    ['long numbers', (size) => `{"a":${'1'.repeat(size)}}`],
    ['a thousand names', (size) => `{${'"a":1,'.repeat(size / 6)}}`],
    ['blanks', (size) => `{"a":"x" ${' '.repeat(size)}`],
    ['quotes and blanks', (size) => `{${`"a"${' '.repeat(100)}`.repeat(size / 103)}}`],
  ])('%s take little time', (_name, make) => {
    const start = performance.now();
    expect(readArguments(ask(make(60_000))).ok).toBeTypeOf('boolean');
    expect(readArguments(ask(make(600_000))).ok).toBeTypeOf('boolean');
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
