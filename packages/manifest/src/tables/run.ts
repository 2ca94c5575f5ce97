/** Owns the table of `run`. The names are those of `@holdfast/runners`, in snake_case. */
import { addresses, addressesDoc, bytes, headers, possiblyEmpty, secretReference, textOrSecret, timer } from './strings.ts';
import {
  anything,
  boolean,
  choice,
  count,
  either,
  field,
  list,
  map,
  off,
  path,
  record,
  text,
  url,
  type Field,
  type RecordShape,
} from '../shape/shape.ts';

export const childFields: readonly Field[] = [
  field('args', list(possiblyEmpty), 'Arguments of the program, without a shell.', { default: [] }),
  field('env', map(textOrSecret), 'Variables of the program: literal, or read from this process at each call.'),
  field('cwd', path, "The program's working directory.", { default: "the manifest's folder" }),
];

const commandShape: RecordShape = record(
  'command',
  field('command', text, 'The program: a path, or a name found through `PATH`. Never a shell line.', {
    required: true,
  }),
  ...childFields,
  field('inherit_env', list(text), 'Variables of this process that the program inherits.'),
  field('stdin', choice('json', 'none'), 'Whether the arguments are written to standard input as JSON.', {
    default: 'json',
  }),
  field('output', choice('json', 'text', 'json_lines'), 'The format of standard output.', { default: 'json' }),
  field('grace_ms', timer, 'Between SIGTERM and SIGKILL at the time limit.', { default: 2000 }),
  field('max_output_bytes', bytes, 'A larger standard output ends the program.', { default: 10_485_760 }),
  field('success_exit_codes', list(count(0)), 'Exit codes that mean success.', { default: [0] }),
);

const httpShape: RecordShape = record(
  'http',
  field('method', choice('GET', 'POST', 'PUT', 'PATCH', 'DELETE'), 'The HTTP method.', { default: 'GET' }),
  field('url', url, "`{{arguments.path}}` is replaced by a value of the call's arguments.", { required: true }),
  field(
    'query',
    map(either(possiblyEmpty, { kind: 'number' }, boolean, list(possiblyEmpty), secretReference)),
    'Query parameters; `{{arguments.path}}` as above.',
    { default: 'for GET and DELETE the arguments that no template uses' },
  ),
  field('headers', headers, 'Request headers: literal, or read from the environment at each call.'),
  field('body', anything, "The request's body: JSON in which `{{arguments.path}}` is replaced by a value of the arguments.", {
    default: 'for POST, PUT and PATCH the arguments that no template uses',
  }),
  field('response', choice('json', 'text'), 'How the response is parsed.', { default: 'json' }),
  field('success_status', list({ kind: 'number', integer: true, minimum: 100, maximum: 599 }), 'Statuses that mean success.', {
    default: '200 to 299',
  }),
  field('allowed_hosts', list(text), 'Hosts that may be reached.', { default: 'the host of `url`' }),
  field('addresses', addresses, addressesDoc, { default: 'network' }),
  field('max_redirects', count(0), 'Redirects that are followed.', { default: 5 }),
  field('max_response_bytes', bytes, 'A larger response ends the request.', { default: 10_485_760 }),
  field('idempotency_header', either(off, text), "The header that carries the call's idempotency key; not sent with GET.", {
    default: 'Idempotency-Key',
  }),
  field('connect_timeout_ms', timer, 'The time limit for connecting.', { default: 10_000 }),
);

const workerShape: RecordShape = record(
  'worker',
  field('module', path, "The tool's module; it runs in a thread that is terminated at the time limit.", { required: true }),
  field('export', text, 'The exported function `(args, context) => output`.', { default: 'default' }),
  field('keep_idle', count(0), 'How many idle threads are kept for the next calls.', { default: 1 }),
  field('env', map(textOrSecret), 'Environment variables inside the thread.'),
  field('startup_timeout_ms', timer, 'How long the module may take to load.', { default: 10_000 }),
);

const mcpShape: RecordShape = record(
  'mcp',
  field('server', text, 'A name from `mcp_servers`.', { required: true }),
  field('tool', text, "The tool's name on that server.", { default: "the tool's id" }),
);

/** Exactly one of these keys; `export` only with `module`. */
export const runShape: RecordShape = record(
  'run',
  field('module', path, 'A JavaScript module, run inside this process.'),
  field('export', text, 'The exported function `(args, context) => output`, for `module`.', { default: 'default' }),
  field('http', httpShape, 'An HTTP request.'),
  field('command', commandShape, 'A program.'),
  field('worker', workerShape, 'A JavaScript module in a separate thread.'),
  field('mcp', mcpShape, 'A tool of an MCP server.'),
);

export const runKinds: readonly string[] = ['module', 'http', 'command', 'worker', 'mcp'];

export const enabled: Field = field('enabled', boolean, 'A disabled tool fails every call with `TOOL_DISABLED`.', {
  default: true,
});
