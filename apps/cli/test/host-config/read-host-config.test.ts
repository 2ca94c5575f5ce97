/** Configurations of MCP hosts, as their documentation shows them, become entries of a manifest. */
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nameOfCommand } from '../../src/host-config/given-manifest.ts';
import { readHostConfig } from '../../src/host-config/read-host-config.ts';

const read = (config: unknown): ReturnType<typeof readHostConfig> =>
  readHostConfig(typeof config === 'string' ? config : JSON.stringify(config), 'config.json');

test.each([
  ['mcpServers', { command: 'npx', args: ['-y', 'a'] }],
  ['servers', { type: 'stdio', command: 'npx', args: ['-y', 'a'] }],
  ['context_servers', { source: 'custom', command: 'npx', args: ['-y', 'a'] }],
  ['mcp', { type: 'local', command: ['npx', '-y', 'a'], enabled: true }],
])('the section %s', (section, entry) => {
  expect(read({ [section]: { one: entry } }).servers['one']).toMatchObject({ command: 'npx', args: ['-y', 'a'] });
});

test.each([
  ['url', { url: 'https://h/mcp' }],
  ['serverUrl', { serverUrl: 'https://h/mcp' }],
  ['httpUrl', { httpUrl: 'https://h/mcp' }],
])('an address in the field %s', (_field, entry) => {
  expect(read({ mcpServers: { one: entry } }).servers).toEqual({ one: { url: 'https://h/mcp' } });
});

test('relative programs and folders are relative to the folder of the start, wherever the manifest is', () => {
  const { servers } = read({
    mcpServers: { a: { command: './run.sh' }, b: { command: '../run.sh', cwd: 'sub/folder' }, c: { command: 'node' } },
  });
  expect(servers['a']).toMatchObject({ command: resolve('run.sh'), cwd: process.cwd() });
  expect(servers['b']).toMatchObject({ command: resolve('sub/run.sh'), cwd: resolve('sub/folder') });
  expect(servers['c']).toMatchObject({ command: 'node' });
});

test('comments and trailing commas are allowed, and stay in strings', () => {
  const text = '{ // servers\n "mcpServers": { "a": { "url": "https://h//mcp", /* x */ "headers": { "x": "/* no, */ ,}" }, }, }, }';
  expect(read(text).servers).toEqual({ a: { url: 'https://h//mcp', headers: { x: '/* no, */ ,}' } } });
});

test.each([
  ['$TOKEN', { env: 'TOKEN' }],
  ['${TOKEN}', { env: 'TOKEN' }],
  ['${env:TOKEN}', { env: 'TOKEN' }],
  ['{env:TOKEN}', { env: 'TOKEN' }],
  ['Bearer ${input:token}', { env: 'token', prefix: 'Bearer ' }],
  ['plain', 'plain'],
  ['a${B}c', 'a${B}c'],
])('the value %s', (value, expected) => {
  const { servers } = read({
    mcpServers: { a: { url: 'https://h/', headers: { authorization: value } }, b: { command: 'x', env: { A: value } } },
  });
  expect(servers['a']?.['headers']).toEqual({ authorization: expected });
  expect(servers['b']?.['env']).toEqual({ A: expected });
});

describe('is left out, with a note:', () => {
  test.each([
    ['a disabled server', { command: 'x', disabled: true }, 'it is disabled'],
    ['the older transport', { type: 'sse', url: 'https://h/sse' }, 'https://h/mcp'],
    ['this gateway', { command: 'npx', args: ['-y', 'holdfast', 'serve', '--stdio'] }, 'it is this gateway'],
    ['an entry without a command', { comand: 'node', args: [] }, "neither a command nor a url, only 'comand', 'args'"],
    ['an empty entry', {}, 'it has neither a command nor a url'],
  ])('%s', (_what, entry, note) => {
    const { servers, notes } = read({ mcpServers: { gone: entry, kept: { command: 'x' } } });
    expect(Object.keys(servers)).toEqual(['kept']);
    expect(notes).toEqual([expect.stringContaining(note)]);
    expect(notes[0]).toContain("'gone'");
  });
});

test('a file without servers, in TOML or broken is a usage error', () => {
  expect(() => read({ tools: {} })).toThrow('has no servers');
  expect(() => readHostConfig('[mcp_servers.a]', 'config.toml')).toThrow('it is TOML');
  expect(() => read('{')).toThrow('cannot be read');
});

test.each([
  [['npx', '-y', '@modelcontextprotocol/server-memory'], 'server-memory'],
  [['npx', '-y', 'mcp-server@1.2.3', '--flag'], 'mcp-server'],
  [['uvx', 'mcp-server-git'], 'mcp-server-git'],
  [['node', '/srv/tools/server.mjs'], 'server'],
  [['docker', 'run', '-i', 'mcp/github'], 'github'],
  [['/usr/local/bin/tool'], 'tool'],
  [['node', '/home/me/node_modules/@modelcontextprotocol/server-memory/dist/index.js'], 'server-memory'],
  [['python', 'src/main.py'], 'main'],
  [['node', 'index.js'], 'index'],
])('the name of %j is %s', (words, name) => expect(nameOfCommand(words)).toBe(name));
