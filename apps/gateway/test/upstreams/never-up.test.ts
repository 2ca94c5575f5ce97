/** Servers that have never come up: their calls are answered with the reason, and wait while the server starts. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectHttp } from '../fixtures/client/http-client.ts';
import { textOf } from '../fixtures/client/raw-client.ts';
import { startGateway } from '../fixtures/gateway.ts';
import { programServer } from '../fixtures/manifests.ts';
import { hostileProgram } from '../fixtures/programs.ts';

/** A program that runs some code, and then the hostile server. */
async function programAfter(code: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'holdfast-late-')), 'server.mjs');
  await writeFile(file, `${code}\nawait import(${JSON.stringify(hostileProgram.words[0])});\n`);
  return file;
}

const gateway = { reload: false, tool_lock: 'off' };

test('a call of a server that has never come up says why', async () => {
  await using scene = await startGateway({
    mcp_servers: { db: { command: '/no/such/program' }, good: programServer(hostileProgram) },
    gateway,
  });
  await using client = await connectHttp(scene.url);
  const answer = await client.call('db__query');
  expect(answer.isError).toBe(true);
  expect(textOf(answer)).toMatch(/server 'db'.*\/no\/such\/program/);
  expect(answer._meta?.['dev.holdfast/error']).toMatchObject({ code: 'MCP_SERVER_DOWN', classification: 'transient' });
  await expect(client.call('good__nothing')).rejects.toThrow('Unknown tool: good__nothing');
  await expect(client.call('other__query')).rejects.toThrow('Unknown tool: other__query');
});

test('a wrong name is told beside the server without a prefix that could have had it', async () => {
  await using scene = await startGateway({
    mcp_servers: { db: { command: '/no/such/program', prefix: '' }, good: programServer(hostileProgram) },
    gateway,
  });
  await using client = await connectHttp(scene.url);
  const answer = await client.call('good_echo');
  expect(textOf(answer)).toMatch(/server 'db'.*\/no\/such\/program.* If the name is wrong: did you mean 'good__echo'\?/s);
  expect(textOf(await client.call('something_else'))).not.toContain('did you mean');
});

test('a call that arrives while a slow server starts waits for it', { timeout: 30_000 }, async () => {
  const file = await programAfter('await new Promise((resolve) => setTimeout(resolve, 4_000));');
  await using scene = await startGateway({ mcp_servers: { slow: { command: process.execPath, args: [file] } }, gateway });
  await using client = await connectHttp(scene.url);
  expect(textOf(await client.call('slow__echo', { message: 'at last' }, { limitMs: 20_000 }))).toBe('at last');
});

test('a server that writes its log to standard output in place of MCP: the error says so', { timeout: 30_000 }, async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'holdfast-log-')), 'server.mjs');
  await writeFile(file, 'console.log("Server started on port 3000"); setInterval(() => {}, 1_000);');
  await using scene = await startGateway({
    mcp_servers: { web: { command: process.execPath, args: [file], startup_timeout_ms: 1_500 } },
    gateway,
  });
  await using client = await connectHttp(scene.url);
  expect(textOf(await client.call('web__anything', {}, { limitMs: 20_000 }))).toMatch(/standard output.*Server started on port 3000/);
});

test('a redirect is not followed, and says where to', { timeout: 30_000 }, async () => {
  const { createServer } = await import('node:http');
  const server = createServer((_request, response) => void response.writeHead(307, { location: 'https://other.example/mcp' }).end());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await using scene = await startGateway({ mcp_servers: { moved: { url: `http://127.0.0.1:${port}/mcp` } }, gateway });
  await using client = await connectHttp(scene.url);
  expect(textOf(await client.call('moved__anything'))).toContain('redirects to https://other.example/mcp, which is not followed');
  // The connection and the list fail for the same reason: it is reported once.
  const reported = (): readonly string[] => scene.faults.filter((fault) => fault.includes('moved'));
  await expect.poll(reported).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(reported()).toHaveLength(1);
  server.close();
});

test('an address of the older transport says what to do', { timeout: 30_000 }, async () => {
  const { createServer } = await import('node:http');
  const server = createServer((_request, response) => void response.writeHead(404).end('Cannot POST /sse'));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await using scene = await startGateway({ mcp_servers: { old: { url: `http://127.0.0.1:${port}/sse` } }, gateway });
  await using client = await connectHttp(scene.url);
  expect(textOf(await client.call('old__anything'))).toMatch(/HTTP\+SSE \(2024-11-05\).*mcp-remote/s);
  server.close();
});
