/** Owns a handler with everything that the conformance suite requires. `publish` sends notifications through the transport. */
import { type ClientRequest, type JsonObject, rpcError, type ServerHandler } from '@holdfast/mcp-wire/server';
import { answered, field, form, inputRequired, pixel, text, tools } from './conformance-tools.ts';

export type Publish = (method: string, params: JsonObject) => void;

const triggers: Readonly<Record<string, string>> = {
  test_trigger_tool_change: 'notifications/tools/list_changed',
  test_trigger_prompt_change: 'notifications/prompts/list_changed',
};

const resources: Readonly<Record<string, JsonObject>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'Static words' },
  'test://static-binary': { mimeType: 'image/png', blob: pixel },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched words' },
};

const prompts: readonly JsonObject[] = [
  { name: 'test_simple_prompt', description: 'Simple' },
  {
    name: 'test_prompt_with_arguments',
    description: 'With arguments',
    arguments: ['arg1', 'arg2'].map((name) => ({ name, required: true })),
  },
  { name: 'test_prompt_with_embedded_resource', description: 'With a resource', arguments: [{ name: 'resourceUri', required: true }] },
  { name: 'test_prompt_with_image', description: 'With an image' },
  { name: 'test_input_required_result_prompt', description: 'Asks first' },
];

export function conformanceHandler(publish: Publish): ServerHandler {
  const listed = [...Object.keys(tools), ...Object.keys(triggers)].map((name) => ({
    name,
    description: `The suite's ${name}`,
    inputSchema: tools[name]?.inputSchema ?? { type: 'object' },
  }));
  return {
    describe: () => ({
      serverInfo: { name: 'conformance-handler', version: '1.0.0' },
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
    }),
    inputSchema: (name) => tools[name]?.inputSchema,
    watchResource: () => Promise.resolve((): void => {}),
    async handle(request) {
      const name = request.params['name'] as string;
      switch (request.method) {
        case 'tools/list':
          return { tools: listed };
        case 'tools/call':
          return await call(name, request, publish);
        case 'resources/list':
          return { resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })) };
        case 'resources/templates/list':
          return { resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }] };
        case 'resources/read':
          return read(request.params['uri'] as string);
        case 'prompts/list':
          return { prompts };
        case 'prompts/get':
          return prompt(name, request);
        case 'completion/complete':
          return { completion: { values: [], total: 0, hasMore: false } };
        default:
          throw rpcError(-32_601, `Method not found: ${request.method}`);
      }
    },
  };
}

async function call(name: string, request: ClientRequest, publish: Publish): Promise<JsonObject> {
  const trigger = triggers[name];
  if (trigger !== undefined) {
    publish(trigger, {});
    return text('Published');
  }
  const tool = tools[name];
  if (tool === undefined) throw rpcError(-32_602, `Unknown tool: ${name}`);
  return await tool.run(request);
}

function read(uri: string): JsonObject {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  const found =
    id === undefined
      ? resources[uri]
      : { mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
  if (found === undefined) throw rpcError(-32_002, 'Resource not found', { uri });
  return { contents: [{ uri, ...found }] };
}

const user = (content: JsonObject): JsonObject => ({ role: 'user', content });
const words = (answerText: string): JsonObject => user({ type: 'text', text: answerText });

function prompt(name: string, request: ClientRequest): JsonObject {
  const given = (argument: string): string => String(field(request.params, 'arguments', argument));
  switch (name) {
    case 'test_simple_prompt':
      return { messages: [words('This is a simple prompt for testing.')] };
    case 'test_prompt_with_arguments':
      return { messages: [words(`arg1='${given('arg1')}', arg2='${given('arg2')}'`)] };
    case 'test_prompt_with_embedded_resource':
      return {
        messages: [
          user({ type: 'resource', resource: { uri: given('resourceUri'), mimeType: 'text/plain', text: 'Embedded' } }),
          words('See above'),
        ],
      };
    case 'test_prompt_with_image':
      return { messages: [user({ type: 'image', data: pixel, mimeType: 'image/png' }), words('See above')] };
    case 'test_input_required_result_prompt': {
      const context = answered(request, 'user_context', 'content', 'context');
      if (typeof context === 'string') return { messages: [words(context)] };
      return inputRequired(request, { user_context: form('Which context?', { context: { type: 'string' } }) });
    }
    default:
      throw rpcError(-32_602, `Unknown prompt: ${name}`);
  }
}
