/** A server whose schemas and answers take long to process: the calls of others are answered meanwhile, and SIGTERM ends the gateway. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectHttp, type HttpClient } from '../fixtures/client/http-client.ts';
import { textOf, type JsonObject, type ToolAnswer } from '../fixtures/client/raw-client.ts';
import { startGatewayProcess, writeWords, type GatewayProcess } from '../fixtures/gateway.ts';
import { programServer } from '../fixtures/manifests.ts';
import { freezingProgram, hostileProgram } from '../fixtures/programs.ts';

/** Without limits, the neighbour waits from seconds to years. The machine may be busy. */
const waitsAtMostMs = 1_500;

const manifest = async (list?: string): Promise<string> =>
  await writeWords({
    mcp_servers: {
      good: programServer(hostileProgram),
      bad: { ...programServer(freezingProgram, list === undefined ? {} : { FREEZING_LIST: list }), prefix: 'bad' },
    },
    defaults: { timeout_ms: 5_000, retry_policy: { max_attempts: 1, strategy: 'constant_backoff', initial_delay_ms: 20 } },
    gateway: { reload: false, tool_lock: 'off' },
  });

let gateway: GatewayProcess | undefined;
let client: HttpClient;
let neighbour: HttpClient;
beforeAll(async () => {
  gateway = await startGatewayProcess(await manifest());
  [client, neighbour] = await Promise.all([connectHttp(gateway.url), connectHttp(gateway.url)]);
  for (let calls = 0; calls < 5; calls += 1) await neighbour.call('good__echo', { message: 'warm' });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
});

/** The longest time that a neighbour's call takes until the work has ended. */
async function longestWait(work: Promise<unknown>, other: HttpClient): Promise<number> {
  let longest = 0;
  let isDone = false;
  void work.finally(() => (isDone = true)).catch(() => undefined);
  for (let calls = 0; calls < 5 || !isDone; calls += 1) {
    const started = performance.now();
    expect(textOf(await other.call('good__echo', { message: 'here' }))).toBe('here');
    longest = Math.max(longest, performance.now() - started);
  }
  return longest;
}

const text = `${'a'.repeat(33)}!`;
const cases: readonly (readonly [string, JsonObject])[] = [
  ['output_pattern', {}],
  ['output_sentence', {}],
  ['output_look_ahead', {}],
  ['input_pattern', { v: text }],
  ['input_names', { [text]: 'v' }],
  ['input_unique', { v: Array.from({ length: 60_000 }, (_, n) => `id-${n}`) }],
  ['input_doubling', { v: 'hello' }],
  ['input_self', { v: 'hello' }],
  ['input_self_twice', { v: 'hello' }],
  ['input_branches', { v: Array.from({ length: 300 }, () => -1) }],
  ['output_unique', {}],
  ['output_nested', {}],
  ['output_enum', {}],
  ['output_format', {}],
  ['output_names', {}],
  ['output_many_patterns', {}],
  ['output_unevaluated', {}],
  ['output_many_parts', {}],
  ['output_wide', {}],
  ['result_wide', {}],
  ['error_wide', {}],
  ['rpc_error_wide', {}],
  ['output_levels', {}],
  ['output_long', {}],
  ['batch', {}],
  ['empty_lines', {}],
  ['junk_lines', {}],
  ['long_error', {}],
  ['long_rpc_error', {}],
  ['progress', {}],
  ['list_changed', {}],
];

test.each(cases)('%s', { timeout: 30_000 }, async (tool, values) => {
  const call = client.call(`bad__${tool}`, values, { limitMs: 20_000 }).catch((error: unknown) => error as Error);
  const waited = await longestWait(call, neighbour);
  await call;
  if (process.env['SHOW_WAITS']) process.stderr.write(`${tool} ${waited.toFixed(0)} ms\n`);
  expect(waited).toBeLessThan(waitsAtMostMs);
});

describe('what cannot be checked', () => {
  test.each([
    ['input_doubling', { v: 'hello' }],
    ['input_self', { v: 'hello' }],
    ['output_look_ahead', {}],
    ['input_branches', { v: Array.from({ length: 300 }, () => -1) }],
  ])('%s passes: it is not the mistake of the client', async (tool, values) => {
    expect((await client.call(`bad__${tool}`, values)) as ToolAnswer).not.toHaveProperty('isError', true);
  });

  test('a pattern that is run in linear time is checked all the same', async () => {
    const answer = await client.call('bad__input_pattern', { v: `${'a'.repeat(40)}b` });
    expect(textOf(answer)).toContain('/^(a+)+$/');
    const output = await client.call('bad__output_pattern');
    expect(textOf(output)).toContain('does not match its output schema');
  });
});

describe('what is not read', () => {
  test.each([
    ['output_wide', 'the answer has an object with more than 50000 names'],
    ['output_levels', 'the answer is nested more than 500 levels deep'],
  ])('%s', async (tool, words) => {
    const answer = (await client.call(`bad__${tool}`)) as ToolAnswer;
    expect(answer).toMatchObject({
      isError: true,
      _meta: { 'dev.holdfast/error': { code: 'INVALID_RESPONSE', classification: 'permanent' } },
    });
    expect(textOf(answer)).toContain(words);
  });

  test('the data of a protocol error that is too large', async () => {
    const error = await client.call('bad__rpc_error_wide').catch((thrown: unknown) => thrown as Error);
    expect((error as Error).message).toContain('… [truncated, 1100000 characters] [The data of the error');
  });
});

test.each(['many', 'large', 'deep'])('a list of tools that is %s', { timeout: 60_000 }, async (list) => {
  await using other = await startGatewayProcess(await manifest(list));
  const connected = await connectHttp(other.url);
  const longest = await longestWait(
    expect.poll(async () => JSON.stringify(await connected.request('tools/list')), { timeout: 15_000 }).toContain('bad__'),
    await connectHttp(other.url),
  );
  if (process.env['SHOW_WAITS']) process.stderr.write(`list ${list} ${longest.toFixed(0)} ms\n`);
  expect(longest).toBeLessThan(4 * waitsAtMostMs);
});
