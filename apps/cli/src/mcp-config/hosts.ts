/**
 * How each MCP host is configured: the file, its format, and how it refers to an environment variable.
 * From the documentation of the hosts; docs/guide/gateway-hosts.md describes the differences.
 */
import { codexAddress, codexProgram } from './codex.ts';
import type { AddressServer, ProgramServer } from './server.ts';

export interface Host {
  readonly title: string;
  /** The path of its configuration, for people. */
  readonly file: string;
  /** How to make it read the configuration. */
  readonly activation: string;
  /** A reference to an environment variable. Absent: the host has none, and a placeholder is printed instead. */
  readonly variable?: (name: string) => string;
  readonly program: (server: ProgramServer, variable: (name: string) => string) => unknown;
  /** Absent: the host cannot connect to a local address. */
  readonly address?: (server: AddressServer, variable: (name: string) => string) => unknown;
}

type Variable = (name: string) => string;

const environment = (names: readonly string[], variable: Variable): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, variable(name)]));

const programEntry = ({ command, args, variables }: ProgramServer, variable: Variable): object => ({
  command,
  args,
  ...(variables.length === 0 ? {} : { env: environment(variables, variable) }),
});

const headers = ({ token }: AddressServer, variable: Variable): object =>
  token === undefined ? {} : { headers: { Authorization: `Bearer ${variable(token)}` } };

const mcpServers = (name: string, entry: object): object => ({ mcpServers: { [name]: entry } });

/** The format that most hosts share. */
export const common: Pick<Host, 'program' | 'address'> = {
  program: (server, variable) => mcpServers(server.name, programEntry(server, variable)),
  address: (server, variable) => mcpServers(server.name, { url: server.url, ...headers(server, variable) }),
};

const vsCodeInputs = (names: readonly string[]): object =>
  names.length === 0 ? {} : { inputs: names.map((id) => ({ type: 'promptString', id, description: id, password: true })) };

export const hosts: Readonly<Record<string, Host>> = {
  'claude-desktop': {
    title: 'Claude Desktop',
    file:
      process.platform === 'darwin'
        ? '~/Library/Application Support/Claude/claude_desktop_config.json'
        : process.platform === 'win32'
          ? String.raw`%APPDATA%\Claude\claude_desktop_config.json`
          : '~/.config/Claude/claude_desktop_config.json',
    activation: 'Restart Claude Desktop.',
    program: common.program,
  },
  'claude-code': {
    title: 'Claude Code',
    file: '.mcp.json in the project (or mcpServers in ~/.claude.json)',
    activation: 'Restart claude; /mcp shows the server.',
    variable: (name) => `\${${name}}`,
    program: (server, variable) => mcpServers(server.name, { type: 'stdio', ...programEntry(server, variable) }),
    address: (server, variable) => mcpServers(server.name, { type: 'http', url: server.url, ...headers(server, variable) }),
  },
  cursor: {
    title: 'Cursor',
    file: '.cursor/mcp.json in the project (or ~/.cursor/mcp.json)',
    activation: 'Enable the server in Settings > MCP.',
    variable: (name) => `\${env:${name}}`,
    ...common,
  },
  vscode: {
    title: 'VS Code',
    file: '.vscode/mcp.json in the workspace (or the command "MCP: Open User Configuration")',
    activation: 'Click Start above its entry; VS Code asks for the values once.',
    variable: (name) => `\${input:${name}}`,
    program: (server, variable) => ({
      servers: { [server.name]: { type: 'stdio', ...programEntry(server, variable) } },
      ...vsCodeInputs(server.variables),
    }),
    address: (server, variable) => ({
      servers: { [server.name]: { type: 'http', url: server.url, ...headers(server, variable) } },
      ...vsCodeInputs(server.token === undefined ? [] : [server.token]),
    }),
  },
  windsurf: {
    title: 'Windsurf',
    file: '~/.codeium/windsurf/mcp_config.json',
    activation: 'Refresh the servers in the Cascade panel.',
    variable: (name) => `\${env:${name}}`,
    program: common.program,
    address: (server, variable) => mcpServers(server.name, { serverUrl: server.url, ...headers(server, variable) }),
  },
  codex: {
    title: 'Codex',
    file: '~/.codex/config.toml (or .codex/config.toml in a trusted project)',
    activation: 'Restart codex; /mcp shows the server.',
    // Codex takes the names of variables.
    variable: (name) => name,
    program: codexProgram,
    address: codexAddress,
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    file: '~/.gemini/settings.json (or .gemini/settings.json in the project)',
    activation: 'Restart gemini; /mcp shows the server.',
    variable: (name) => `$${name}`,
    program: common.program,
    address: (server, variable) => mcpServers(server.name, { httpUrl: server.url, ...headers(server, variable) }),
  },
  opencode: {
    title: 'opencode',
    file: 'opencode.json in the project (or ~/.config/opencode/opencode.json)',
    activation: 'Restart opencode.',
    variable: (name) => `{env:${name}}`,
    program: ({ name, command, args, variables }, variable) => {
      const environ = variables.length === 0 ? {} : { environment: environment(variables, variable) };
      return { mcp: { [name]: { type: 'local', command: [command, ...args], enabled: true, ...environ } } };
    },
    address: (server, variable) => ({
      mcp: { [server.name]: { type: 'remote', url: server.url, enabled: true, ...headers(server, variable) } },
    }),
  },
  zed: {
    title: 'Zed',
    file: 'Zed\'s settings (command "zed: open settings")',
    activation: 'Zed applies them on save.',
    program: (server, variable) => ({ context_servers: { [server.name]: { source: 'custom', ...programEntry(server, variable) } } }),
    address: (server, variable) => ({
      context_servers: { [server.name]: { source: 'custom', url: server.url, ...headers(server, variable) } },
    }),
  },
  cline: {
    title: 'Cline',
    file: 'cline_mcp_settings.json (MCP Servers, Configure MCP Servers)',
    activation: 'Cline applies it on save.',
    program: common.program,
    address: (server, variable) => mcpServers(server.name, { type: 'streamableHttp', url: server.url, ...headers(server, variable) }),
  },
};
