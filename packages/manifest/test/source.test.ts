import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadManifest, loadTurn, parseManifest } from '../src/index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manifest-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const save = async (name: string, content: string | Uint8Array): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};
const codes = ({ problems }: { readonly problems: readonly { readonly code: string }[] }): readonly string[] =>
  problems.map(({ code }) => code);
const tool = 'tools: [{ id: a, run: { module: ./a.mjs } }]\n';

test('a byte order mark and CRLF do not change positions', () => {
  const [problem] = parseManifest(`\u{FEFF}version: 1\r\nprofile: specc\r\n${tool}`).problems;
  expect([problem?.line, problem?.column, problem?.length]).toEqual([2, 10, 5]);
  expect(parseManifest(`\u{FEFF}${tool}`).manifest).toBeDefined();
});

test('JSON is read as well, tabs and all', () => {
  const json = JSON.stringify({ tools: [{ id: 'a', run: { module: './a.mjs' } }] }, undefined, '\t');
  expect(parseManifest(json).manifest?.tools.map(({ name }) => name)).toEqual(['a']);
});

test('anchors, aliases and merge keys work', () => {
  const { manifest, problems } = parseManifest(`
defaults: { retry_policy: &patient { max_attempts: 9, multiplier: 3 } }
tools:
  - { id: a, run: &run { module: ./a.mjs }, retry_policy: *patient }
  - { id: b, run: *run, retry_policy: { <<: *patient, max_attempts: 2 } }
`);
  expect(problems).toEqual([]);
  expect(manifest?.tools.map(({ retry }) => retry)).toEqual([
    { maxAttempts: 9, multiplier: 3 },
    { maxAttempts: 2, multiplier: 3 },
  ]);
});

test('a single tool, as one document', () => {
  const { manifest } = parseManifest(`
tool:
  id: flight_search
  run: { module: ./a.mjs }
  timeout_ms: 30000
  retry_policy:
    strategy: exponential_backoff
    initial_delay_ms: 50
    max_delay_ms: 2000
    multiplier: 2.0
    jitter_percent: 15
    max_attempts: 3
    max_total_time_ms: 5000
  circuit_breaker: { failure_threshold: 5, success_threshold: 2, timeout_ms: 30000 }
`);
  expect(manifest?.tools).toMatchObject([
    {
      name: 'flight_search',
      timeoutMs: 30_000,
      retry: {
        strategy: 'exponential_backoff',
        initialDelayMs: 50,
        maxDelayMs: 2_000,
        multiplier: 2,
        jitterPercent: 15,
        maxAttempts: 3,
        maxTotalTimeMs: 5_000,
      },
      breaker: { failureThreshold: 5, successThreshold: 2, openMs: 30_000 },
    },
  ]);
});

test('aliases that expand into billions are refused at once', () => {
  const levels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const lines = levels.map(
    (name, index) =>
      `      ${name}: &${name} [${Array.from({ length: 9 }, () => (index === 0 ? 'lol' : `*${levels[index - 1] ?? ''}`)).join(', ')}]`,
  );
  const bomb = `tools:\n  - id: x\n    run: { module: ./a.mjs }\n    fallback:\n${lines.join('\n')}\n`;
  expect(codes(parseManifest(bomb))).toEqual(['alias_bomb']);
});

test.each([
  ['brackets', '['.repeat(200_000)],
  ['braces', '{a: '.repeat(100_000)],
  ['dashes', `tools:\n  ${'- '.repeat(100_000)}`],
  ['block mappings', Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
])('deeply nested %s are one problem, not a crash', (_, text) => {
  expect(codes(parseManifest(text))).toEqual(['too_deep']);
});

test('a file that is too large is not read', async () => {
  expect(codes(parseManifest(`# ${'x'.repeat(10 * 1024 * 1024)}`))).toEqual(['too_large']);
  expect(codes(await loadManifest(await save('large.yaml', `# ${'x'.repeat(10 * 1024 * 1024)}`)))).toEqual(['too_large']);
});

// The time limit is the test: quadratic work on this file takes minutes.
test('a large file is read in bounded time', () => {
  const tools = Array.from(
    { length: 8_000 },
    (_, index) => `  - { id: tool_${index}, run: { module: ./a.mjs }, timeout_ms: 5000, retry_policy: { max_attempts: 3 } }`,
  );
  const text = `tools:\n${tools.join('\n')}\n`;
  expect(parseManifest(text).manifest?.tools).toHaveLength(8_000);
}, 60_000);

test('files that cannot be read are problems', async () => {
  expect((await loadManifest(join(folder, 'none.yaml'))).problems).toMatchObject([
    { code: 'unreadable', message: 'there is no such file', line: 1, column: 1 },
  ]);
  expect((await loadTurn(folder)).problems).toMatchObject([{ code: 'unreadable', message: 'it is a folder' }]);
  expect(codes(await loadManifest(await save('latin.yaml', Uint8Array.of(0x73, 0xe9, 0x3a))))).toEqual(['encoding']);
});

test('a missing module is an error for check, and a warning for run', async () => {
  const path = await save(
    'holdfast.yaml',
    'tools:\n  - { id: a, run: { module: ./a.mjs } }\n  - { id: b, run: { worker: { module: ./b.mjs } } }\n',
  );
  await save('a.mjs', 'export default () => 1;');
  const checked = await loadManifest(path, { purpose: 'check' });
  expect(checked.problems).toMatchObject([
    { code: 'missing_file', severity: 'error', line: 3, column: 39, path: 'tools[1].run.worker.module' },
  ]);
  expect(checked.manifest).toBeUndefined();
  const run = await loadManifest(path);
  expect(run.problems).toMatchObject([{ code: 'missing_file', severity: 'warning' }]);
  expect(run.manifest?.folder).toBe(folder);
  expect(run.manifest?.tools[0]?.run).toEqual({ module: join(folder, 'a.mjs') });
});

test('environment: values, defaults, escapes, and never in keys or numbers', () => {
  const text = 'seed: "${env:A}-${env:NONE:-b:-c}-$${env:A}-${env:EMPTY:-x}"\nredact: [A_KEY, "no[0-9]+"]\n' + tool;
  const { manifest } = parseManifest(text, { env: { A: '1', EMPTY: '' } });
  expect(manifest?.seed).toBe('1-b:-c-${env:A}-');
  expect(manifest?.redact).toEqual({ patterns: ['no[0-9]+'], environment: ['A_KEY'] });
  expect(codes(parseManifest('turn: { concurrency: "${env:N}" }\n' + tool, { env: { N: '4' } }))).toEqual(['wrong_type']);
});

test('absent settings have the defaults of the file', () => {
  expect(parseManifest(tool, { file: '/project/holdfast.yaml' }).manifest).toEqual({
    file: '/project/holdfast.yaml',
    folder: '/project',
    version: 1,
    profile: 'spec',
    defaults: {},
    turn: {},
    store: { path: '/project/.holdfast/trace.db', durability: 'normal', retentionDays: 30, maxBytes: 1_073_741_824 },
    capture: 'none',
    redact: { patterns: [], environment: [] },
    worker: { listen: { host: '127.0.0.1', port: 9080 }, register: true, identityKeys: [], drainMs: 10_000 },
    telemetry: {},
    sharedCircuits: 'off',
    mcpServers: {},
    openapi: {},
    gateway: {
      listen: { host: '127.0.0.1', port: 7340 },
      tokens: [],
      groups: {},
      endpoints: {},
      allowedHosts: [],
      allowedOrigins: [],
      limits: {
        bodyBytes: 4_194_304,
        headerTimeoutMs: 10_000,
        bodyTimeoutMs: 30_000,
        connections: 2000,
        sessions: 1000,
        sessionIdleMs: 1_800_000,
        subscriptions: 1000,
        inFlight: 1000,
      },
      names: { separator: '__', maxLength: 64 },
      results: { maxBytes: 1_000_000, keepMs: 900_000, keepBytes: 268_435_456 },
      heartbeatMs: 10_000,
      history: { retentionDays: 14 },
      inputTimeoutMs: 300_000,
      drainMs: 7_000,
      tools: 'all',
      pinnedTools: [],
      toolLock: 'block',
      lockFile: '/project/holdfast.lock.json',
      audit: false,
      log: 'json',
      reload: true,
      models: {},
    },
    alerts: {
      enabled: true,
      intervalMs: 15_000,
      rules: {},
      groupBy: [],
      groupWaitMs: 1_000,
      groupIntervalMs: 300_000,
      repeatIntervalMs: 14_400_000,
      receivers: [],
    },
    recoveryRules: [],
    tools: [{ name: 'a', run: { module: '/project/a.mjs' } }],
  });
});

test.each([
  ['openings of references', `seed: "${'${env:'.repeat(900)}"\n${tool}`],
  ['openings of templates', `tools: [{ id: a, run: { http: { url: "http://h/${'{{'.repeat(450)}" } } }]`],
  ['blanks after a number', `defaults: { timeout_ms: "1${' '.repeat(500_000)}!" }\n${tool}`],
  ['unknown keys', `tools:\n${'  - { id: a, run: {}, x: 1 }\n'.repeat(15_000)}`],
  [
    'unknown alternatives',
    `tools:\n${Array.from({ length: 6_000 }, (_, index) => `  - { id: t${index}, run: { module: m }, alternatives: [u${index}] }\n`).join('')}`,
  ],
  [
    'merges of merges',
    `defaults:\n  retry_policy: &m0 { max_attempts: 1 }\n${Array.from({ length: 20 }, (_, index) => `  x${index}: &m${index + 1} { <<: [*m${index}, *m${index}] }\n`).join('')}${tool}`,
  ],
])(
  'hostile: a file full of %s is reported in time',
  (_, text) => {
    const { problems } = parseManifest(text, { env: {} });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(1_000);
  },
  60_000,
);

test('a mistake in an anchored value is reported once', () => {
  const { problems } = parseManifest(
    'tools:\n  - { id: a, run: { module: m }, retry_policy: &r { max_attempts: 0 } }\n  - { id: b, run: { module: m }, retry_policy: *r }\n',
  );
  expect(problems.map(({ line, column }) => [line, column])).toEqual([[2, 67]]);
});

test('an unclosed reference is an error', () => {
  expect(codes(parseManifest('seed: "${env:A"\n' + tool, { env: { A: '1' } }))).toEqual(['bad_environment']);
});

test('many warnings never hide an error', () => {
  const lossy = Array.from({ length: 2_000 }, (_, index) => `9007199254740993${index}`).join(', ');
  const { manifest, problems } = parseManifest(
    `tools:\n  - { id: a, run: { module: m }, fallback: [${lossy}] }\n  - { id: b, run: { module: m }, timeout_ms: 0 }\n`,
  );
  expect(manifest).toBeUndefined();
  expect(problems.at(-1)).toMatchObject({ severity: 'error', line: 3 });
});
