/** Every kind of malformed arguments seen in practice, and what must not become of them: one row each. */
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
    ['a number in scientific notation', '{"a":6.02214076e23}', { a: 6.022_140_76e23 }],
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
  ['a regular expression', '{"a":"\\d+"}', [{ a: '\\d+' }, 'invalid-escapes']],
  ['a Windows path', '{"a":"C:\\Users\\x"}', [{ a: 'C:\\Users\\x' }, 'invalid-escapes']],
  ['escaped apostrophes', String.raw`{"a":"n = \'bob\'"}`, [{ a: "n = 'bob'" }, 'json-syntax']],
  ['a Python dict', "{'a': 'x', 'b': True, 'c': None}", [{ a: 'x', b: true, c: null }, 'json-syntax']],
  ['an escaped apostrophe', "{'a': 'it\\'s'}", [{ a: "it's" }, 'json-syntax']],
  ['a Python dict with both quotes', `{'a': "it's", 'b': 'say "hi"'}`, [{ a: "it's", b: 'say "hi"' }, 'json-syntax']],
  ['unquoted names', '{a: "x"}', [{ a: 'x' }, 'json-syntax']],
  ['a trailing comma', '{"a":[1,2,],}', [{ a: [1, 2] }, 'json-syntax']],
  ['comments', '{"a":1, // one\n"b": /* two */ 2}', [{ a: 1, b: 2 }, 'json-syntax']],
  ['a dict in a fence, with line breaks', "```python\n{'a': 'x\ny'}\n```", [{ a: 'x\ny' }, 'code-fence', 'json-syntax', 'raw-line-breaks']],
  ['the same dict twice', "{'a':1}{'a':1}", [{ a: 1 }, 'json-syntax', 'repeated-value']],
  ['only the value of the only parameter', '"ls"', [{ command: 'ls' }, 'only-parameter'], { schema: object({ command: text }) }],
  ['only the list of the only parameter', '[1]', [{ ids: [1] }, 'only-parameter'], { schema: object({ ids: { type: 'array' } }) }],
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

/** No effect may be guessed from these: they are refused for every tool. */
describe('texts with no or several readings are refused', () => {
  test.each<RefusedRow>([
    ['prose', 'I will look at the file first.'],
    ['a command', 'ls -la'],
    ['an object in prose', 'I will not call it with {"a":1}'],
    ['an object after a colon', 'Here it is: {"a":1}'],
    ['a fence in prose', 'Sure!\n```json\n{"a":1}\n```\nDone.'],
    ['an object in a thought', '<think>{"a":1}</think>'],
    ['an object marked as an example', '[EXAMPLE]{"a":1}'],
    ['a call of another tool', 'run({"a":1})'],
    ['several objects', '{"a":1}{"b":2}'],
    ['objects on lines', '{"a":1}\n{"b":2}\n'],
    ['three objects, two of them equal', '{"a":1}{"b":2}{"a":1}'],
    ['an object and an empty one', '{"a":1}{}'],
    ['part of an object, then the whole', '{"a":"/tmp/{"a":"/tmp/x"}'],
    ['part of a dict, then the whole', "{'a':'/tmp/{'a':'/tmp/x'}"],
    ['a name twice', '{"a":"/tmp/a","a":"/"}'],
    ['a name twice with the same value', '{"a":1,"a":1}'],
    ['a name twice, once escaped', '{"a":1,"\\u0061":2}'],
    ['a name twice, deeper', '{"b":[{"a":1,"a":2}]}'],
    ['a name twice in a dict', "{'a':1,'a':2}"],
    ['a name twice in encoded text', JSON.stringify('{"a":1,"a":2}')],
    ['a name twice in a fence', '```json\n{"a":1,"a":2}\n```'],
    ['a string in triple quotes', '{"a": """x"""}'],
    ['a string in triple single quotes', "{'a': '''x'''}"],
    ['a missing value', '{"a":}'],
    ['a missing comma', '{"a":"x"\n"b":"y"}'],
    ['an apostrophe in single quotes', "{'a':'it's'}"],
    ['quotes in a string', '{"a":"say "hi" now"}'],
    ['quotes in a string that look like another parameter', '{"cmd":"echo "a", "b": c"}'],
    ['smart quotes', '{“a”: “x”}'],
    ['one brace too many', '{"a":1}}'],
    ['an unquoted URL', '{url: http://x.y/z}'],
    ['a variable', '{"to": user.email}'],
    ['a template literal', '{"a": `/tmp/${name}`}'],
    ['a condition', '{"a": ok ? "/tmp/a" : "/tmp/b"}'],
    ['a placeholder', '{"to": <recipient email>}'],
    ['statements', '{"a":1;"b":2}'],
    ['an omission', '{"a":[1,2,...]}'],
    ['not a number', '{"a":NaN}'],
    ['concatenated strings', '{"a":"1"+"2"}'],
    ['adjacent strings of Python', "{'a':'x' 'y'}"],
    ['a raw string of Python', "{'a':r'x'}"],
    ['a nested function call', '{"a":ObjectId("x")}'],
    ['a number in another notation', '{"a":0x10}'],
    ['an incomplete number', '{a: 2e}'],
    ['an incomplete word', '{"a":tru}'],
    ['a Windows path with an escape of JSON', '{"a":"C:\\Users\\new"}'],
    ['a pattern with an escape of JSON', '{"a":"\\d+\\n"}'],
    ['a pattern with a backslash that is escaped', String.raw`{"a":"\\d \w"}`],
    ['an escape of JavaScript', String.raw`{"a":"\x41"}`],
    ['a pattern in single quotes', String.raw`{'a':'\d+'}`],
    ['an escaped line break', '{"a":"x\\\ny"}'],
    ['another control character in a string', '{"a":"x\u0000y"}'],
    ['a decimal point without digits', '{"a": 5.}'],
    ['a comment after the object', '{"a":1} // do not run'],
    ['another protocol', '{"script" timeout_secs="10": "ls"}'],
    ['a mark spliced in', '{"a":"x… [archived] …y","b":{"c":'.concat('1}')],
    ['quotes escaped once in text with other escapes', String.raw`{\"a\":\"C:\\new\"}`],
    [
      'quoted names with quotes around some values',
      '{"\\"a\\"":"\\"x\\"","\\"b\\"":"y"}',
      { schema: object({ a: text, b: text }) },
    ],
    ['a list', '[1]'],
    ['a number', '5'],
    ['a number of the only parameter', '5', { schema: object({ id: { type: 'integer' } }) }],
    ['a broken object in a string', JSON.stringify('{"a":1'), { schema: object({ command: text }) }],
    ['prose with an object in a string', JSON.stringify('not {"a":1}'), { schema: object({ command: text }) }],
    ['a string', '"ls"'],
    ['a list of the only parameter', '["x"]', { schema: object({ command: text }) }],
    ['names that are not in the schema', "{'a':1}", { schema: { ...object({ b: {} }, ['b']) } }],
    ['a name of an object member', '{"__proto__":{"admin":true}}'],
    ['a nested one', '{"a":[{"__proto__":1}]}'],
    ['an escaped one', '{"\\u005f_proto__":1}'],
    ['one in a string that becomes an object', JSON.stringify({ f: '{"__proto__":{"admin":true}}' }), { schema: object({ f: { type: 'object' } }) }],
    [
      'one deep in a string that becomes a list',
      JSON.stringify({ f: '[{"x":[{"__proto__":1}]}]' }),
      { schema: object({ f: { type: 'array' } }) },
    ],
    ['one in a dict', "{'__proto__':{'admin':True}}"],
    ['a constructor', '{"constructor":{"prototype":{}}}'],
    ['a number that would be rounded', '{"a":12345678901234567890}'],
    ['a whole number with a decimal point that would be rounded', '{"a":12345678901234567890.0}'],
    ['a number with an exponent that would be rounded', '{"a":1.2345678901234567890e19}'],
    ['a number out of range', '{"a":1e400}'],
    ['a number that would become zero', '{"a":1e-400}'],
    ['a number that the schema requires', '{"a":12345678901234567890}', { schema: object({ a: { type: 'integer' } }) }],
  ])('%s', (...row: readonly unknown[]) => {
    const [, raw, more] = row as unknown as RefusedRow;
    for (const effect of ['read', 'idempotent', 'unsafe', undefined] as const)
      expect(['refused', 'cut off']).toContain(said(raw, { ...more, effect }));
  });
});

describe('values that do not fit the schema', () => {
  const list = { type: 'array', items: text };
  test.each<ReadRow>([
    ['a list that was cut off in a string', '{"paths":"[\\"/tmp/a\\", \\"/tmp/a"}', { paths: '["/tmp/a", "/tmp/a' }, { schema: object({ paths: list }) }],
    ['a list of Python in a string', `{"paths":"['/tmp/a', '/tmp/b']"}`, { paths: "['/tmp/a', '/tmp/b']" }, { schema: object({ paths: list }) }],
    ['a list with commas', '{"paths":"/tmp/a, /tmp/b"}', { paths: '/tmp/a, /tmp/b' }, { schema: object({ paths: list }) }],
    ['a list in a string with a name twice', '{"f":"{\\"a\\":1,\\"a\\":2}"}', { f: '{"a":1,"a":2}' }, { schema: object({ f: { type: 'object' } }) }],
    ['a list of integers that would be rounded', '{"f":"[12345678901234567890]"}', { f: '[12345678901234567890]' }, { schema: object({ f: { type: 'array' } }) }],
  ])('%s is left to the schema check', (...row: readonly unknown[]) => {
    const [, raw, expected, more] = row as unknown as ReadRow;
    for (const effect of ['read', 'unsafe'] as const) expect(said(raw, { ...more, effect })).toEqual(expected);
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
        const reading = readArguments(ask(raw, { truncated, effect: 'read', schema: object({ a: { type: 'integer' } }) }));
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
        expect(readArguments(ask(part, { effect: 'read' })).ok).toBe(false);
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
    ['deep objects', (size) => '{"a":'.repeat(size / 6) + '1' + '}'.repeat(size / 6)],
    ['lists in a list', (size) => `{"a":[${'[],'.repeat(size / 3)}[]]}`],
    ['strings in a list', (size) => `{"a":[${'"x",'.repeat(size / 4)}"x"]}`],
    ['a string with escapes', (size) => `{"a":"${String.raw`\"\d`.repeat(size / 4)}"}`],
    ['text in text', (size) => JSON.stringify(JSON.stringify({ a: 'x'.repeat(size) }))],
    ['fences', (size) => '```'.repeat(size / 3)],
    ['colons', (size) => ':'.repeat(size)],
  ])('2 MB of %s take little time', (_name, make) => {
    const raw = make(2_000_000);
    // Processor time, so that a busy machine does not matter.
    const start = process.cpuUsage();
    for (const effect of ['read', undefined] as const)
      expect(readArguments(ask(raw, { effect, schema: object({ a: { type: 'integer' } }) })).ok).toBeTypeOf('boolean');
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(3_000);
  });
});
