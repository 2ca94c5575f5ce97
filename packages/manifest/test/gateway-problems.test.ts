import { expect, test } from 'vitest';
import { parseManifest, type Problem } from '../src/index.ts';

/** `line:column code path: message | allowed | suggestion` */
const brief = ({ line, column, code, path, message, allowed, suggestion }: Problem): string =>
  [
    `${line}:${column} ${code} ${path}: ${message}`,
    ...(allowed ? [`allowed ${allowed}`] : []),
    ...(suggestion ? [`meant ${suggestion}`] : []),
  ].join(' | ');

const problemsOf = (text: string): readonly string[] =>
  parseManifest(text, { file: 'holdfast.yaml', env: { TOKEN: 'shh' }, purpose: 'check' }).problems.map(brief);

const tool = 'tools: [{ id: a, run: { module: ./a.mjs } }]\n';
const files = 'mcp_servers: { files: { command: x } }\n';
const host = 'a host such as api.example.com, api.example.com:8443 or *.example.com';

const cases: readonly (readonly [name: string, text: string, ...expected: string[]])[] = [
  ['only servers', files],
  ['only an API', 'openapi: { pets: { spec: ./pets.yaml } }\n'],
  ['only a model proxy', 'gateway: { models: { anthropic: {} } }\n'],
  [
    'a server and an API with one name',
    'mcp_servers: { files: { command: x } }\nopenapi: { files: { spec: a.json } }\n',
    "2:12 duplicate_id openapi.files: tools of mcp_servers.files have the same prefix 'files' | allowed another prefix",
  ],
  [
    'one prefix for two servers',
    "mcp_servers:\n  a: { command: x, prefix: fs }\n  b: { url: 'http://h/', prefix: fs }\n",
    "3:34 duplicate_id mcp_servers.b.prefix: tools of mcp_servers.a have the same prefix 'fs' | allowed another prefix",
  ],
  [
    'one prefix for a server that is not offered',
    'mcp_servers: { a: { command: x, prefix: fs }, b: { command: y, prefix: fs, expose: false } }\n',
  ],
  ['no prefix for two servers', "mcp_servers: { a: { command: x, prefix: '' }, b: { command: y, prefix: '' } }\n"],
  [
    'a prefix that models do not accept',
    'mcp_servers: { a: { command: x, prefix: my files } }\n',
    "1:41 bad_identifier mcp_servers.a.prefix: prefix is 'my files' | allowed up to 48 letters, digits, '_' and '-', or '' for none",
  ],
  [
    'a misspelt setting of a server',
    'mcp_servers: { a: { command: x, idle_timout_ms: 5 } }\n',
    "1:33 unknown_key mcp_servers.a.idle_timout_ms: unknown key 'idle_timout_ms' in a | allowed command, args, env, cwd, url, headers, auth, inherit_env, protocol, startup_timeout_ms, health_timeout_ms, grace_ms, max_message_bytes, restart_delay_ms, max_restart_delay_ms, expose, prefix, include, exclude, defaults, tools, trust_annotations, isolation, idle_timeout_ms | meant idle_timeout_ms",
  ],
  [
    'an unknown effect for one tool of a server',
    'mcp_servers: { a: { command: x, tools: { read: { effect: reed } } } }\n',
    "1:58 not_allowed mcp_servers.a.tools.read.effect: effect is 'reed' | allowed one of 'read', 'idempotent', 'unsafe' | meant read",
  ],
  [
    'incompatible settings',
    'mcp_servers: { a: { command: x, tools: { read: { classification: [{ as: permanent }], circuit_breaker: { rate: { window_ms: 1, minimum_calls: 1, failure_rate: 1, slow_call_ms: 5 } } } } } }\n',
    '1:67 missing_key mcp_servers.a.tools.read.classification[0]: this rule has no condition | allowed status, code, name, message',
    "1:163 missing_key mcp_servers.a.tools.read.circuit_breaker.rate.slow_call_ms: 'slow_call_ms' is set without 'slow_call_rate' | allowed both or none",
  ],
  [
    'two tools with one name',
    `mcp_servers: { s: { command: x, tools: { read: { name: a }, write: { name: w } } } }\nopenapi: { p: { spec: p.json, tools: { post: { name: w } } } }\n${tool}`,
    "1:56 duplicate_id mcp_servers.s.tools.read.name: two tools are offered as 'a'; the first is in line 3",
    "2:54 duplicate_id openapi.p.tools.post.name: two tools are offered as 'w'; the first is in line 1",
  ],
  [
    'alternatives: of a server, renamed, of the file, and unknown',
    `mcp_servers:\n  s:\n    command: x\n    tools:\n      read: { alternatives: [s__other, a, pick, pik, t__read] }\n      find: { name: pick }\n${tool}`,
    "5:49 unknown_tool mcp_servers.s.tools.read.alternatives[3]: there is no tool 'pik' | allowed a, pick, s__… | meant pick",
    "5:54 unknown_tool mcp_servers.s.tools.read.alternatives[4]: there is no tool 't__read' | allowed a, pick, s__…",
  ],
  [
    'alternatives of a tool of the file, and rules, name tools of servers',
    'mcp_servers: { s: { command: x } }\nopenapi: { api: { spec: a.json } }\nrecovery_rules: [{ name: p, when: { tool: [s__x, api__y, z] }, deny: retry }]\ntools: [{ id: a, run: { module: m }, alternatives: [s__read, api__get, s_read] }]\n',
    "3:58 unknown_tool recovery_rules[0].when.tool[2]: there is no tool 'z' | allowed a, s__…, api__…",
    "4:72 unknown_tool tools[0].alternatives[2]: there is no tool 's_read' | allowed a, s__…, api__…",
  ],
  [
    'another separator',
    'gateway: { names: { separator: "-" } }\nmcp_servers: { s: { command: x, tools: { r: { alternatives: [s-w, s__w] } } } }\n',
    "2:67 unknown_tool mcp_servers.s.tools.r.alternatives[1]: there is no tool 's__w' | allowed s-…",
  ],
  [
    'alternatives if a server has no prefix',
    `mcp_servers: { s: { command: x, prefix: '' } }\n${tool.replace('id: a', 'id: a, alternatives: [anything]')}`,
  ],
  [
    'an alternative to itself, by its offered name',
    'mcp_servers: { s: { command: x, tools: { r: { alternatives: [s__r] }, q: { name: n, alternatives: [n] } } } }\n',
    "1:62 cycle mcp_servers.s.tools.r.alternatives[0]: 's__r' is its own alternative",
    "1:100 cycle mcp_servers.s.tools.q.alternatives[0]: 'n' is its own alternative",
  ],
  [
    'a server that is started from a URL with a password',
    "mcp_servers: { a: { url: 'http://u:p@h/' } }\n",
    '1:16 bad_policy mcp_servers.a: mcpServer: url is "http://h": give an http or https URL without user or password',
  ],
  ['an API without a document', 'openapi: { p: {} }\n', "1:15 missing_key openapi.p.spec: p has no 'spec' | allowed a path"],
  [
    'a host that is a URL',
    "openapi: { p: { spec: a.json, allowed_hosts: ['https://h'] } }\n",
    `1:47 bad_identifier openapi.p.allowed_hosts[0]: allowed_hosts[0] is 'https://h' | allowed ${host}`,
  ],
  [
    'a secret in the file',
    "openapi: { p: { spec: a.json, headers: { X-Api-Key: abc, x-team: t, authorization: '${env:TOKEN}', cookie: { env: C } } } }\n",
    "1:42 not_allowed openapi.p.headers.X-Api-Key: 'X-Api-Key' is a secret, but is in the file | allowed { env: NAME_OF_A_VARIABLE }, with prefix: 'Bearer ' where the header has one",
  ],
  [
    'a group that does not exist',
    `gateway:\n  groups: { eng: {} }\n  tokens:\n    - { name: a, env: A, groups: [eng, ops] }\n${tool}`,
    "4:40 bad_reference gateway.tokens[0].groups[1]: there is no group 'ops' | allowed eng",
  ],
  [
    'logins without an address, and an issuer twice',
    `gateway:\n  auth: { issuers: [{ issuer: 'https://i' }, { issuer: 'https://i' }] }\n${tool}`,
    "2:3 missing_key gateway.auth: 'auth' is set without 'public_url': clients need the address that their tokens are for | allowed gateway.public_url: https://tools.example.com",
    "2:56 duplicate_id gateway.auth.issuers[1].issuer: the issuer 'https://i' is listed twice",
  ],
  [
    'an endpoint that cannot be part of a path',
    `gateway: { endpoints: { a/b: {} } }\n${tool}`,
    `1:25 bad_identifier gateway.endpoints."a/b": 'a/b' cannot be part of a path | allowed 1 to 64 letters, digits, '_' and '-'`,
  ],
  [
    'open to everyone',
    `gateway: { listen: { host: 0.0.0.0 } }\n${tool}`,
    "1:28 not_allowed gateway.listen.host: '0.0.0.0' can be reached from other machines, and gateway.tokens is empty | allowed gateway.tokens: [{ name: …, env: NAME_OF_A_VARIABLE }], or host: 127.0.0.1",
  ],
  [
    'open to everyone, with an empty list of tokens',
    `gateway: { listen: { host: '::' }, tokens: [] }\n${tool}`,
    "1:28 not_allowed gateway.listen.host: '::' can be reached from other machines, and gateway.tokens is empty | allowed gateway.tokens: [{ name: …, env: NAME_OF_A_VARIABLE }], or host: 127.0.0.1",
  ],
  ['open to everyone with a token', `gateway: { listen: { host: 0.0.0.0 }, tokens: [{ name: ci, env: CI_TOKEN }] }\n${tool}`],
  [
    'a socket and a port',
    `gateway: { listen: { path: ./h.sock, port: 1 } }\n${tool}`,
    "1:38 run_kind gateway.listen.port: 'port' cannot be combined with 'path' | allowed path, or host and port",
  ],
  [
    'a port out of range',
    `gateway: { listen: { port: 65536 } }\n${tool}`,
    '1:28 out_of_range gateway.listen.port: port is 65536 | allowed a whole number from 0 to 65535',
  ],
  [
    'two clients with one name',
    `gateway:\n  tokens:\n    - { name: ci, env: A }\n    - { name: ci, env: B }\n${tool}`,
    "4:15 duplicate_id gateway.tokens[1].name: two clients have the name 'ci'; the first is in line 3",
  ],
  [
    'a lock of another kind',
    `gateway: { tool_lock: deny }\n${tool}`,
    "1:23 not_allowed gateway.tool_lock: tool_lock is 'deny' | allowed one of 'off', 'warn', 'block'",
  ],
  ['an audit with yes', `gateway: { audit: true }\n${tool}`, '1:19 wrong_type gateway.audit: audit is true | allowed false, or a path'],
  [
    'a heartbeat of zero',
    `gateway: { heartbeat_ms: 0 }\n${tool}`,
    '1:26 out_of_range gateway.heartbeat_ms: heartbeat_ms is 0 | allowed false, or a whole number of milliseconds from 100 to 2147483647',
  ],
  [
    'an origin with a path',
    `gateway: { allowed_origins: ['https://app.example.com/', '*'] }\n${tool}`,
    "1:30 bad_identifier gateway.allowed_origins[0]: allowed_origins[0] is 'https://app.example.com/' | allowed an origin such as https://app.example.com or http://localhost:5173",
    "1:58 bad_identifier gateway.allowed_origins[1]: allowed_origins[1] is '*' | allowed an origin such as https://app.example.com or http://localhost:5173",
  ],
  [
    'a host with a wildcard, and one with a scheme',
    `gateway: { allowed_hosts: ['*.example.com', 'http://h', 'h:8080', '[::1]:1'] }\n${tool}`,
    "1:28 bad_identifier gateway.allowed_hosts[0]: allowed_hosts[0] is '*.example.com' | allowed a host such as gateway.example.com or gateway.example.com:8443",
    "1:45 bad_identifier gateway.allowed_hosts[1]: allowed_hosts[1] is 'http://h' | allowed a host such as gateway.example.com or gateway.example.com:8443",
  ],
  [
    'an unknown provider',
    `gateway: { models: { opnai: {} } }\n${tool}`,
    "1:22 unknown_key gateway.models.opnai: unknown key 'opnai' in models | allowed openai, anthropic, gemini | meant openai",
  ],
  [
    'names too short to be distinct',
    `gateway: { names: { max_length: 8, separator: '::' } }\n${tool}`,
    '1:33 out_of_range gateway.names.max_length: max_length is 8 | allowed a whole number from 16 to 128',
    "1:47 bad_identifier gateway.names.separator: separator is '::' | allowed 1 to 8 letters, digits, '_' and '-'",
  ],
];

test.each(cases)('%s', (_, text, ...expected) => {
  expect(problemsOf(text)).toEqual(expected);
});

test.each(['127.0.0.1', '127.8.9.1', '::1', '0:0:0:0:0:0:0:1', '[::1]', 'localhost', 'LOCALHOST', 'my.localhost'])(
  '%s is loopback',
  (address) => {
    expect(problemsOf(`gateway: { listen: { host: '${address}' } }\n${tool}`)).toEqual([]);
  },
);

test.each(['0.0.0.0', '::', '10.0.0.1', '1270.0.0.1', 'localhost.example.com', '::ffff:10.0.0.1', '[::]', 'a:b'])(
  '%s is not',
  (address) => {
    expect(problemsOf(`gateway: { listen: { host: '${address}' } }\n${tool}`)).toHaveLength(1);
  },
);

test('a secret in the wrong place is in no message', () => {
  const text = `gateway:
  tokens: [s3cr3t-1, { name: a, env: s3cr3t-2 }, { name: b, token: s3cr3t-3 }]
  models:
    openai: { api_key: s3cr3t-4, headers: { authorization: s3cr3t-5 } }
    gemini: { api_key: { env: 's3cr3t-6' } }
mcp_servers:
  s: { url: 'http://h/', headers: { authorization: { env: 's3cr3t-7' } } }
`;
  const { problems } = parseManifest(text, { env: {} });
  expect(problems.map(({ line, code }) => `${line} ${code}`)).toEqual([
    '2 wrong_type',
    '2 bad_identifier',
    '2 missing_key',
    '2 unknown_key',
    '4 wrong_type',
    '4 not_allowed',
    '5 bad_identifier',
    '7 bad_identifier',
  ]);
  expect(JSON.stringify(problems)).not.toContain('s3cr3t');
});

test.each(['type', 'transport'])('%s of another program: what to do instead', (key) => {
  const [problem] = problemsOf(`mcp_servers: { a: { ${key}: sse, url: "http://localhost/sse" } }\n`);
  expect(problem).toContain(`unknown key '${key}' in a: it follows from the address, so leave it out`);
  expect(problem).toContain('args: [-y, mcp-remote, <url>, --transport, sse-only]');
});
