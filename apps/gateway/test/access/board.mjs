/** A program: a server over stdio that keeps the values that it receives, as a browser or a shell does. No library. */
import { createInterface } from 'node:readline';

let last = 'nothing';
let asked = 0;
const tasks = new Map();
const running = new Map();
const questions = new Map();
const heard = [];

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const tool = (name) => ({ name, description: name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } });
const names = ['remember', 'recall', 'ask', 'slow', 'big', 'task', 'fail', 'erase', 'heard'];

const tools = {
  remember: ({ text: what }) => text(`kept ${(last = what)}`),
  recall: ({ crash }) => (crash ? process.exit(1) : text(`last: ${last}`)),
  big: ({ text: what }) => text(what.repeat(40_000)),
  fail: ({ text: what }) => ({ ...text(`permission denied for ${what}`), isError: true }),
  erase: () => text('erased'),
  heard: () => text(JSON.stringify(heard)),
  task({ text: what }) {
    const taskId = `task-${tasks.size + 1}`;
    tasks.set(taskId, what);
    return { task: { taskId, status: 'completed', ttl: null, createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' } };
  },
};

const methods = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    serverInfo: { name: 'board', version: '1' },
    capabilities: {
      tools: {},
      resources: {},
      logging: {},
      prompts: {},
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    },
    instructions: 'Instructions of the board.',
  }),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'tools/list': () => ({ tools: names.map(tool) }),
  'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
  'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: `greet ${last}` } }] }),
  'resources/list': () => ({ resources: [{ uri: 'board://last', name: 'last' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: last }] }),
  'tasks/list': () => ({ tasks: [...tasks.keys()].map((taskId) => ({ taskId, status: 'completed' })) }),
  'tasks/get': ({ taskId }) => ({ taskId, status: 'completed' }),
  'tasks/result': ({ taskId }) => text(tasks.get(taskId) ?? 'none'),
  'tasks/cancel': ({ taskId }) => (tasks.delete(taskId), { taskId, status: 'cancelled' }),
};

function call(id, { name, arguments: args = {}, _meta: meta = {} }) {
  if (name === 'ask') {
    const question = `q${(asked += 1)}`;
    questions.set(question, (result) => send({ id, result: text(`answered ${JSON.stringify(result)}`) }));
    const requestedSchema = { type: 'object', properties: { pin: { type: 'string' } } };
    return send({ id: question, method: 'elicitation/create', params: { message: `PIN of ${args.text}?`, requestedSchema } });
  }
  if (name === 'slow') {
    send({ method: 'notifications/message', params: { level: 'error', data: `log of ${args.text}` } });
    if (meta.progressToken !== undefined)
      send({
        method: 'notifications/progress',
        params: { progressToken: meta.progressToken, progress: 1, message: `step of ${args.text}` },
      });
    const timer = setTimeout(() => {
      running.delete(id);
      send({ id, result: text(`done ${args.text}`) });
    }, args.ms ?? 400);
    return running.set(id, timer);
  }
  return send({ id, result: tools[name](args) });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {}, result } = JSON.parse(line);
  if (method === undefined) {
    questions.get(id)?.(result);
    questions.delete(id);
  } else if (method === 'notifications/cancelled') {
    clearTimeout(running.get(params.requestId));
  } else if (id === undefined) {
    heard.push(method);
  } else if (method === 'tools/call') call(id, params);
  else if (methods[method] === undefined) send({ id, error: { code: -32_601, message: `Method not found: ${method}` } });
  else send({ id, result: methods[method](params) });
});
