import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { mcpFiles } from './mcp-fixtures.ts';
import { bin, Folder } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let folder: Folder;
beforeAll(() => {
  folder = new Folder().write({
    ...mcpFiles,
    'tokens.yaml': `${mcpFiles['holdfast.yaml'] ?? ''}gateway: { listen: { host: 0.0.0.0, port: 9000 }, tokens: [{ name: alice, env: ALICE_TOKEN }] }\n`,
    'socket.yaml': `${mcpFiles['holdfast.yaml'] ?? ''}gateway: { listen: { path: gateway.sock } }\n`,
  });
});
afterAll(() => folder.remove());

const env = { FIXTURE_TOKEN: 'fixture-secret-value', ALICE_TOKEN: 'alice-secret-value' };
const snippet = async (...args: readonly string[]): Promise<Record<string, Record<string, Record<string, unknown>>>> => {
  const { code, stdout, stderr } = await folder.run(['mcp-config', ...args], { env });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout + stderr).not.toMatch(/(?:fixture|alice)-secret-value/);
  return JSON.parse(stdout) as Record<string, Record<string, Record<string, unknown>>>;
};

describe.concurrent('a program', () => {
  test('uses absolute paths, so it starts from any folder', async () => {
    const entry = (await snippet())['mcpServers']?.['holdfast'] ?? {};
    const [script = '', ...rest] = entry['args'] as readonly string[];
    expect(script).toBe(bin);
    expect(rest).toEqual(['serve', '--stdio', '--config', folder.at('holdfast.yaml')]);
    expect(isAbsolute(String(entry['command'])) && existsSync(String(entry['command']))).toBe(true);
  });

  test.each([
    ['claude-desktop', 'mcpServers', { env: { FIXTURE_TOKEN: '<value of FIXTURE_TOKEN>' } }],
    ['claude-code', 'mcpServers', { type: 'stdio', env: { FIXTURE_TOKEN: '${FIXTURE_TOKEN}' } }],
    ['cursor', 'mcpServers', { env: { FIXTURE_TOKEN: '${env:FIXTURE_TOKEN}' } }],
    ['vscode', 'servers', { type: 'stdio', env: { FIXTURE_TOKEN: '${input:FIXTURE_TOKEN}' } }],
    ['windsurf', 'mcpServers', { env: { FIXTURE_TOKEN: '${env:FIXTURE_TOKEN}' } }],
    ['gemini-cli', 'mcpServers', { env: { FIXTURE_TOKEN: '$FIXTURE_TOKEN' } }],
    ['opencode', 'mcp', { type: 'local', enabled: true, environment: { FIXTURE_TOKEN: '{env:FIXTURE_TOKEN}' } }],
    ['zed', 'context_servers', { source: 'custom', env: { FIXTURE_TOKEN: '<value of FIXTURE_TOKEN>' } }],
    ['cline', 'mcpServers', { env: { FIXTURE_TOKEN: '<value of FIXTURE_TOKEN>' } }],
  ] as const)('in the format of %s', async (host, key, entry) => {
    const printed = await snippet('--host', host, '--name', 'tools');
    expect(printed[key]).toMatchObject({ tools: entry });
  });

  test('VS Code asks for each variable once', async () => {
    const { inputs } = await snippet('--host', 'vscode');
    expect(inputs).toMatchObject([{ id: 'FIXTURE_TOKEN', type: 'promptString', password: true }]);
  });

  test('in TOML, with the names of the variables', async () => {
    const { stdout } = await folder.run(['mcp-config', '--host', 'codex', '--name', 'my tools'], { env });
    const [heading, command, args, variables] = stdout.trimEnd().split('\n');
    expect(heading).toBe('[mcp_servers."my tools"]');
    expect(command).toMatch(/^command = "\/.+"$/);
    expect(args).toBe(`args = ["${bin}", "serve", "--stdio", "--config", "${folder.at('holdfast.yaml')}"]`);
    expect(variables).toBe('env_vars = ["FIXTURE_TOKEN"]');
  });

  test('prints the file and the placeholders to replace on standard error', async () => {
    const { stderr } = await folder.run(['mcp-config', '--host', 'claude-desktop'], { env });
    expect(stderr).toContain('claude_desktop_config.json');
    expect(stderr).toContain('replace <value of FIXTURE_TOKEN>');
  });
});

describe.concurrent('an address', () => {
  test.each([
    ['any', 'mcpServers', { url: 'http://127.0.0.1:9000/mcp', headers: { Authorization: 'Bearer <value of ALICE_TOKEN>' } }],
    ['claude-code', 'mcpServers', { type: 'http', headers: { Authorization: 'Bearer ${ALICE_TOKEN}' } }],
    ['cursor', 'mcpServers', { url: 'http://127.0.0.1:9000/mcp', headers: { Authorization: 'Bearer ${env:ALICE_TOKEN}' } }],
    ['vscode', 'servers', { type: 'http', headers: { Authorization: 'Bearer ${input:ALICE_TOKEN}' } }],
    ['windsurf', 'mcpServers', { serverUrl: 'http://127.0.0.1:9000/mcp' }],
    ['gemini-cli', 'mcpServers', { httpUrl: 'http://127.0.0.1:9000/mcp', headers: { Authorization: 'Bearer $ALICE_TOKEN' } }],
    ['opencode', 'mcp', { type: 'remote', url: 'http://127.0.0.1:9000/mcp' }],
    ['zed', 'context_servers', { source: 'custom', url: 'http://127.0.0.1:9000/mcp' }],
    ['cline', 'mcpServers', { type: 'streamableHttp', url: 'http://127.0.0.1:9000/mcp' }],
  ] as const)('in the format of %s', async (host, key, entry) => {
    expect((await snippet('-c', 'tokens.yaml', '--host', host, '--url'))[key]).toMatchObject({ holdfast: entry });
  });

  test('in TOML, with the variable of the token', async () => {
    const { stdout } = await folder.run(['mcp-config', '-c', 'tokens.yaml', '--host', 'codex', '--url'], { env });
    expect(stdout).toBe('[mcp_servers.holdfast]\nurl = "http://127.0.0.1:9000/mcp"\nbearer_token_env_var = "ALICE_TOKEN"\n');
  });

  test('given on the command line', async () => {
    const entry = (await snippet('--url', 'https://tools.example'))['mcpServers']?.['holdfast'];
    expect(entry).toEqual({ url: 'https://tools.example/mcp' });
  });

  test.each([
    [['--host', 'claude-desktop', '--url'], 'leave out --url'],
    [['-c', 'socket.yaml', '--url'], 'Unix socket'],
    [['--url', 'nonsense'], 'is not a URL'],
    [['--url', 'https://me:hunter22@tools.example'], 'use a token'],
    [['--host', 'emacs'], 'emacs'],
    [['--stdio', '--url'], 'cannot be used with'],
  ])('that cannot work is rejected: %s', async (args, message) => {
    const { code, stdout, stderr } = await folder.run(['mcp-config', ...args], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hunter22');
  });
});
