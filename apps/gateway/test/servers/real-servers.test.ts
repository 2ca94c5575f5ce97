/** Servers from npm behind one gateway, for a host of each era: their tools are listed and can be called. */
import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textOf, type Era } from '../fixtures/client/raw-client.ts';
import { startGateway, type GatewayInProcess } from '../fixtures/gateway.ts';
import { connectHost, type SdkHost } from '../fixtures/sdk-hosts.ts';

const require = createRequire(import.meta.url);

/** Returns the program of a package: its only one, or the one with its name. */
function binOf(name: string): string {
  const path = packagePath(name);
  const { bin } = require(path) as { bin: string | Record<string, string> };
  return join(dirname(path), typeof bin === 'string' ? bin : (Object.values(bin)[0] ?? ''));
}

/** Finds package.json on disk, because some packages do not export it. */
function packagePath(name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    const path = join(folder, name, 'package.json');
    try {
      require(path);
      return path;
    } catch {
      // It is not in this folder.
    }
  }
  throw new Error(`The package ${name} is not installed.`);
}

let folder: string;
let gateway: GatewayInProcess;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-servers-')));
  await writeFile(join(folder, 'note.txt'), 'A note in a file.');
  const server = (name: string, words: readonly string[] = [], env: Record<string, string> = {}): object => ({
    command: process.execPath,
    args: [binOf(name), ...words],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  gateway = await startGateway({
    mcp_servers: {
      everything: server('@modelcontextprotocol/server-everything'),
      files: server('@modelcontextprotocol/server-filesystem', [folder]),
      memory: server('@modelcontextprotocol/server-memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
      thinking: server('@modelcontextprotocol/server-sequential-thinking'),
      // Supports both eras.
      context7: { ...server('@upstash/context7-mcp'), protocol: 'modern' },
    },
    gateway: { reload: false },
  });
}, 60_000);
afterAll(async () => await gateway[Symbol.asyncDispose]());

const eras: readonly Era[] = ['legacy', 'modern'];

describe.for(eras)('a %s host', (era) => {
  let host: SdkHost;
  beforeAll(async () => {
    host = await connectHost(era, { url: gateway.url });
    // The slowest takes seconds to start; until then, the tools of the others are listed.
    for (let sources = 0; sources < 5;) sources = new Set((await host.listTools()).map((name) => name.split('__')[0])).size;
  }, 60_000);
  afterAll(async () => await host[Symbol.asyncDispose]());

  test('sees the tools of all of them', async () => {
    const names = await host.listTools();
    expect(names).toEqual(
      expect.arrayContaining([
        'everything__echo',
        'files__read_text_file',
        'memory__create_entities',
        'thinking__sequentialthinking',
        'context7__resolve-library-id',
      ]),
    );
    expect(names.filter((name) => name.startsWith('files__'))).toHaveLength(14);
    expect(names.filter((name) => name.startsWith('memory__'))).toHaveLength(9);
    expect(names.every((name) => name.length <= 64)).toBe(true);
  });

  test('everything: a call, a long one with progress, and resources', async () => {
    expect(textOf(await host.call('everything__echo', { message: 'hello' }))).toContain('hello');
    const reported: number[] = [];
    const answer = await host.call(
      'everything__trigger-long-running-operation',
      { duration: 0.4, steps: 2 },
      { onProgress: ({ progress }) => reported.push(progress) },
    );
    expect(answer.isError).not.toBe(true);
    expect(reported).toEqual([1, 2]);
  });

  test('filesystem: reads a file, and reports a missing one', async () => {
    expect(textOf(await host.call('files__read_text_file', { path: join(folder, 'note.txt') }))).toBe('A note in a file.');
    const missing = await host.call('files__read_text_file', { path: join(folder, 'nothing.txt') });
    expect(missing.isError).toBe(true);
    expect(textOf(missing)).toContain('ENOENT');
    const outside = await host.call('files__read_text_file', { path: '/etc/passwd' });
    expect(outside.isError).toBe(true);
    expect(textOf(outside)).not.toContain('root:');
  });

  test('memory: writes once and reads it back', async () => {
    const name = `the ${era} host`;
    await host.call('memory__create_entities', { entities: [{ name, entityType: 'host', observations: ['was here'] }] });
    const found = await host.call('memory__search_nodes', { query: name });
    expect(found['structuredContent']).toMatchObject({ entities: [{ name, observations: ['was here'] }] });
  });

  test('sequential-thinking: answers with structured content', async () => {
    const answer = await host.call('thinking__sequentialthinking', {
      thought: 'first',
      nextThoughtNeeded: false,
      thoughtNumber: 1,
      totalThoughts: 1,
    });
    expect(answer['structuredContent']).toMatchObject({ thoughtNumber: 1 });
  });

  test('context7, a modern one: a call is answered although its service cannot be reached', async () => {
    const answer = await host.call('context7__resolve-library-id', { query: 'How do I use it?', libraryName: 'vitest' });
    expect(textOf(answer).length).toBeGreaterThan(0);
  });

  test('invalid arguments are refused before a request to the server', async () => {
    const answer = await host.call('files__read_text_file', { path: 42 });
    expect(answer.isError).toBe(true);
    expect(answer._meta?.['dev.holdfast/error']).toMatchObject({ classification: 'permanent' });
  });
});

test('each is used in the era that it supports, or that is configured', () => {
  const eras = Object.fromEntries(
    gateway.gateway.upstreams().map(({ name, protocolVersion = '' }) => [name, protocolVersion < '2026' ? 'legacy' : 'modern']),
  );
  expect(eras).toEqual({ everything: 'legacy', files: 'legacy', memory: 'legacy', thinking: 'legacy', context7: 'modern' });
});
