/**
 * Texts that look like arguments and invite a wrong reading, written by hand: a tool is run with what was meant, or not at all.
 * `undefined`: the model meant no call with this text. The schema is that of the tool; without one, the reader knows no names.
 */
import { Ajv } from 'ajv';
import type { JsonSchema } from '@holdfast/core';
import { readArguments } from '@holdfast/wire';
import { expect, test } from 'vitest';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const tool = (properties: Readonly<Record<string, unknown>>, required: readonly string[] = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
});
const path = tool({ path: text });
const command = tool({ command: text });
const mail = tool({ to: texts, subject: text }, ['to']);
const pay = tool({ to: text, amount: { type: 'number' } });
const sql = tool({ sql: text });
const clean = tool({ path: text, older_than_days: { type: 'integer' } }, ['path']);

type Row = readonly [raw: string, meant: unknown, schema?: JsonSchema];
const raw = String.raw;

const rows: readonly Row[] = [
  // Values that are talked about
  ['I would never run {"path":"/"} here.', undefined, path],
  ['{"path":"/"} would be too much, so {"path":"/tmp/a"}', undefined, path],
  ['Not {"path":"/"} but\n```json\n{"path":"/tmp/a"}\n```', undefined, path],
  ['"The user asked for {\\"path\\":\\"/\\"}, which I decline."', undefined, path],
  ['<thinking>{"path":"/"}</thinking>{"path":"/tmp/a"}', undefined, path],
  ['<example>{"path":"/"}</example>', undefined, path],
  ['[DRY_RUN]{"path":"/"}', undefined, path],
  ['{"path":"/"} // example, do not execute', undefined, path],
  ['/* {"path":"/"} */', undefined, path],
  ['/* {"path":"/"} */ {"path":"/tmp/a"}', undefined, path],
  ['# {"path":"/"}\n{"path":"/tmp/a"}', undefined, path],
  ['> {"path":"/"}', undefined, path],
  ['- {"path":"/tmp/a"}\n- {"path":"/tmp/b"}', undefined, path],
  ['~~{"path":"/"}~~', undefined, path],
  ['`{"path":"/"}`', undefined, path],
  ['if (confirmed) {"path":"/"}', undefined, path],
  ['return {"path":"/"}', undefined, path],
  ['$ rm {"path":"/"}', undefined, path],
  ['{"path":"/"}?', undefined, path],
  ['!{"path":"/"}', undefined, path],
  ['null; {"path":"/"}', undefined, path],
  ['<|im_start|>assistant\n{"path":"/"}', undefined, path],
  ['<|channel|>analysis<|message|>{"path":"/"}<|end|>', undefined, path],
  ['other_tool{"path":"/"}', undefined, path],
  ['"I cannot do that."', undefined, command],
  // Marks of templates that say whose turn it is, or anything else
  ['<|user|>{"path":"/"}', undefined, path],
  ['<|system|>{"path":"/"}', undefined, path],
  ['<|observation|>{"path":"/"}', undefined, path],
  ['<|tool|>{"path":"/"}', undefined, path],
  ['<|tool_response|>{"path":"/"}', undefined, path],
  ['<｜User｜>{"path":"/"}', undefined, path],
  ['<｜tool▁outputs▁begin｜>{"path":"/"}', undefined, path],
  ['<|dry_run|>{"path":"/"}', undefined, path],
  ['<|if confirmed|>{"path":"/"}', undefined, path],
  ['{"path":"/"}<|rejected|>', undefined, path],
  ['<|quote|>{"path":"/"}<|/quote|>', undefined, path],
  ['[INST]{"path":"/"}[/INST]', undefined, path],
  ['<|im_end|>{"path":"/"}', undefined, path],
  ['</tool_call>{"path":"/"}', undefined, path],
  ['</s>{"path":"/"}', undefined, path],
  ['<|/tool_call|>{"path":"/"}', undefined, path],
  ['<|end_of_turn|>{"path":"/"}', undefined, path],
  ['<eos>{"path":"/"}', undefined, path],
  ['{"path":"/"}<|end_of_example|>', undefined, path],
  // Calls of another tool
  ['<tool_call>{"name":"read_file","arguments":{"path":"/"}}</tool_call>', undefined],
  ['<|python_tag|>{"name":"read_file","parameters":{"path":"/"}}', undefined],
  [
    '<tool_call>{"name":"delete_file","arguments":{"path":"/a"}}</tool_call><tool_call>{"name":"delete_file","arguments":{"path":"/b"}}</tool_call>',
    undefined,
  ],
  ['<tool_call>{"name":"delete_file","arguments":"--all"}</tool_call>', undefined],
  ['<tool_call>{"name":"delete_file","arguments":{"path":"/","path":"/tmp/a"}}</tool_call>', undefined],
  // Escapes
  [raw`{"sql":"DELETE FROM t WHERE n = \'bob\'"}`, { sql: "DELETE FROM t WHERE n = 'bob'" }, sql],
  [raw`{"path":"C:\new\table"}`, { path: '\n'.length === 1 ? 'C:\new\table' : '' }, path],
  [raw`{"path":"C:\Users\new"}`, { path: raw`C:\Users\new` }, path],
  [raw`{"path":"D:\Data\bob"}`, { path: raw`D:\Data\bob` }, path],
  [raw`{"path":"C:\\Users\bob"}`, { path: 'C:\\Users\bob' }, path],
  [raw`{"path":"\\server\Share"}`, { path: raw`\\server\Share` }, path],
  [raw`{"command":"printf '\x1b[2J'"}`, { command: raw`printf '\x1b[2J'` }, command],
  [raw`{"command":"printf '\033[2J'"}`, { command: raw`printf '\033[2J'` }, command],
  [raw`{"command":"echo \$HOME"}`, { command: raw`echo \$HOME` }, command],
  [raw`{"command":"rm a\ b"}`, { command: raw`rm a\ b` }, command],
  [raw`{"command":"sed 's/\//_/'"}`, { command: "sed 's///_/'" }, command],
  [raw`{"command":"grep '\bword\b'"}`, { command: "grep '\bword\b'" }, command],
  [raw`{"command":"grep '\<word\>'"}`, { command: raw`grep '\<word\>'` }, command],
  ['{"command":"echo a \\\n  && rm b"}', { command: 'echo a \\\n  && rm b' }, command],
  [raw`{\"path\":\"C:\\new\"}`, { path: raw`C:\new` }, path],
  [raw`{\"path\":\"/tmp/a\"}`, { path: '/tmp/a' }, path],
  [raw`{"path":"/tmp/\u00e"}`, undefined, path],
  [raw`{"path":"/tmp/\U0001F600"}`, { path: '/tmp/😀' }, path],
  [raw`{'path':'/tmp/\N{BULLET}'}`, { path: '/tmp/•' }, path],
  [raw`{'path':'C:\new'}`, { path: 'C:\new' }, path],
  [raw`{'path': r'C:\new'}`, { path: raw`C:\new` }, path],
  // Quotes
  ['{"command":"echo "a", "b": c"}', { command: 'echo "a", "b": c' }, command],
  ['{"command":"echo "a", "force":true, "x":"b"}', { command: 'echo "a", "force":true, "x":"b' }],
  ['{"command":"git commit -m "fix""}', { command: 'git commit -m "fix"' }, command],
  ['{"command":""quoted""}', { command: '"quoted"' }, command],
  ["{'command':'echo 'a', 'b': 'c'}", { command: "echo 'a', 'b': 'c" }],
  ["{'note':'it's', 'x':'y'}", { note: "it's", x: 'y' }],
  ['{"note":"5" pipe", "size":"6" pipe"}', { note: '5" pipe', size: '6" pipe' }],
  ['{“path”:“/tmp/a”}', { path: '/tmp/a' }, path],
  ['{"path":“/tmp/a"}', { path: '/tmp/a' }, path],
  ['{«path»:«/tmp/a»}', { path: '/tmp/a' }, path],
  ['{"path":"""/tmp/a"""}', { path: '/tmp/a' }, path],
  ['{"path:"/tmp/a"}', { path: '/tmp/a' }, path],
  ['{"path":"/tmp/a}', { path: '/tmp/a' }, path],
  ['{path:/tmp/a}', { path: '/tmp/a' }, path],
  ['{"\\"path\\"":"\\"/tmp/a\\""}', { path: '/tmp/a' }, path],
  ['{"\\"path\\"":"/tmp/\\"a\\""}', { path: '/tmp/"a"' }, path],
  // Expressions
  ['{"to": user.email, "amount": 5}', undefined, pay],
  ['{"to": "bob", "amount": 5 * 100}', { to: 'bob', amount: 500 }, pay],
  ['{"to": "bob", "amount": 1,000}', { to: 'bob', amount: 1000 }, pay],
  ['{"to": "bob", "amount": 1_000}', { to: 'bob', amount: 1000 }, pay],
  ['{"to": "bob", "amount": $5}', { to: 'bob', amount: 5 }, pay],
  ['{"to": "bob", "amount": 5%}', { to: 'bob', amount: 0.05 }, pay],
  ['{"to": "bob", "amount": 05}', { to: 'bob', amount: 5 }, pay],
  ['{"to": "bob", "amount": .5}', { to: 'bob', amount: 0.5 }, pay],
  ['{"to": "bob", "amount": Infinity}', undefined, pay],
  ['{"to": "bob", "amount": -}', undefined, pay],
  ['{"to": "bob", "amount": 0x10}', { to: 'bob', amount: 16 }, pay],
  ['{"to": "bob", "amount": "1.000,50"}', { to: 'bob', amount: 1000.5 }, pay],
  ['{"to": "bob", "amount": "5 EUR"}', { to: 'bob', amount: 5 }, pay],
  ['{"to": "bob", "amount": "1e-400"}', { to: 'bob', amount: 1e-300 }, pay],
  ['{"to": "bob", "amount": 12345678901234567891}', { to: 'bob', amount: 12345678901234567891n.toString() }, pay],
  ['{"path": `/tmp/${name}`}', undefined, path],
  ['{"path": os.path.join("/tmp", "a")}', { path: '/tmp/a' }, path],
  ['{"path": "/tmp/" + id}', undefined, path],
  ['{"path": [REDACTED]}', undefined, path],
  ['{"path": <path>}', undefined, path],
  ['{"path": undefined}', undefined, path],
  ['{"path": ok ? "/tmp/a" : "/"}', undefined, path],
  ['{...defaults, "path":"/tmp/a"}', undefined, path],
  ['{path}', undefined, path],
  ['{"path": "/tmp/a", ...}', undefined, path],
  // Names
  ['{"path":"/tmp/a","path":"/"}', undefined, path],
  ['{"path":"/tmp/a","p\\u0061th":"/"}', undefined, path],
  ["{'path':'/tmp/a','path':'/'}", undefined, path],
  ['{"path":"/tmp/a", path:"/"}', undefined, path],
  ['```json\n{"path":"/tmp/a","path":"/"}\n```', undefined, path],
  ['{"path":"/tmp/a","__proto__":{"path":"/"}}', undefined],
  ['{"f":"{\\"x\\":[{\\"__proto__\\":{\\"admin\\":true}}]}"}', undefined, tool({ f: { type: 'object' } })],
  // Lists, blanks and types
  ['{"to":"[\\"a@x.y\\", \\"b@x"}', { to: ['a@x.y', 'b@x.y'] }, mail],
  ['{"to":"[\'a@x.y\', \'b@x.y\']"}', { to: ['a@x.y', 'b@x.y'] }, mail],
  ['{"to":"a@x.y, b@x.y"}', { to: ['a@x.y', 'b@x.y'] }, mail],
  ['{"to":"a@x.y;b@x.y"}', { to: ['a@x.y', 'b@x.y'] }, mail],
  ['{"to":"a@x.y b@x.y"}', { to: ['a@x.y', 'b@x.y'] }, mail],
  ['{"to":"a@x.y\\nb@x.y"}', { to: ['a@x.y', 'b@x.y'] }, mail],
  ['{"to":"- a@x.y"}', { to: ['a@x.y'] }, mail],
  ['{"to":"Ann <a@x.y>"}', { to: ['Ann <a@x.y>'] }, mail],
  ['{"to":"(a@x.y)"}', { to: ['a@x.y'] }, mail],
  ['{"to":"a@x.y|b@x.y"}', { to: ['a@x.y', 'b@x.y'] }, mail],
  ['{"to":"a@x.y"}', { to: ['a@x.y'] }, mail],
  ['{"to":"<a@x.y>"}', { to: ['a@x.y'] }, mail],
  ['{"to":"<li>a@x.y</li><li>b@x.y</li>"}', { to: ['a@x.y', 'b@x.y'] }, mail],
  ['{"to":"•a@x.y"}', { to: ['a@x.y'] }, mail],
  ['{"to":"false"}', undefined, mail],
  ['{"rows":[1,2]}', { rows: [[1, 2]] }, tool({ rows: { type: 'array', items: { type: 'array', items: { type: 'integer' } } } })],
  ['{"path":"/tmp","older_than_days":"none"}', undefined, clean],
  ['{"path":"/tmp","older_than_days":""}', undefined, clean],
  ['{"path":"/tmp","older_than_days":"30 days"}', { path: '/tmp', older_than_days: 30 }, clean],
  ['{"path":"/tmp","older_than_days":"30.5"}', undefined, clean],
  ['{"path":"/tmp","older_than_days":"030"}', { path: '/tmp', older_than_days: 30 }, clean],
  ['{"path":"/tmp","older_than_days":"30"}', { path: '/tmp', older_than_days: 30 }, clean],
  // Several values, parts and wholes
  ['{"path":"/tmp/a"}{"path":"/tmp/b"}', undefined, path],
  ['[{"path":"/tmp/a"},{"path":"/"}]', undefined, path],
  ['[{"path":"/tmp/a"}]', { path: '/tmp/a' }, path],
  ['{"path":"/tmp/a"}\n---\n{"path":"/tmp/a/b"}', undefined, path],
  ['{"path":"/tmp/{"path":"/tmp/build"}', { path: '/tmp/build' }, path],
  ["{'path':'/tmp/{'path':'/tmp/build'}", { path: '/tmp/build' }, path],
  ['{"path":"/tmp/bu\n{"path":"/tmp/build"}', { path: '/tmp/build' }, path],
  ['{"path":"/{\\"path\\":\\"/tmp/build\\"}', { path: '/tmp/build' }, path],
  ['{"path":"/tmp"}ld/x"}', { path: '/tmp/build/x' }, path],
  ['{"path":"/tmp/a"', { path: '/tmp/a' }, path],
  ['{"path":"/tmp/bui<|im_end|>', { path: '/tmp/build' }, path],
  ['"{\\"path\\":\\"/tmp/bui"', { path: '/tmp/build' }, path],
  ['```json\n{"path":"/tmp/bui\n```', { path: '/tmp/build' }, path],
  ['{"path":"/tmp/a"]', { path: '/tmp/a' }, path],
  ['"path":"/tmp/a"', { path: '/tmp/a' }, path],
  ['path=/tmp/a', { path: '/tmp/a' }, path],
  ['path: /tmp/a', { path: '/tmp/a' }, path],
  ['<parameter name="path">/tmp/a</parameter>', { path: '/tmp/a' }, path],
  ['delete_file(path="/tmp/a")', { path: '/tmp/a' }, path],
  ['("/tmp/a",)', { path: '/tmp/a' }, path],
  // What is read, too
  ['```\n{"path":"/tmp/a"}\n```', { path: '/tmp/a' }, path],
  ['<tool_call>\n{"path":"/tmp/a"}\n</tool_call>', { path: '/tmp/a' }, path],
  ['delete_file {"path":"/tmp/a"}', { path: '/tmp/a' }, path],
  ['<tool_call>\n{"name":"delete_file","arguments":{"path":"/tmp/a"}}\n</tool_call>', { path: '/tmp/a' }, path],
  ['<|python_tag|>{"type":"function","name":"delete_file","parameters":{"path":"/tmp/a"}}<|eom_id|>', { path: '/tmp/a' }, path],
  ['<|message|>{"path":"/tmp/a"}<|call|>', { path: '/tmp/a' }, path],
  ['\uFEFF{"path":"/tmp/a"}\u0000', { path: '/tmp/a' }, path],
  ['{"command":"if x; then\n  echo \\"hi\\"\nfi"}', { command: 'if x; then\n  echo "hi"\nfi' }, command],
  ['{}{"path":"/tmp/a"}', { path: '/tmp/a' }, path],
];

const validators = new Map<JsonSchema | undefined, (value: unknown) => boolean>();
/** The tool is run only with arguments that match its schema. */
function runs(value: unknown, schema: JsonSchema | undefined): boolean {
  const check = validators.get(schema) ?? (schema ? new Ajv({ strict: false }).compile(schema) : () => true);
  validators.set(schema, check);
  return check(value);
}

test.each(rows)('%s', (...row: readonly unknown[]) => {
  const [given, meant, schema] = row as unknown as Row;
  const ran = ([undefined, 'unsafe', 'idempotent', 'read'] as const)
    .map((effect) => readArguments({ raw: given, toolName: 'delete_file', schema, effect, truncated: false }))
    .flatMap((read) => (read.ok && runs(read.value, schema) ? [read.value] : []));
  expect(ran).toEqual(ran.map(() => meant));
});

test('most texts whose meaning is certain are read', () => {
  const certain = rows.slice(-9);
  for (const [given, meant, schema] of certain)
    expect(readArguments({ raw: given, toolName: 'delete_file', schema, effect: undefined, truncated: false })).toMatchObject({
      ok: true,
      value: meant,
    });
});
