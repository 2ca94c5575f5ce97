/** In an agent run: what a tool is started with when its arguments have no or several readings. */
import { defineTool, type Effect, ToolExecutionService } from '@holdfast/core';
import { AgentRun } from '@holdfast/core/agent';
import { compileLenientSchema, readArguments } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const text = { type: 'string' };

async function ranWith(effect: Effect | undefined, raw: string, name: string, schema: unknown): Promise<readonly unknown[]> {
  const ran: unknown[] = [];
  const tool = defineTool({
    name: 'delete_file',
    ...(effect === undefined ? {} : { effect }),
    input: { type: 'object', properties: { [name]: schema }, required: [name] },
    run: (given: unknown) => {
      ran.push(given);
      return 'done';
    },
  });
  const run = new AgentRun({ service: new ToolExecutionService({ tools: [tool], jsonSchema: compileLenientSchema }), readArguments });
  const [answer] = await run.answer([{ callId: 'c1', toolName: 'delete_file', arguments: raw }]);
  expect(answer?.isError).toBe(ran.length === 0);
  return ran;
}

describe.each([undefined, 'unsafe', 'idempotent', 'read'] as const)('a tool with the effect %s is not run with', (effect) => {
  test.each<readonly [string, string, unknown]>([
    ['I will not call it with {"path":"/"}', 'path', text],
    [String.raw`{"path":"C:\Users\new"}`, 'path', text],
    ['{"paths":"[\\"/tmp/a\\", \\"/tmp/a"}', 'paths', { type: 'array', items: text }],
    [`{"paths":"['/tmp/a', '/tmp/b']"}`, 'paths', { type: 'array', items: text }],
    ['{"filter":"{\\"__proto__\\":{\\"admin\\":true}}"}', 'filter', { type: 'object' }],
    ['{"cmd":"echo "a", "b": c"}', 'cmd', text],
    ['{"to": user.email}', 'to', text],
    ['{"path": `/tmp/${name}`}', 'path', text],
    ['{"path": ok ? "/tmp/a" : "/tmp/a"}', 'path', text],
    ['{"to": <recipient email>}', 'to', text],
    ['{"path":"/tmp/a","path":"/"}', 'path', text],
    ['{"path":"/tmp/{"path":"/tmp/a"}', 'path', text],
  ])('%s', async (raw, name, schema) => {
    expect(await ranWith(effect, raw, name, schema)).toEqual([]);
  });
});

test('escaped apostrophes are read for tools that declare read or idempotent only', async () => {
  const raw = String.raw`{"sql":"DELETE FROM t WHERE n = \'bob\'"}`;
  const meant = { sql: "DELETE FROM t WHERE n = 'bob'" };
  expect(await ranWith(undefined, raw, 'sql', text)).toEqual([]);
  expect(await ranWith('unsafe', raw, 'sql', text)).toEqual([]);
  expect(await ranWith('idempotent', raw, 'sql', text)).toEqual([meant]);
  expect(await ranWith('read', raw, 'sql', text)).toEqual([meant]);
});
