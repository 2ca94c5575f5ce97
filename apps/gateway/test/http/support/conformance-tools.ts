/** Owns the tools that the conformance suite calls, implemented directly on a handler, without an SDK. */
import { createHmac, randomBytes } from 'node:crypto';
import { type ClientRequest, type JsonObject, rpcError } from '@holdfast/mcp-wire/server';

export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const silence = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

export interface ConformanceTool {
  readonly inputSchema?: JsonObject;
  run(request: ClientRequest): JsonObject | Promise<JsonObject>;
}

export const text = (words: string): JsonObject => ({ content: [{ type: 'text', text: words }] });
const returns = (...content: readonly JsonObject[]): ConformanceTool => ({ run: () => ({ content }) });
const image = { type: 'image', data: pixel, mimeType: 'image/png' };
const resource = (uri: string, words: string): JsonObject => ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: words } });
const aMoment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

export function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((at, name) => (typeof at === 'object' && at !== null ? (at as JsonObject)[name] : undefined), value);
}

export const form = (message: string, properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
});
const sampling = (words: string): JsonObject => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens: 50 },
});
const roots: JsonObject = { method: 'roots/list', params: {} };

const asks = (question: (request: ClientRequest) => JsonObject): ConformanceTool => ({
  async run(request) {
    const { method, params } = question(request) as { method: string; params: JsonObject };
    return text(`The client answered ${JSON.stringify(await request.ask(method, params))}`);
  },
});

const needs: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

export function inputRequired({ client }: ClientRequest, inputRequests: JsonObject, state?: JsonObject): JsonObject {
  const wanted = Object.values(inputRequests).map((asked) => needs[field(asked, 'method') as string] as string);
  const lacking = wanted.filter((capability) => client.capabilities[capability] === undefined);
  if (lacking.length > 0)
    throw rpcError(-32_021, 'A capability is missing', { requiredCapabilities: Object.fromEntries(lacking.map((name) => [name, {}])) });
  return { resultType: 'input_required', inputRequests, ...(state === undefined ? {} : { requestState: sealed(state) }) };
}

const key = randomBytes(32);
const seal = (body: string): string => createHmac('sha256', key).update(body).digest('hex');
const sealed = (state: JsonObject): string => {
  const body = Buffer.from(JSON.stringify(state)).toString('base64url');
  return `${body}.${seal(body)}`;
};
function opened({ params }: ClientRequest): JsonObject | undefined {
  const state = params['requestState'];
  if (typeof state !== 'string') return undefined;
  const [body = '', mark] = state.split('.');
  if (mark !== seal(body)) throw rpcError(-32_602, 'The request state is not of this server');
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as JsonObject;
}

export function answered({ params }: ClientRequest, name: string, ...path: readonly string[]): unknown {
  const response = field(params, 'inputResponses', name);
  const isRefused = (field(response, 'action') ?? 'accept') !== 'accept';
  return isRefused ? undefined : field(response, ...path);
}

const askName = form('Your name?', { name: { type: 'string' } });
const askOk = form('Sure?', { ok: { type: 'boolean' } });

export const tools: Readonly<Record<string, ConformanceTool>> = {
  test_x_mcp_header: {
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } } },
    run: ({ params }) => text(`region=${String(field(params, 'arguments', 'region'))}`),
  },
  test_simple_text: returns({ type: 'text', text: 'This is a simple text response for testing.' }),
  test_image_content: returns(image),
  test_audio_content: returns({ type: 'audio', data: silence, mimeType: 'audio/wav' }),
  test_embedded_resource: returns(resource('test://embedded-resource', 'Embedded words')),
  test_multiple_content_types: returns(
    { type: 'text', text: 'Several:' },
    image,
    resource('test://mixed-content-resource', '{"value":123}'),
  ),
  test_error_handling: { run: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }) },
  test_streaming_elicitation: returns({ type: 'text', text: 'Nothing to ask' }),
  test_logging_tool: {
    run(request) {
      request.notify('notifications/message', { level: 'info', data: 'A message during the call' });
      return text('Said');
    },
  },
  test_tool_with_logging: {
    async run(request) {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        request.notify('notifications/message', { level: 'info', data });
        await aMoment();
      }
      return text('Said three times');
    },
  },
  test_tool_with_progress: {
    async run(request) {
      for (const progress of [0, 50, 100]) {
        request.reportProgress({ progress, total: 100 });
        await aMoment();
      }
      return text(String(field(request.params, '_meta', 'progressToken')));
    },
  },
  test_sampling: asks(({ params }) => sampling(String(field(params, 'arguments', 'prompt')))),
  test_elicitation: asks(({ params }) => form(String(field(params, 'arguments', 'message')), { response: { type: 'string' } })),
  test_elicitation_sep1034_defaults: asks(() =>
    form(
      'Defaults',
      {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
      [],
    ),
  ),
  test_elicitation_sep1330_enums: asks(() =>
    form(
      'Choices',
      {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: titled },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
        untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled } },
      },
      [],
    ),
  ),
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: ({ params }) => text(JSON.stringify(params['arguments'])),
  },
  test_missing_capability: {
    run: (request) => (answered(request, 'llm') === undefined ? inputRequired(request, { llm: sampling('Say pong') }) : text('Heard')),
  },
  test_input_required_result_elicitation: {
    run(request) {
      const name = answered(request, 'user_name', 'content', 'name');
      return typeof name === 'string' ? text(`Hello, ${name}!`) : inputRequired(request, { user_name: askName });
    },
  },
  test_input_required_result_sampling: {
    run(request) {
      const answer = answered(request, 'capital_question', 'content', 'text');
      return answer === undefined
        ? inputRequired(request, { capital_question: sampling('What is the capital of France?') })
        : text(JSON.stringify(answer));
    },
  },
  test_input_required_result_list_roots: {
    run(request) {
      const listed = answered(request, 'client_roots', 'roots');
      return Array.isArray(listed) ? text(JSON.stringify(listed)) : inputRequired(request, { client_roots: roots });
    },
  },
  test_input_required_result_request_state: {
    run(request) {
      const state = opened(request);
      if (answered(request, 'confirm', 'content', 'ok') === undefined) return inputRequired(request, { confirm: askOk }, { round: 1 });
      if (state === undefined) throw rpcError(-32_602, 'The request state is missing');
      return text('state-ok');
    },
  },
  test_input_required_result_multiple_inputs: {
    run(request) {
      opened(request);
      const name = answered(request, 'user_name', 'content', 'name');
      const greeting = answered(request, 'greeting', 'content', 'text');
      const listed = answered(request, 'client_roots', 'roots');
      if (typeof name === 'string' && typeof greeting === 'string' && Array.isArray(listed)) return text(`${greeting} ${name}`);
      return inputRequired(request, { user_name: askName, greeting: sampling('Generate a greeting'), client_roots: roots }, { round: 1 });
    },
  },
  test_input_required_result_multi_round: {
    run(request) {
      const round = opened(request)?.['round'] ?? 0;
      if (round === 0) return inputRequired(request, { step1: form('Your name?', { name: { type: 'string' } }) }, { round: 1 });
      if (round === 1) return inputRequired(request, { step2: form('Your colour?', { color: { type: 'string' } }) }, { round: 2 });
      return text(`Done: ${String(answered(request, 'step2', 'content', 'color'))}`);
    },
  },
  test_input_required_result_tampered_state: {
    run(request) {
      const isSure = opened(request) !== undefined && answered(request, 'confirm', 'content', 'ok') !== undefined;
      return isSure ? text('integrity-ok') : inputRequired(request, { confirm: askOk }, { round: 1 });
    },
  },
  test_input_required_result_capabilities: {
    run(request) {
      if (request.params['inputResponses'] !== undefined) return text('Enough');
      const offered = { elicitation: { user_name: askName }, sampling: { greeting: sampling('Greet') }, roots: { client_roots: roots } };
      const wanted = Object.entries(offered).filter(([capability]) => request.client.capabilities[capability] !== undefined);
      return wanted.length === 0
        ? text('Nothing to ask with')
        : inputRequired(request, Object.assign({}, ...wanted.map(([, asked]) => asked)) as JsonObject);
    },
  },
};

const titled = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
  { const: 'value3', title: 'Third' },
];
