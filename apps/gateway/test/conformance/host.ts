/**
 * A gateway in front of a server of the suite, and a host that requests everything. The suite's servers check the gateway as their client; the host uses the era of
 * its revision. All of them are in the process of the tests, since a start takes longer than a scenario: the suite starts `ask-host.program.ts`, which sends what it
 * was given.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { argumentHeaders, connectHttp } from '../fixtures/client/http-client.ts';
import type { JsonObject, RawClient } from '../fixtures/client/raw-client.ts';
import { startGateway } from '../fixtures/gateway.ts';
import { inFrontOf, urlServer } from '../fixtures/manifests.ts';
import { ended, type Question } from './question.ts';

interface Named extends JsonObject {
  readonly name: string;
  readonly inputSchema?: { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };
}

/** Accepts a form with its defaults. */
function accept(params: JsonObject): JsonObject {
  const { properties = {} } = (params['requestedSchema'] ?? {}) as { properties?: Record<string, { default?: unknown }> };
  const defaults = Object.entries(properties).map(([name, field]) => [name, field.default ?? true]);
  return { action: 'accept', content: Object.fromEntries(defaults) as JsonObject };
}

const sample: Readonly<Record<string, unknown>> = { number: 3, integer: 2, boolean: true, string: 'text' };

const valuesFor = ({ inputSchema }: Named): JsonObject =>
  Object.fromEntries(Object.entries(inputSchema?.properties ?? {}).map(([name, { type = 'string' }]) => [name, sample[type] ?? 'text']));

/** Calls a tool and answers its questions until there is a result. */
async function call(client: RawClient, tools: readonly Named[], params: JsonObject): Promise<void> {
  const headers = argumentHeaders(tools.find(({ name }) => name === params['name'])?.inputSchema, params['arguments']);
  let result = await client.request('tools/call', params, { headers });
  while (result['resultType'] === 'input_required') {
    const asked = Object.entries(result['inputRequests'] as Readonly<Record<string, { readonly params: JsonObject }>>);
    const inputResponses = Object.fromEntries(asked.map(([name, question]) => [name, accept(question.params)]));
    const { requestState } = result;
    result = await client.request(
      'tools/call',
      { ...params, inputResponses, ...(requestState !== undefined && { requestState }) },
      { headers },
    );
  }
}

async function list(client: RawClient, what: string): Promise<readonly Named[]> {
  const answer = await client.request(`${what}/list`).catch(() => ({}) as JsonObject);
  return (answer[what] ?? []) as readonly Named[];
}

/** Lists the tools until the server has answered: a list does not wait long for a slow server, as on a busy machine. */
async function listTools(client: RawClient, isUp: () => boolean): Promise<readonly Named[]> {
  for (let asked = 0; ; asked += 1) {
    const listed = await list(client, 'tools');
    if (listed.length > 0 || (isUp() && asked >= 20)) return listed;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function play({ url, scenario, era, toolCalls }: Question): Promise<void> {
  await using gateway = await startGateway(inFrontOf(urlServer(url, { protocol: era })));
  await using client = await connectHttp(gateway.url, { era, answer: (_method, params) => accept(params) });
  const tools = await listTools(client, () => gateway.gateway.upstreams().every(({ state }) => state === 'up'));
  for (const { uri } of await list(client, 'resources')) await client.request('resources/read', { uri });
  for (const { name } of await list(client, 'prompts')) await client.request('prompts/get', { name });
  const schemaTool = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
  if (schemaTool) await call(client, tools, { name: 'json_schema_echo', arguments: { schema: schemaTool.inputSchema } });
  else if (toolCalls) for (const params of toolCalls) await call(client, tools, params);
  else if (scenario !== 'json-schema-ref-no-deref')
    for (const tool of tools) await call(client, tools, { name: tool.name, arguments: valuesFor(tool) });
}

async function answer(socket: Socket): Promise<void> {
  socket.end(
    await text(socket)
      .then((question) => play(JSON.parse(question) as Question))
      .then(() => ended, String),
  );
}

export interface Host extends AsyncDisposable {
  /** The client for the suite. */
  readonly command: string;
}

export async function startHost(): Promise<Host> {
  const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    command: `${process.execPath} ${join(import.meta.dirname, 'ask-host.program.ts')} ${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
