import { expect, test } from 'vitest';
import { parseManifest, type Problem } from '../src/index.ts';

/** `line:column code path: message | allowed | suggestion` */
const brief = ({ line, column, code, path, message, allowed, suggestion }: Problem): string =>
  [
    `${line}:${column} ${code} ${path}: ${message}`,
    ...(allowed ? [`allowed ${allowed}`] : []),
    ...(suggestion ? [`meant ${suggestion}`] : []),
  ].join(' | ');

const problemsOf = (text: string, purpose: 'check' | 'run' = 'check'): readonly string[] =>
  parseManifest(text, { file: 'holdfast.yaml', env: { TOKEN: 'shh', REGION: 'eu' }, purpose }).problems.map(brief);

const tool = 'tools: [{ id: a, run: { module: ./a.mjs } }]\n';
const kinds = 'exactly one of module, http, command, worker, mcp';
const nothing = 'missing_key tools: no tools are defined | allowed at least one of tools, mcp_servers, openapi, gateway';
const strategies = "one of 'retry', 'use_alternative', 'use_default', 'accept_partial'";

const cases: readonly (readonly [name: string, text: string, ...expected: string[]])[] = [
  ['a valid file', tool],
  [
    'an unknown profile',
    `profile: specc\n${tool}`,
    "1:10 not_allowed profile: profile is 'specc' | allowed one of 'spec', 'service', 'adaptive' | meant spec",
  ],
  ['an unknown version', `version: 2\n${tool}`, '1:10 wrong_type version: version is 2 | allowed 1'],
  [
    'an unknown key',
    `${tool}recovery_rule: []\n`,
    "2:1 unknown_key recovery_rule: unknown key 'recovery_rule' in the file | allowed version, profile, memory, seed, defaults, turn, store, capture, redact, mcp_servers, openapi, gateway, engine, worker, shared_circuits, telemetry, alerts, recovery_rules, tools | meant recovery_rules",
  ],
  [
    'a key one level too high',
    `turn: {}\n${tool.replace('id: a', 'id: a, slow_call_ms: 3')}`,
    "2:18 unknown_key tools[0].slow_call_ms: unknown key 'slow_call_ms' in tools[0] | allowed id, description, enabled, run, input_schema, output_schema, alternatives, fallback, classification, timeout_ms, idle_timeout_ms, retry_policy, circuit_breaker, concurrency, rate_limit, retry_budget, hedge, wait_for_recovery, effect, assumed_effect, unknown_failures, accept_partial, abandon_ms, max_output_chars, validation_retries",
  ],
  [
    'a key of the retry policy in the tool',
    tool.replace('id: a', 'id: a, max_attempts: 3'),
    "1:18 unknown_key tools[0].max_attempts: unknown key 'max_attempts' in tools[0] | allowed id, description, enabled, run, input_schema, output_schema, alternatives, fallback, classification, timeout_ms, idle_timeout_ms, retry_policy, circuit_breaker, concurrency, rate_limit, retry_budget, hedge, wait_for_recovery, effect, assumed_effect, unknown_failures, accept_partial, abandon_ms, max_output_chars, validation_retries | meant retry_policy.max_attempts",
  ],
  [
    'a duration with a unit',
    `defaults:\n  timeout_ms: 30s\n${tool}`,
    "2:15 wrong_type defaults.timeout_ms: timeout_ms is '30s' | allowed a number of milliseconds, above 0, or 'none' | meant 30000",
  ],
  [
    'a number in quotes',
    `turn: { concurrency: "4" }\n${tool}`,
    "1:22 wrong_type turn.concurrency: concurrency is '4' | allowed a whole number, 1 or more, or 'none' | meant 4",
  ],
  [
    'a negative number',
    `defaults: { timeout_ms: -1 }\n${tool}`,
    "1:25 out_of_range defaults.timeout_ms: timeout_ms is -1 | allowed a number of milliseconds, above 0, or 'none'",
  ],
  [
    'not a number',
    `defaults: { retry_policy: { multiplier: .nan } }\n${tool}`,
    '1:41 out_of_range defaults.retry_policy.multiplier: multiplier is NaN | allowed a number, 1 or more',
  ],
  [
    'a fractional number of attempts',
    `defaults: { retry_policy: { max_attempts: 2.5 } }\n${tool}`,
    '1:43 out_of_range defaults.retry_policy.max_attempts: max_attempts is 2.5 | allowed a whole number, 1 or more',
  ],
  [
    'no attempt',
    `defaults: { retry_policy: { max_attempts: 0 } }\n${tool}`,
    '1:43 out_of_range defaults.retry_policy.max_attempts: max_attempts is 0 | allowed a whole number, 1 or more',
  ],
  [
    'too much jitter',
    `defaults: { retry_policy: { jitter_percent: 101 } }\n${tool}`,
    '1:45 out_of_range defaults.retry_policy.jitter_percent: jitter_percent is 101 | allowed a number of percent from 0 to 100',
  ],
  [
    'a misspelt strategy',
    `defaults: { retry_policy: { strategy: exponential } }\n${tool}`,
    "1:39 not_allowed defaults.retry_policy.strategy: strategy is 'exponential' | allowed one of 'exponential_backoff', 'linear_backoff', 'constant_backoff'",
  ],
  [
    'p95 misspelt',
    `defaults: { hedge: { after_ms: p59 } }\n${tool}`,
    "1:32 not_allowed defaults.hedge.after_ms: after_ms is 'p59' | allowed a number of milliseconds, above 0, or 'none', or 'p95' | meant p95",
  ],
  [
    'yes instead of true',
    `defaults: { accept_partial: yes }\n${tool}`,
    "1:29 wrong_type defaults.accept_partial: accept_partial is 'yes' | allowed true or false | meant true",
  ],
  [
    'true as a breaker',
    `defaults: { concurrency: true }\n${tool}`,
    '1:26 wrong_type defaults.concurrency: concurrency is true | allowed false, or an object with limit, queue',
  ],
  [
    'a slow-call limit without a rate',
    `defaults: { circuit_breaker: { rate: { window_ms: 1, minimum_calls: 1, failure_rate: 1, slow_call_ms: 5 } } }\n${tool}`,
    "1:89 missing_key defaults.circuit_breaker.rate.slow_call_ms: 'slow_call_ms' is set without 'slow_call_rate' | allowed both or none",
  ],
  [
    'a window without its length',
    `defaults: { rate_limit: { limit: 5 } }\n${tool}`,
    "1:25 missing_key defaults.rate_limit.window_ms: rate_limit has no 'window_ms' | allowed a number of milliseconds, above 0",
  ],
  [
    'a repeated key',
    `profile: spec\nseed: x\nprofile: service\n${tool}`,
    "3:1 duplicate_key profile: 'profile' is set twice; first in line 1",
  ],
  [
    'a repeated key in a value of any type',
    tool.replace('id: a', 'id: a, fallback: { x: 1, x: 2 }'),
    "1:36 duplicate_key tools[0].fallback.x: 'x' is set twice; first in line 1",
  ],
  ['no tools', 'profile: spec\n', `1:1 ${nothing}`],
  ['an empty list of tools', 'seed: a\ntools: []\n', `2:8 ${nothing}`],
  ['tools with null', 'tools:\n', `1:1 ${nothing}`],
  ['servers with null', 'mcp_servers: {}\ntools: []\nopenapi:\n', `2:8 ${nothing}`],
  ['a list as the file', '- id: a\n', '1:1 wrong_type : the file is a list | allowed an object'],
  ['a string as the file', 'hello\n', "1:1 wrong_type : the file is 'hello' | allowed an object"],
  [
    'a tool without a name',
    'tools: [{ run: { module: ./a.mjs } }]\n',
    "1:9 missing_key tools[0].id: tools[0] has no 'id' | allowed a name of letters, digits, '_', '-', '.', ':' or '/'",
  ],
  [
    'a tool that is not an object',
    'tools:\n  - 5\n  - id: b\n    run: { modul: x }\n',
    '2:5 wrong_type tools[0]: tools[0] is 5 | allowed an object',
    "4:12 unknown_key tools[1].run.modul: unknown key 'modul' in run | allowed module, export, http, command, worker, mcp | meant module",
  ],
  [
    'a tool without a run',
    'tools: [{ id: a }]\n',
    "1:9 missing_key tools[0].run: tools[0] has no 'run' | allowed an object with module, export, http, command, worker, mcp",
  ],
  ['an unknown way to run', 'tools: [{ id: a, run: {} }]\n', `1:18 run_kind tools[0].run: run has no runner | allowed ${kinds}`],
  [
    'two ways to run',
    "tools: [{ id: a, run: { module: x, http: { url: 'http://h/' } } }]\n",
    `1:36 run_kind tools[0].run: run has module and http | allowed ${kinds}`,
  ],
  [
    'an export without a module',
    "tools: [{ id: a, run: { http: { url: 'http://h/' }, export: x } }]\n",
    "1:53 run_kind tools[0].run.export: 'export' belongs to 'module' | allowed module and export together",
  ],
  [
    'a URL of another scheme',
    'tools: [{ id: a, run: { http: { url: "ftp://h" } } }]\n',
    "1:38 bad_url tools[0].run.http.url: url is 'ftp://h' | allowed a URL that begins with http:// or https://",
  ],
  [
    'a body with GET',
    "tools: [{ id: a, run: { http: { url: 'http://h/', body: {} } } }]\n",
    '1:18 bad_policy tools[0].run: httpRunner: body is an object: a GET request has no body: use query, or another method',
  ],
  [
    'an id with a blank',
    'tools: [{ id: "a b", run: { module: x } }]\n',
    "1:15 bad_identifier tools[0].id: id is 'a b' | allowed a name of letters, digits, '_', '-', '.', ':' or '/'",
  ],
  [
    'two tools with one id',
    'tools:\n  - { id: a, run: { module: x } }\n  - { id: a, run: { module: y } }\n',
    "3:11 duplicate_id tools[1].id: two tools have the id 'a'; the first is in line 2",
  ],
  [
    'an unknown alternative',
    tool.replace('id: a', 'id: flight, alternatives: [flihgt_backup]'),
    "1:38 unknown_tool tools[0].alternatives[0]: there is no tool 'flihgt_backup' | allowed flight",
  ],
  [
    'an alternative to itself',
    tool.replace('id: a', 'id: a, alternatives: [a]'),
    "1:33 cycle tools[0].alternatives[0]: 'a' is its own alternative",
  ],
  [
    'circular alternatives',
    'tools:\n  - { id: a, run: { module: x }, alternatives: [b] }\n  - { id: b, run: { module: x }, alternatives: [c] }\n  - { id: c, run: { module: x }, alternatives: [a] }\n',
    '2:49 cycle tools[0].alternatives[0]: alternatives form a cycle: a → b → c → a',
  ],
  [
    'an unknown server',
    'mcp_servers: { files: { command: x } }\ntools: [{ id: a, run: { mcp: { server: flies } } }]\n',
    "2:40 unknown_server tools[0].run.mcp.server: 'flies' is not in mcp_servers | allowed files | meant files",
  ],
  [
    'a server of two kinds',
    `mcp_servers: { files: { command: x, url: 'http://h/' } }\n${tool}`,
    "1:37 run_kind mcp_servers.files: 'files' has command and url | allowed one of them",
  ],
  [
    'a server of no kind',
    `mcp_servers: { files: { args: [] } }\n${tool}`,
    "1:16 missing_key mcp_servers.files: 'files' needs a command or a URL | allowed command or url",
  ],
  [
    'headers for a program',
    `mcp_servers: { files: { command: x, headers: {} } }\n${tool}`,
    "1:37 run_kind mcp_servers.files.headers: 'headers' belongs to 'url'",
  ],
  [
    'a broken pattern to redact',
    `redact: [TOKEN, '(']\n${tool}`,
    '1:17 bad_regex redact[1]: redact[1] is not a regular expression (Unterminated group)',
  ],
  [
    'a broken pattern in a classification',
    tool.replace('id: a', "id: a, classification: [{ message: '[', as: permanent }]"),
    "1:46 bad_regex tools[0].classification[0].message: message is '[' | allowed a regular expression (Unterminated character class)",
  ],
  [
    'an empty classification',
    tool.replace('id: a', 'id: a, classification: [{ as: permanent }]'),
    '1:35 missing_key tools[0].classification[0]: this rule has no condition | allowed status, code, name, message',
  ],
  [
    'a misspelt category',
    `recovery_rules: [{ name: p, when: { category: netwrok }, deny: retry }]\n${tool}`,
    "1:47 not_allowed recovery_rules[0].when.category: category is 'netwrok' | allowed one of 'network', 'timeout', 'rate_limit', 'unavailable', 'auth', 'permission', 'not_found', 'invalid_input', 'conflict', 'unsupported', 'payload_too_large', 'quota_exhausted', 'cancelled', 'contract', 'bug', 'resource', 'unknown', or a list of these | meant network",
  ],
  [
    'a misspelt strategy of a rule',
    `recovery_rules: [{ name: p, deny: [retry, use_defalt] }]\n${tool}`,
    `1:43 not_allowed recovery_rules[0].deny[1]: deny[1] is 'use_defalt' | allowed ${strategies} | meant use_default`,
  ],
  [
    'a rule with an unknown tool',
    `recovery_rules: [{ name: p, when: { tool: pay }, deny: retry }]\n${tool.replace('id: a', 'id: pays')}`,
    "1:43 unknown_tool recovery_rules[0].when.tool[0]: there is no tool 'pay' | allowed pays | meant pays",
  ],
  [
    'a rule with an invalid turn id',
    `recovery_rules: [{ name: p, when: { turn: [nightly, 7] }, deny: retry }]\n${tool}`,
    '1:53 wrong_type recovery_rules[0].when.turn[1]: turn[1] is 7 | allowed text',
  ],
  [
    'an empty rule',
    `recovery_rules: [{ name: p }]\n${tool}`,
    '1:18 missing_key recovery_rules[0]: this rule has no allow, deny or prefer | allowed allow, deny or prefer',
  ],
  [
    'invalid schemas',
    'tools:\n  - id: a\n    run: { module: x }\n    input_schema:\n      type: obect\n      properties:\n        q: { pattern: "(" }\n      requird: [q]\n',
    "5:13 bad_schema tools[0].input_schema.type: input_schema: 'type' is 'obect' | allowed string, number, integer, boolean, object, array, null | meant object",
    "7:23 bad_schema tools[0].input_schema.properties.q.pattern: input_schema: '(' is not a regular expression | allowed a regular expression (Unterminated group)",
    "8:7 bad_schema tools[0].input_schema.requird: input_schema: 'requird' is not a JSON Schema keyword | meant required",
  ],
  [
    'a missing environment variable',
    'seed: "${env:TOKN}"\n' + tool,
    '1:7 missing_environment seed: the environment variable TOKN is not set | allowed set it, or give a default: ${env:TOKN:-…} | meant TOKEN',
  ],
  [
    'a malformed environment reference',
    'seed: "${env:}"\n' + tool,
    "1:7 bad_environment seed: '${env:}' is not the name of an environment variable | allowed ${env:NAME} or ${env:NAME:-default}",
  ],
  [
    'an invalid value from the environment',
    'profile: "${env:TOKEN}"\n' + tool,
    "1:10 not_allowed profile: profile is '${env:TOKEN}' | allowed one of 'spec', 'service', 'adaptive'",
  ],
  [
    'a number that loses digits',
    tool.replace('id: a', 'id: a, fallback: 12345678901234567890'),
    '1:28 lossy_number tools[0].fallback: 12345678901234567890 cannot be represented exactly as a number | meant "12345678901234567890"',
  ],
  [
    'a value that is not JSON',
    tool.replace('id: a', 'id: a, fallback: [.inf]'),
    '1:29 wrong_type tools[0].fallback[0]: fallback[0] is Infinity | allowed a JSON value',
  ],
  ['a second document', `${tool}---\n${tool}`, '2:1 multiple_documents : the file has a second document | allowed one document per file'],
  ['a tab', 'tools:\n\t- id: a\n', '2:1 syntax : tabs are not allowed as indentation'],
  ['an unclosed list', 'tools: [\n', '2:1 syntax : flow sequence in block collection must be sufficiently indented and end with a ]'],
  ['an empty file', '', '1:1 empty : the file is empty'],
  ['comments only', '# nothing\n', '1:1 empty : the file is empty'],
  ['an unknown tag', `seed: !secret x\n${tool}`, '1:7 unknown_tag : unresolved tag: !secret'],
  ['an unresolvable alias', `seed: *s\n${tool}`, "1:7 bad_alias : '*s' names no anchor above it"],
  ['an alias within its anchor', 'tools: &t [*t]\n', "1:12 bad_alias : '*t' is inside its own anchor"],
];

test.each(cases)('%s', (_, text, ...expected) => {
  expect(problemsOf(text)).toEqual(expected);
});

test('all problems are reported at once, from top to bottom', () => {
  const text = `profile: x\nturn: { on_deadline: never }\nredact: ['(']\ntools:\n  - { id: a, run: {} }\n  - { id: a, run: { module: m, timeout: 5 } }\n`;
  const lines = parseManifest(text).problems.map(({ line }) => line);
  expect(lines).toEqual([1, 2, 3, 5, 6, 6]);
});

test('for run, an invalid schema is a warning, and there is a manifest', () => {
  const result = parseManifest(tool.replace('id: a', 'id: a, input_schema: { type: obect }'), { purpose: 'run' });
  expect(result.problems.map(({ severity, code }) => [severity, code])).toEqual([['warning', 'bad_schema']]);
  expect(result.manifest?.tools).toHaveLength(1);
});

test('a secret from the environment is in no message', () => {
  const text = `profile: "\${env:TOKEN}"\ntools: [{ id: "\${env:TOKEN} ", run: { http: { url: "\${env:TOKEN}" } } }]\n`;
  const result = parseManifest(text, { env: { TOKEN: 'shh' } });
  expect(result.problems).toHaveLength(3);
  expect(JSON.stringify(result)).not.toContain('shh');
});
