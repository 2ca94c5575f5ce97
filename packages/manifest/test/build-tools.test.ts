import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ToolExecutionService } from '@holdfast/core';
import { buildTools, commentedManifest, compileJsonSchema, loadManifest, type Manifest } from '../src/index.ts';

let folder: string;
let server: Server;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tools-'));
  server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ url: request.url, token: request.headers['x-token'] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

const save = async (name: string, content: string): Promise<string> => {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
};

const load = async (name: string, text: string, env: Record<string, string> = {}): Promise<Manifest> => {
  const { manifest, problems } = await loadManifest(await save(name, text), { env });
  if (!manifest) throw new Error(JSON.stringify(problems, undefined, 1));
  return manifest;
};

interface Answer {
  readonly status: string;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Calls each tool once, as a user would. */
async function callAll(manifest: Manifest, calls: readonly (readonly [string, unknown])[]): Promise<readonly Answer[]> {
  const built = buildTools(manifest);
  const { tools } = built;
  const service = new ToolExecutionService({
    tools,
    policy: manifest.defaults,
    recoveryRules: manifest.recoveryRules,
    jsonSchema: compileJsonSchema,
  });
  try {
    const answers: Answer[] = [];
    for (const [name, args] of calls) answers.push((await service.executeTool({ toolName: name, arguments: args } as never)) as Answer);
    return answers;
  } finally {
    await built.close();
    await built.close();
  }
}

test('the commented manifest loads without problems, and its tools fail and recover as their comments say', async () => {
  const { text, files } = commentedManifest();
  for (const file of files) await save(join('init', file.path), file.text);
  const path = await save('init/holdfast.yaml', text);
  const checked = await loadManifest(path, { purpose: 'check', env: {} });
  expect(checked.problems).toEqual([]);
  const [found, hotel, sent, refused] = await callAll(checked.manifest as Manifest, [
    ['flight_search', { from: 'OSL', to: 'LIS' }],
    ['hotel_search', { city: 'Lisbon' }],
    ['send_confirmation', { flight: 'HF 101' }],
    ['flight_search', { form: 'OSL' }],
  ]);
  expect(found?.error).toBeUndefined();
  expect(found).toMatchObject({ status: 'success', attempts: 2, output: { offers: [{ flight: 'HF 101', price: 180 }] } });
  expect(hotel).toMatchObject({ status: 'success', servedBy: 'hotel_search_backup', output: { hotels: [{ city: 'Lisbon' }] } });
  expect(sent).toMatchObject({ status: 'error', attempts: 1, error: { ambiguous: true } });
  expect(refused?.status).toBe('error');
  expect(refused?.error?.message).toContain("Required parameter 'from' missing");
});

test('a module, a worker, a program and a request', async () => {
  await save('kinds/echo.mjs', 'export default (args) => ({ default: args }); export const named = (args) => ({ named: args });');
  await save(
    'kinds/program.mjs',
    "let text = ''; for await (const part of process.stdin) text += part; console.log(JSON.stringify({ got: JSON.parse(text), cwd: process.cwd() }));",
  );
  const manifest = await load(
    'kinds/holdfast.yaml',
    `
tools:
  - { id: module, run: { module: ./echo.mjs } }
  - { id: export, run: { module: ./echo.mjs, export: named } }
  - { id: worker, run: { worker: { module: ./echo.mjs, export: named } } }
  - { id: program, run: { command: { command: ${JSON.stringify(process.execPath)}, args: [./program.mjs] } } }
  - { id: request, run: { http: { url: '\${env:ORIGIN}/cities/{{arguments.city}}', headers: { x-token: '\${env:KEY:-none}' } } } }
`,
    { ORIGIN: origin },
  );
  const answers = await callAll(manifest, [
    ['module', { a: 1 }],
    ['export', { a: 1 }],
    ['worker', { a: 1 }],
    ['program', { a: 1 }],
    ['request', { city: 'new york' }],
  ]);
  expect(answers.map(({ output, error }) => output ?? error)).toEqual([
    { default: { a: 1 } },
    { named: { a: 1 } },
    { named: { a: 1 } },
    { got: { a: 1 }, cwd: join(folder, 'kinds') },
    { url: '/cities/new%20york', token: 'none' },
  ]);
});

test('a negative number is an argument of a program only where the schema declares a number', async () => {
  await save('numbers/program.mjs', 'console.log(JSON.stringify(process.argv.slice(2)));');
  const run = `{ command: { command: ${JSON.stringify(process.execPath)}, args: [./program.mjs, '{{arguments.n}}'] } }`;
  const manifest = await load(
    'numbers/holdfast.yaml',
    `
tools:
  - { id: declared, input_schema: { type: object, properties: { n: { type: [integer, 'null'] } } }, run: ${run} }
  - { id: open, run: ${run} }
`,
  );
  const answers = await callAll(manifest, [
    ['declared', { n: -5 }],
    ['open', { n: -5 }],
    ['open', { n: 5 }],
  ]);
  expect(answers.map(({ output, error }) => output ?? error?.message)).toEqual([
    ['-5'],
    expect.stringContaining("begins with '-' and would be read as an option"),
    ['5'],
  ]);
});

test('only the tool that cannot be created fails, with the reason', async () => {
  await save('broken/good.mjs', 'export default () => "fine"; export const other = () => 1;');
  const manifest = await load(
    'broken/holdfast.yaml',
    `
defaults: { retry_policy: { max_attempts: 1 } }
tools:
  - { id: good, run: { module: ./good.mjs } }
  - { id: no_module, run: { module: ./none.mjs } }
  - { id: no_export, run: { module: ./good.mjs, export: missing } }
  - { id: no_worker, run: { worker: { module: ./none.mjs } } }
`,
  );
  const answers = await callAll(manifest, [
    ['good', {}],
    ['no_module', {}],
    ['no_export', {}],
    ['no_worker', {}],
  ]);
  expect(answers.map(({ status }) => status)).toEqual(['success', 'error', 'error', 'error']);
  expect(answers[1]?.error?.message).toContain('none.mjs');
  expect(answers[2]?.error?.message).toContain("exports no function 'missing'. It exports: default, other.");
  expect(answers[3]?.error?.message).toContain('There is no module');
});

test('a null fallback is a fallback', async () => {
  const manifest = await load(
    'fallback/holdfast.yaml',
    'tools: [{ id: a, run: { module: ./none.mjs }, fallback: null, retry_policy: { max_attempts: 1 } }]',
  );
  expect(manifest.tools[0]?.fallback).toEqual({ value: null });
  const [answer] = await callAll(manifest, [['a', {}]]);
  expect(answer).toMatchObject({ status: 'error', output: null, fallbackUsed: true });
});

test('nothing is started before the first call', async () => {
  const manifest = await load(
    'lazy/holdfast.yaml',
    'mcp_servers: { none: { command: ./does-not-exist } }\ntools: [{ id: a, run: { mcp: { server: none } } }]',
  );
  const built = buildTools(manifest);
  expect(built.tools.map(({ name }) => name)).toEqual(['a']);
  await built.close();
});

test('validation retries are part of a tool', async () => {
  const manifest = await load(
    'retries/holdfast.yaml',
    `tools:
  - id: a
    run: { module: ./none.mjs }
    validation_retries:
      max_attempts: 2
      backoff: { strategy: linear_backoff, base_seconds: 1, step_seconds: 0.5 }
      retryable_errors: [ToolValidationError]
  - { id: b, run: { module: ./none.mjs }, validation_retries: { backoff: { base_seconds: 2 }, time_budget_seconds: null } }
  - { id: c, run: { module: ./none.mjs } }
`,
  );
  const built = buildTools(manifest);
  const [a, b, c] = built.tools.map(({ validationRetries }) => validationRetries);
  expect(a).toMatchObject({ maxAttempts: 2, retryableErrors: ['ToolValidationError'] });
  expect([1, 2, 3].map((attempt) => a?.backoff?.delaySeconds(attempt))).toEqual([1, 1.5, 2]);
  expect([b?.backoff?.delaySeconds(4), b?.timeBudgetSeconds, b?.maxAttempts]).toEqual([2, null, undefined]);
  expect(c).toBeUndefined();
  await built.close();
});
