/** The client that the conformance suite runs against its servers: it gets the server's URL as an argument, and the scenario from the environment. */
import { Agent } from 'undici';
import { type JsonObject, type McpConnection, connect, httpLink, isJsonObject } from '../../src/client/index.ts';

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const isModern = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as { readonly toolCalls?: readonly JsonObject[] };

/** Accepts, with the defaults of the requested schema. */
function accepted({ requestedSchema }: JsonObject): JsonObject {
  const properties = isJsonObject(requestedSchema) && isJsonObject(requestedSchema['properties']) ? requestedSchema['properties'] : {};
  const defaults = Object.entries(properties).flatMap(([name, schema]) =>
    isJsonObject(schema) && schema['default'] !== undefined ? [[name, schema['default']] as const] : [],
  );
  return { action: 'accept', content: { confirmed: true, ...Object.fromEntries(defaults) } };
}

/** Calls until the server has received all the input that it requests. */
async function call(connection: McpConnection, params: JsonObject): Promise<JsonObject> {
  let result = await connection.request('tools/call', params);
  while (result['resultType'] === 'input_required') {
    const asked = Object.entries(result['inputRequests'] as Readonly<Record<string, JsonObject>>);
    const inputResponses = Object.fromEntries(asked.map(([name, { params: question }]) => [name, accepted(question as JsonObject)]));
    const { requestState } = result;
    result = await connection.request('tools/call', { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) });
  }
  return result;
}

const argumentsOf = ({ inputSchema }: JsonObject): JsonObject => {
  const properties = isJsonObject(inputSchema) && isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  const values: Readonly<Record<string, unknown>> = { integer: 2, number: 3, boolean: true, string: 'text' };
  const types = Object.entries(properties).map(
    ([name, schema]) => [name, values[String((schema as JsonObject)['type'])] ?? 'text'] as const,
  );
  return Object.fromEntries(types);
};

const agent = new Agent();
const link = httpLink({
  url: new URL(process.argv.at(-1) ?? ''),
  headers: {},
  dispatcher: agent,
  maxMessageBytes: 1_000_000,
  graceMs: 1000,
});
const connection = await connect(link, {
  eras: [isModern ? 'modern' : 'legacy'],
  clientInfo: { name: 'conformance-client', version: '1.0.0' },
  clientCapabilities: { roots: {}, sampling: {}, elicitation: {} },
  timeoutMs: 10_000,
  listen: true,
  answer: (_method, params) => Promise.resolve(accepted(params)),
});
const { tools } = (await connection.request('tools/list')) as { readonly tools?: readonly JsonObject[] };
if (scenario === 'http-standard-headers') {
  for (const each of (await connection.request('resources/list'))['resources'] as readonly JsonObject[])
    await connection.request('resources/read', { uri: each['uri'] });
  for (const each of (await connection.request('prompts/list'))['prompts'] as readonly JsonObject[])
    await connection.request('prompts/get', { name: each['name'] });
}
const focal = tools?.find(({ name }) => name === 'json_schema_2020_12_tool');
if (focal !== undefined) await call(connection, { name: 'json_schema_echo', arguments: { schema: focal['inputSchema'] } });
else if (context.toolCalls !== undefined) for (const params of context.toolCalls) await call(connection, params);
else if (scenario !== 'json-schema-ref-no-deref')
  for (const tool of tools ?? []) await call(connection, { name: tool['name'], arguments: argumentsOf(tool) });
await connection.close();
await agent.destroy();
