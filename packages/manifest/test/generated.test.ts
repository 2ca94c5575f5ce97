import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { commentedManifest, compileJsonSchema, manifestJsonSchema, parseManifest, parseTurn, turnJsonSchema } from '../src/index.ts';
import { generateFiles } from '../src/generated.ts';

/** The formatter changes the layout: JSON is compared as data, a page without the padding of its tables. */
const content = (path: string, text: string): unknown =>
  path.endsWith('.json') ? JSON.parse(text) : text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');

test.each(generateFiles())('$path is current (npm run generate -w packages/manifest)', ({ path, text }) => {
  const file = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  expect(content(path, file)).toEqual(content(path, text));
});

/** Without the reference to the dialect itself, which editors have and the validator does not load. */
const offline = (schema: object): Record<string, unknown> => {
  const text = JSON.stringify(schema).replaceAll(',"$ref":"http://json-schema.org/draft-07/schema#"', '');
  return JSON.parse(text) as Record<string, unknown>;
};
const manifest = compileJsonSchema(offline(manifestJsonSchema()));
const turn = compileJsonSchema(offline(turnJsonSchema()));

test.each([
  commentedManifest().text,
  'tools: [{ id: a, run: { module: ./a.mjs } }]',
  'tool: { id: a, run: { http: { url: "http://h/", headers: { a: { env: B } } } }, circuit_breaker: false, fallback: null }',
  'tools: [{ id: a, run: { mcp: { server: s } }, hedge: { after_ms: p95 }, classification: [{ status: 503, as: permanent }] }]\nmcp_servers: { s: { command: x } }\nstore: false',
  'tools: [{ id: a, run: {} }]',
  'tools: []',
  'tools: [{ id: a, run: { module: x }, timeout_ms: 0 }]',
  'tools: [{ id: a, run: { module: x }, timeout: 5 }]',
  'tools: [{ id: a, run: { module: x }, effect: reed }]',
  'profile: specc\ntools: [{ id: a, run: { module: x } }]',
])('the schema and the reader agree about %j', (text) => {
  expect(manifest(parse(text)).length === 0).toBe(parseManifest(text).manifest !== undefined);
});

test.each([
  'calls: [{ call_id: a, tool_id: t, arguments: [1], policy: { retry_policy: { max_attempts: 2 } } }]\ntimeout_ms: null',
  'calls: [{ id: a }]',
  'calls: [{ call_id: a, tool_id: t, optional: 1 }]',
  'calls: []',
])('the schema and the reader agree about the turn %j', (text) => {
  expect(turn(parse(text)).length === 0).toBe(parseTurn(text).turn !== undefined);
});
