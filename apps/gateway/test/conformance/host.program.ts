/**
 * A program: a gateway in front of the server whose URL is its last argument, and a host that requests everything. The suite's servers check
 * the gateway as their client. The environment names the scenario; the host uses the era of its revision.
 */
import { argumentHeaders, connectHttp } from '../fixtures/client/http-client.ts';
import type { JsonObject, RawClient } from '../fixtures/client/raw-client.ts';
import { startGateway } from '../fixtures/gateway.ts';
import { inFrontOf, urlServer } from '../fixtures/manifests.ts';

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const era = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28' ? 'modern' : 'legacy';
const { toolCalls } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as { readonly toolCalls?: readonly JsonObject[] };

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
async function call(client: RawClient, params: JsonObject): Promise<void> {
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

const gateway = await startGateway(inFrontOf(urlServer(process.argv.at(-1) ?? '', { protocol: era })));
const client = await connectHttp(gateway.url, { era, answer: (_method, params) => accept(params) });
const list = async (what: string): Promise<readonly Named[]> => {
  const answer = await client.request(`${what}/list`).catch(() => ({}) as JsonObject);
  return (answer[what] ?? []) as readonly Named[];
};

/** Lists the tools until the server has answered: a list does not wait long for a slow server, as on a busy machine. */
async function listTools(): Promise<readonly Named[]> {
  for (let asked = 0; ; asked += 1) {
    const listed = await list('tools');
    const isUp = gateway.gateway.upstreams().every(({ state }) => state === 'up');
    if (listed.length > 0 || (isUp && asked >= 20)) return listed;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const tools = await listTools();
for (const { uri } of await list('resources')) await client.request('resources/read', { uri });
for (const { name } of await list('prompts')) await client.request('prompts/get', { name });
const schemaTool = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
if (schemaTool) await call(client, { name: 'json_schema_echo', arguments: { schema: schemaTool.inputSchema } });
else if (toolCalls) for (const params of toolCalls) await call(client, params);
else if (scenario !== 'json-schema-ref-no-deref')
  for (const tool of tools) await call(client, { name: tool.name, arguments: valuesFor(tool) });
await client[Symbol.asyncDispose]();
await gateway[Symbol.asyncDispose]();
