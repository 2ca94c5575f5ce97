import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileJsonSchema, manifestJsonSchema, parseManifest } from '../src/index.ts';
import { alertsShape } from '../src/tables/alerts.ts';
import { engineShape, workerShape } from '../src/tables/engine.ts';
import { gatewayShape } from '../src/tables/gateway.ts';
import { mcpServerShape, openapiShape } from '../src/tables/upstream.ts';
import type { RecordShape, Shape } from '../src/shape/shape.ts';

const page = readFileSync(new URL('../../../docs/guide/gateway-manifest.md', import.meta.url), 'utf8');
const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';

test('the example of the guide is a manifest without problems', () => {
  const { problems, manifest } = parseManifest(example, { file: '/project/holdfast.yaml', env: {}, purpose: 'check' });
  expect(problems).toEqual([]);
  expect(manifest?.mcpServers['files']).toMatchObject({
    command: 'npx',
    prefix: 'files',
    expose: true,
    include: ['*'],
    exclude: ['write_*', 'edit_file', 'move_file'],
    maxRestartDelayMs: 30_000,
    tools: { read_text_file: { name: 'read_file', timeoutMs: 5000, alternatives: ['docs__search'] }, directory_tree: { enabled: false } },
  });
  expect(manifest?.openapi['shop']).toMatchObject({
    spec: '/project/shop.openapi.yaml',
    prefix: 'shop',
    tools: { 'orders/create': { effect: 'idempotent' } },
  });
  expect(manifest?.gateway).toMatchObject({
    audit: '/project/.holdfast/audit.jsonl',
    lockFile: '/project/holdfast.lock.json',
    models: {
      openai: { baseUrl: 'https://api.openai.com/v1', apiKey: { env: 'OPENAI_API_KEY' }, headers: {}, repair: true, validate: true },
      anthropic: { baseUrl: 'https://api.anthropic.com' },
      gemini: { baseUrl: 'https://generativelanguage.googleapis.com' },
    },
  });
});

test('the schema accepts it', () => {
  const text = JSON.stringify(manifestJsonSchema()).replaceAll(',"$ref":"http://json-schema.org/draft-07/schema#"', '');
  expect(compileJsonSchema(JSON.parse(text) as Record<string, unknown>)(parse(example))).toEqual([]);
});

test('the example contains every key', () => {
  const keysOf = (shape: Shape): readonly string[] => {
    if (shape.kind === 'record') return shape.fields.flatMap((field) => [field.key, ...keysOf(field.shape)]);
    if (shape.kind === 'list') return keysOf(shape.of);
    return shape.kind === 'either' ? shape.options.flatMap(keysOf) : [];
  };
  // Logins at servers have their own page.
  const serverShape = { ...mcpServerShape, fields: mcpServerShape.fields.filter(({ key }) => key !== 'auth') };
  const keys = [gatewayShape, alertsShape, serverShape, openapiShape, engineShape, workerShape].flatMap((shape: RecordShape) =>
    keysOf(shape),
  );
  // Settings of tools have their own page, and so do the keys of a policy.
  const own = keys.filter(
    (key) =>
      !/^(?:step_ms|multiplier|jitter|strategy|count|probe|permanent_probe|rate|slow_call|minimum_calls|failure_rate|window_ms|success|hedge|after_ms|max_hedges|concurrency|limit$|queue|retry_budget|ratio|floor|accept_partial|abandon|max_output|initial_delay|max_delay|max_total|effect|assumed_effect|unknown_failures|false_alarm|longest_run|open_growth|max_open|order$|adaptive|initial_limit|min_limit|max_limit|of$|wait_for|max_wait)/.test(
        key,
      ),
  );
  expect(own.filter((key) => !new RegExp(`\\b${key}:`).test(example))).toEqual([]);
  expect(own.length).toBeGreaterThan(60);
});
