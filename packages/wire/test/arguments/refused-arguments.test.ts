/** What must not become of malformed arguments: one row for each way of reading them wrongly. */
import { describe, expect, test } from 'vitest';
import { object, type ReadRow, type RefusedRow, said, text } from '../support/reading.ts';

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
    ['a pattern next to escaped quotes', String.raw`{"a":"\"\d\""}`],
    ['a backslash in a name', String.raw`{"\cc":1}`],
    ['an escape of JavaScript', String.raw`{"a":"\x41"}`],
    ['a pattern in single quotes', String.raw`{'a':'\d+'}`],
    ['an escaped line break', '{"a":"x\\\ny"}'],
    ['another control character in a string', '{"a":"x\u0000y"}'],
    ['a decimal point without digits', '{"a": 5.}'],
    ['a comment after the object', '{"a":1} // do not run'],
    ['another protocol', '{"script" timeout_secs="10": "ls"}'],
    ['a mark spliced in', '{"a":"x… [archived] …y","b":{"c":'.concat('1}')],
    ['quotes escaped once in text with other escapes', String.raw`{\"a\":\"C:\\new\"}`],
    ['quoted names with quotes around some values', '{"\\"a\\"":"\\"x\\"","\\"b\\"":"y"}', { schema: object({ a: text, b: text }) }],
    ['a list', '[1]'],
    ['a number', '5'],
    ['the value of the only parameter', '"ls"', { schema: object({ command: text }) }],
    ['the list of the only parameter', '["x"]', { schema: object({ commands: { type: 'array' } }) }],
    ['a number of the only parameter', '5', { schema: object({ id: { type: 'integer' } }) }],
    ['a list of objects of the only parameter', '[{"a":1},{"a":2}]', { schema: object({ items: { type: 'array' } }) }],
    ['a broken object in a string', JSON.stringify('{"a":1'), { schema: object({ command: text }) }],
    ['prose with an object in a string', JSON.stringify('not {"a":1}'), { schema: object({ command: text }) }],
    ['a string', '"ls"'],
    ['a list of the only parameter', '["x"]', { schema: object({ command: text }) }],
    ['names that are not in the schema', "{'a':1}", { schema: { ...object({ b: {} }, ['b']) } }],
    ['a name of an object member', '{"__proto__":{"admin":true}}'],
    ['a nested one', '{"a":[{"__proto__":1}]}'],
    ['an escaped one', '{"\\u005f_proto__":1}'],
    [
      'one in a string that becomes an object',
      JSON.stringify({ f: '{"__proto__":{"admin":true}}' }),
      { schema: object({ f: { type: 'object' } }) },
    ],
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
    [
      'a list that was cut off in a string',
      '{"paths":"[\\"/tmp/a\\", \\"/tmp/a"}',
      { paths: '["/tmp/a", "/tmp/a' },
      { schema: object({ paths: list }) },
    ],
    [
      'a list of Python in a string',
      `{"paths":"['/tmp/a', '/tmp/b']"}`,
      { paths: "['/tmp/a', '/tmp/b']" },
      { schema: object({ paths: list }) },
    ],
    ['a list with commas', '{"paths":"/tmp/a, /tmp/b"}', { paths: '/tmp/a, /tmp/b' }, { schema: object({ paths: list }) }],
    [
      'a list in a string with a name twice',
      '{"f":"{\\"a\\":1,\\"a\\":2}"}',
      { f: '{"a":1,"a":2}' },
      { schema: object({ f: { type: 'object' } }) },
    ],
    [
      'a list of integers that would be rounded',
      '{"f":"[12345678901234567890]"}',
      { f: '[12345678901234567890]' },
      { schema: object({ f: { type: 'array' } }) },
    ],
  ])('%s is left to the schema check', (...row: readonly unknown[]) => {
    const [, raw, expected, more] = row as unknown as ReadRow;
    for (const effect of ['read', 'unsafe'] as const) expect(said(raw, { ...more, effect })).toEqual(expected);
  });
});
