/** Unusual and invalid manifests. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Folder } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let folder: Folder;
beforeAll(() => {
  folder = new Folder();
});
afterAll(() => folder.remove());

const reportOf = (stdout: string): unknown => JSON.parse(stdout);

test.concurrent('a JSON manifest, a tool that is a program with text output, and a turn without an id', async () => {
  folder.write({
    'json/holdfast.json': JSON.stringify({
      store: false,
      tools: [
        { id: 'echo', run: { command: { command: 'node', args: ['-e', 'console.log("plain text")'], output: 'text', stdin: 'none' } } },
      ],
    }),
    'json/t.json': JSON.stringify({ calls: [{ call_id: 'e', tool_id: 'echo' }] }),
  });
  const { code, stdout, stderr } = await folder.run(['run', 't.json'], { cwd: folder.at('json') });
  expect(code).toBe(0);
  expect(reportOf(stdout)).toMatchObject({ results: [{ call_id: 'e', output: expect.stringContaining('plain text') }] });
  expect(stderr).toContain('not stored');
});

test.concurrent('a missing program, a missing module, an invalid module, and a missing export', async () => {
  folder.write({
    'broken/holdfast.yaml': `
store: false
defaults: { retry_policy: { max_attempts: 1 } }
tools:
  - id: no_program
    run: { command: { command: surely-no-such-program-9 } }
  - id: no_module
    run: { module: ./absent.mjs }
  - id: bad_module
    run: { module: ./bad.mjs }
  - id: no_function
    run: { module: ./good.mjs, export: serach }
  - id: works
    run: { module: ./good.mjs, export: search }
`,
    'broken/bad.mjs': 'this is not JavaScript',
    'broken/good.mjs': 'export const search = () => 1;',
    'broken/all.yaml': ['no_program', 'no_module', 'bad_module', 'no_function', 'works']
      .map((tool) => `  - { call_id: ${tool}, tool_id: ${tool} }\n`)
      .reduce((text, line) => text + line, 'calls:\n'),
  });
  const { code, stdout, stderr } = await folder.run(['run', 'all.yaml'], { cwd: folder.at('broken') });
  expect(code).toBe(1);
  const statuses = (reportOf(stdout) as { results: readonly { call_id: string; status: string }[] }).results.map(({ status }) => status);
  expect(statuses).toEqual(['error', 'error', 'error', 'error', 'success']);
  expect(stderr).toContain('there is no file ./absent.mjs');
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.concurrent.each([
  ['is empty', ''],
  ['is not YAML', 'tools: [\n'],
  ['is binary', '\u0000\u0001\u0002'],
  ['names an unknown section', 'tols: []\n'],
])('a manifest that %s is rejected with its position', async (name, text) => {
  const own = `refused/${name}`;
  folder.write({ [`${own}/holdfast.yaml`]: text, [`${own}/t.yaml`]: 'calls: [{ call_id: a, tool_id: a }]\n' });
  const { code, stdout, stderr } = await folder.run(['run', 't.yaml'], { cwd: folder.at(own) });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^holdfast\.yaml:\d+:\d+: error: /m);
  expect(stderr).toContain('holdfast: holdfast.yaml cannot be used');
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.concurrent('arguments that violate the schema fail their call, not the command', async () => {
  folder.write({
    'schema/holdfast.yaml': `
store: false
tools:
  - id: greet
    run: { module: ./greet.mjs }
    input_schema: { type: object, properties: { name: { type: string } }, required: [name], additionalProperties: false }
`,
    'schema/greet.mjs': 'export default ({ name }) => name;',
    'schema/t.yaml': 'calls: [{ call_id: a, tool_id: greet, arguments: { nmae: x } }]\n',
  });
  const { code, stdout } = await folder.run(['run', 't.yaml'], { cwd: folder.at('schema') });
  expect(code).toBe(1);
  expect(reportOf(stdout)).toMatchObject({
    results: [{ status: 'error', attempts: 0, error: { category: 'invalid_input', retryable: false } }],
  });
});
