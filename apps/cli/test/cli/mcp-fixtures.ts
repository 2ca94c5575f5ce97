/** An MCP server for the CLI tests, without dependencies. */

/**
 * Speaks 2025-11-25 over stdio. It lists the tools of `tools.json` in its folder, and the prompts and resources of `lists.json`, if there is one. `echo` returns its message, `slow` responds after a while, `pid` returns
 * its process id, `environment` the value of a variable.
 */
const server = `
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const text = (text) => ({ content: [{ type: 'text', text: String(text) }] });
const call = (id, { name, arguments: args = {} }) => {
  if (name === 'slow') return setTimeout(() => send({ id, result: text('late') }), 800);
  send({ id, result: text(name === 'echo' ? args.message : name === 'pid' ? process.pid : process.env[args.name] ?? 'unset') });
};
const listsFile = new URL('lists.json', import.meta.url);
const lists = () => (existsSync(listsFile) ? JSON.parse(readFileSync(listsFile, 'utf8')) : {});
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const capabilities = { tools: {}, ...(lists().prompts && { prompts: {} }), ...(lists().resources && { resources: {} }) };
  if (method === 'initialize')
    send({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'fixture', version: '1.2.3' } } });
  else if (method === 'tools/list') send({ id, result: { tools: JSON.parse(readFileSync(new URL('tools.json', import.meta.url), 'utf8')) } });
  else if (method === 'prompts/list') send({ id, result: { prompts: lists().prompts } });
  else if (method === 'resources/list') send({ id, result: { resources: lists().resources } });
  else if (method === 'tools/call') call(id, params);
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
}).on('close', () => process.exit(0));
`;

const inputSchema = { type: 'object', properties: {} } as const;

export const toolList = (...names: readonly string[]): string =>
  JSON.stringify(names.map((name) => ({ name, description: `Does ${name}.`, inputSchema, annotations: { readOnlyHint: true } })));

export const mcpFiles: Readonly<Record<string, string>> = {
  'server.mjs': server,
  'tools.json': toolList('echo', 'slow', 'pid', 'environment'),
  'holdfast.yaml': `
version: 1
mcp_servers:
  files:
    command: node
    args: [server.mjs]
    env: { API_TOKEN: { env: FIXTURE_TOKEN } }
tools:
  - { id: chatty, run: { module: ./chatty.mjs } }
`,
  'chatty.mjs': `export default () => { console.log('stray line'); process.stdout.write('{"jsonrpc":"2.0"}\\n'); return 'done'; };`,
};
