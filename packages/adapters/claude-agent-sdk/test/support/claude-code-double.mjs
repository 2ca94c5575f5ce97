/**
 * A double of Claude Code, the program that the SDK starts: it speaks enough of the SDK's protocol over stdin and stdout to call the tools of SDK MCP servers.
 *
 * - It asks the model at ANTHROPIC_BASE_URL, without streaming, and offers the tools under their plain names, which Claude Code prefixes.
 * - All calls of an answer run at once. Claude Code runs only those of tools at once that are annotated as read-only.
 * - Of the hooks, it calls PostToolBatch.
 * - MCP_TOOL_TIMEOUT limits each call, in milliseconds.
 * - A tool named in DOUBLE_DIES_AT ends the process in the middle of its call.
 */
import { createInterface } from 'node:readline';

const { ANTHROPIC_BASE_URL: baseUrl = '', DOUBLE_DIES_AT: fatalTool = '', MCP_TOOL_TIMEOUT: toolTimeout = '' } = process.env;
const limit = Number(process.argv[process.argv.indexOf('--max-turns') + 1]) || Infinity;

let lines = '';

function flush() {
  process.stdout.write(lines);
  lines = '';
}

/** What is sent in one moment arrives in one moment, on a busy machine too. */
function send(message) {
  if (lines === '') queueMicrotask(flush);
  lines += `${JSON.stringify(message)}\n`;
}
const waiting = new Map();
let sent = 0;

/** Asks the SDK, and waits for its answer. */
function ask(request) {
  const request_id = `double-${++sent}`;
  send({ type: 'control_request', request_id, request });
  return new Promise((resolve, reject) => void waiting.set(request_id, { resolve, reject }));
}

const messages = [];
let tools = [];
let batchHooks = [];
const serverOf = new Map();

function initialize({ sdkMcpServerManifests: manifests = {}, hooks = {} }) {
  for (const [server, { toolsListResult }] of Object.entries(manifests))
    for (const { name, description, inputSchema: input_schema } of toolsListResult.tools) {
      serverOf.set(name, server);
      tools = [...tools, { name, description, input_schema }];
    }
  batchHooks = (hooks['PostToolBatch'] ?? []).flatMap(({ hookCallbackIds }) => hookCallbackIds);
}

async function callTool({ id, name, input }) {
  const server_name = serverOf.get(name);
  if (server_name === undefined)
    return resultBlock(id, { isError: true, content: [{ type: 'text', text: `No such tool available: ${name}` }] });
  const params = { name, arguments: input, _meta: { 'claudecode/toolUseId': id } };
  try {
    const message = { jsonrpc: '2.0', id: `call-${++sent}`, method: 'tools/call', params };
    const asked = ask({ subtype: 'mcp_message', server_name, message });
    if (name === fatalTool) {
      flush();
      process.exit(7);
    }
    const { mcp_response: response } = await inTime(asked, server_name, message.id);
    if (response.error) throw new Error(response.error.message);
    return resultBlock(id, response.result);
  } catch (error) {
    return resultBlock(id, { isError: true, content: [{ type: 'text', text: error.message }] });
  }
}

/** Cancels a call that takes too long. */
function inTime(asked, server_name, requestId) {
  if (toolTimeout === '') return asked;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'timeout' } };
      void ask({ subtype: 'mcp_message', server_name, message });
      reject(new Error(`The tool call timed out after ${toolTimeout} ms`));
    }, Number(toolTimeout));
    asked.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function resultBlock(tool_use_id, { content, isError }) {
  const blocks = content.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text || ' ' } : { type: 'text', text: JSON.stringify(part) },
  );
  return { type: 'tool_result', tool_use_id, content: blocks, ...(isError ? { is_error: true } : {}) };
}

async function askModel() {
  const response = await fetch(`${baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'claude-opus-4-8', max_tokens: 1_024, messages, tools }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}

/** Returns what the conversation ends with. */
async function converse() {
  for (let turns = 1; ; turns++) {
    const message = await askModel();
    const { content } = message;
    messages.push({ role: 'assistant', content });
    send({ type: 'assistant', message, parent_tool_use_id: null, session_id: 'double', uuid: `answer-${turns}` });
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return { subtype: 'success', result: text };
    const results = await Promise.all(calls.map(callTool));
    messages.push({ role: 'user', content: results });
    send({ type: 'user', message: messages.at(-1), parent_tool_use_id: null, session_id: 'double', uuid: `results-${turns}` });
    for (const callback_id of batchHooks) {
      const { continue: goOn = true } = await ask({
        subtype: 'hook_callback',
        callback_id,
        input: { hook_event_name: 'PostToolBatch', tool_calls: [] },
      });
      if (!goOn) return { subtype: 'success', result: text };
    }
    if (turns >= limit) return { subtype: 'error_max_turns', errors: [] };
  }
}

async function answer({ content }) {
  messages.push({ role: 'user', content });
  const end = await converse().catch((error) => ({ subtype: 'error_during_execution', is_error: true, errors: [error.message] }));
  const numbers = {
    duration_ms: 1,
    duration_api_ms: 1,
    num_turns: 1,
    total_cost_usd: 0,
    usage: {},
    modelUsage: {},
    permission_denials: [],
  };
  send({ type: 'result', is_error: false, session_id: 'double', uuid: 'end', ...numbers, ...end });
}

const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  const { type, request_id, request, response, message } = JSON.parse(line);
  if (type === 'user') void answer(message);
  if (type === 'control_response') {
    const { resolve, reject } = waiting.get(response.request_id) ?? {};
    waiting.delete(response.request_id);
    if (response.subtype === 'success') resolve?.(response.response);
    else reject?.(new Error(response.error));
  }
  if (type !== 'control_request') return;
  if (request.subtype === 'initialize') initialize(request);
  const answered = { commands: [], models: [], account: {}, output_style: 'default', available_output_styles: [] };
  send({ type: 'control_response', response: { subtype: 'success', request_id, response: answered } });
});
input.on('close', () => process.exit(0));
