import { ToolExecutionService, defineTool } from '@holdfast/core';
import { expect, test } from 'vitest';
import { type Manifest, parseManifest, serviceOptions } from '../src/index.ts';

const text = `
version: 1
profile: service
seed: seven
defaults: { timeout_ms: 5 }
redact: [SHORT]
mcp_servers:
  remote: { url: 'http://127.0.0.1:1/mcp', headers: { authorization: { env: REMOTE_TOKEN, prefix: 'Bearer ' }, x-level: { env: LEVEL } } }
gateway:
  tokens: [{ name: host, env: HOST_TOKEN }]
  models: { openai: { api_key: { env: OPENAI_KEY } } }
tools:
  - { id: one, run: { http: { url: 'http://127.0.0.1:1', headers: { x-key: { env: TOOL_KEY } } } } }
`;

function manifestOf(source: string): Manifest {
  const { manifest, problems } = parseManifest(source, { file: 'holdfast.yaml' });
  expect(problems).toEqual([]);
  if (!manifest) throw new Error('There is no manifest.');
  return manifest;
}

test('the service gets the settings of the manifest', () => {
  const service = new ToolExecutionService({ ...serviceOptions(manifestOf(text), {}), tools: [defineTool({ name: 'a', run: () => 1 })] });
  expect(service.getToolSettings('a')).toMatchObject({ timeoutMs: 5 });
  expect(service.seed).toBe('seven');
});

test.each([
  ['', undefined],
  ['memory: on\n', true],
  ['memory: off\n', false],
])('%j switches episodic memory', (line, expected) => {
  expect(serviceOptions(manifestOf(`${line}profile: adaptive\ntools: [{ id: a, run: { module: ./a.mjs } }]`)).useMemory).toBe(expected);
});

test('credentials are secret; short strings are not, unless they are in redact', () => {
  const environment = {
    REMOTE_TOKEN: 'remote-token-value',
    HOST_TOKEN: 'host-token-value',
    OPENAI_KEY: 'openai-key-value',
    TOOL_KEY: 'tool-key-value',
    LEVEL: 'debug',
    SHORT: 'abc',
    OTHER: 'not-referenced',
  };
  const secrets = serviceOptions(manifestOf(text), environment).redact?.secrets ?? [];
  expect([...secrets].toSorted()).toEqual(['abc', 'host-token-value', 'openai-key-value', 'remote-token-value', 'tool-key-value']);
});

test('a variable that is not set is ignored', () => {
  expect(serviceOptions(manifestOf(text), {}).redact?.secrets).toEqual([]);
});
