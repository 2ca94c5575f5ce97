/** Single calls: results, mistakes, keys, clients that disconnect. */
import { defineTool } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import type { Announce } from '../../src/operation/announcement.ts';
import { createKit, until } from './kit.ts';

test('any result is answered with 200', async () => {
  const kit = createKit();
  const good = await kit.post('/v1/calls', { tool_id: 'echo', arguments: { x: [1, null, 'ä'] }, call_id: 'mine' });
  expect(good).toMatchObject({
    status: 200,
    body: { call_id: 'mine', tool_id: 'echo', status: 'success', output: { x: [1, null, 'ä'] }, served_by: 'echo' },
  });
  const bad = await kit.post('/v1/calls', { tool_id: 'fail' });
  expect(bad).toMatchObject({
    status: 200,
    body: { status: 'error', attempts: 2, error: { code: 'NETWORK_ERROR', user_message: expect.any(String) } },
  });
  expect(bad.text).not.toMatch(/"cause"|stack|\.ts:\d/);
  const unknown = await kit.post('/v1/calls', { tool_id: 'ecko' });
  expect(unknown).toMatchObject({ status: 200, body: { status: 'error', attempts: 0, error: { code: 'UNKNOWN_TOOL' } } });
  expect(unknown.text).toContain('echo');
});

test('invalid arguments are a result too', async () => {
  const strict = defineTool({ name: 'strict', input: { type: 'object', required: ['city'] }, run: async () => 1 });
  const kit = createKit({ tools: [strict] });
  for (const args of [undefined, {}, 5, null, []]) {
    const { status, body } = await kit.post('/v1/calls', { tool_id: 'strict', ...(args === undefined ? {} : { arguments: args }) });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'error', error: { classification: 'permanent' } });
  }
});

test('a call without an id gets a generated one, under which the trace is found', async () => {
  const kit = createKit();
  const first = await kit.post('/v1/calls', { tool_id: 'echo' });
  const second = await kit.post('/v1/calls', { tool_id: 'echo' });
  expect(first.body['call_id']).toMatch(/^call-[0-9a-f-]{36}$/);
  expect(second.body['call_id']).not.toBe(first.body['call_id']);
  const { body } = await kit.get('/v1/turns');
  const detail = await kit.get(`/v1/turns/${body['turns'][0].turn_id}`);
  expect(detail.body['events'][0]).toMatchObject({ call_id: second.body['call_id'] });
  expect(detail.body['report']).toMatchObject({ from_trace: true, results: [{ call_id: second.body['call_id'], status: 'success' }] });
});

test('policy and time limit of the call apply', async () => {
  const kit = createKit();
  const once = await kit.post('/v1/calls', { tool_id: 'fail', policy: { retry_policy: { max_attempts: 1 } } });
  expect(once.body).toMatchObject({ attempts: 1 });
  const late = await kit.post('/v1/calls', { tool_id: 'wait', timeout_ms: 20 });
  expect(late.body).toMatchObject({ status: 'timeout' });
  const attempt = await kit.post('/v1/calls', { tool_id: 'wait', policy: { timeout_ms: 20, retry_policy: { max_attempts: 1 } } });
  expect(attempt.body).toMatchObject({ status: 'timeout', attempts: 1 });
});

describe('a mistake', () => {
  test.each([
    [{}, 'MISSING', 'tool_id', undefined],
    [{ tool_id: 5 }, 'WRONG_TYPE', 'tool_id', undefined],
    [{ tool_id: '' }, 'OUT_OF_RANGE', 'tool_id', undefined],
    [{ tool_id: 'echo', args: {} }, 'UNKNOWN_KEY', 'args', 'arguments'],
    [{ tool_id: 'echo', id: 'one' }, 'UNKNOWN_KEY', 'id', 'call_id'],
    [{ tool_id: 'echo', timeout_ms: -1 }, 'OUT_OF_RANGE', 'timeout_ms', undefined],
    [{ tool_id: 'echo', timeout_ms: '5' }, 'WRONG_TYPE', 'timeout_ms', undefined],
    [{ tool_id: 'echo', call_id: '' }, 'OUT_OF_RANGE', 'call_id', undefined],
    [{ tool_id: 'echo', policy: 1 }, 'WRONG_TYPE', 'policy', undefined],
    [{ tool_id: 'echo', policy: { timeout: 1 } }, 'UNKNOWN_KEY', 'policy.timeout', 'timeout_ms'],
    [{ tool_id: 'echo', policy: { retry_policy: { max_attempts: 0 } } }, 'OUT_OF_RANGE', 'policy.retry_policy.max_attempts', undefined],
    [[], 'WRONG_TYPE', undefined, undefined],
    ['"text"', 'WRONG_TYPE', undefined, undefined],
  ])('%j is %s', async (body, code, field, suggestion) => {
    const answer = await createKit().post('/v1/calls', body);
    expect(answer.status).toBe(422);
    expect(answer.body['error']).toMatchObject({
      code,
      ...(field === undefined ? {} : { field }),
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  });

  test('in thousands of keys is reported for some of them', async () => {
    const body = Object.fromEntries(Array.from({ length: 49_000 }, (_, index) => [`key${index}`, 1]));
    const answer = await createKit().post('/v1/calls', { tool_id: 'echo', ...body });
    expect(answer.status).toBe(422);
    expect(answer.body['error'].problems).toHaveLength(20);
    expect(await createKit().post('/v1/calls', { tool_id: 'echo', policy: { fallback: Object.keys(body) } })).toMatchObject({
      status: 413,
    });
  });

  test('in the JSON is reported with its position', async () => {
    const { status, body } = await createKit().post('/v1/calls', '{\n  "tool": "echo');
    expect(status).toBe(400);
    expect(body['error']).toMatchObject({ code: 'SYNTAX', line: 2, column: 16 });
  });

  test('a large body has the same rules as a small one, and at most 50,000 names in an object', async () => {
    const kit = createKit();
    const long = 'x'.repeat(200_000);
    const post = (args: string) => kit.post('/v1/calls', `{"tool_id":"echo","arguments":${args}}`);
    expect(await post(`{"long":"${long}"}`)).toMatchObject({ status: 200, body: { output: { long } } });
    expect(await post(`{"a":1,"a":2,"long":"${long}"}`)).toMatchObject({ status: 400, body: { error: { code: 'SYNTAX' } } });
    expect(await post(`{"long":"${long}"`)).toMatchObject({ status: 400, body: { error: { message: 'The body is not JSON' } } });
    const wide = Array.from({ length: 50_001 }, (_, index) => `"k${index}":1`).join(',');
    expect(await post(`{${wide}}`)).toMatchObject({
      status: 413,
      body: { error: { code: 'BODY_TOO_LARGE', message: 'The body has an object with more than 50000 names' } },
    });
  });

  test('a name twice in one object is refused: only the last value would be read', async () => {
    const answer = await createKit().post('/v1/calls', '{"tool_id":"echo","arguments":{"path":"/tmp/a","path":"/"}}');
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'SYNTAX', message: 'The body has a name twice in one object' } } });
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'key-1' };

  test('runs a call once, during the call and afterwards, and the tool gets the key', async () => {
    const kit = createKit();
    const first = kit.post('/v1/calls', { tool_id: 'wait' }, { headers });
    const second = kit.post('/v1/calls', { tool_id: 'wait' }, { headers });
    await until(() => kit.calls.length > 0);
    kit.waiting.open();
    const answers = [await first, await second, await kit.post('/v1/calls', { tool_id: 'wait' }, { headers })];
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(kit.calls).toMatchObject([{ key: 'key-1' }]);
  });

  test('with another call is refused; the same key of another principal is independent', async () => {
    const kit = createKit();
    await kit.post('/v1/calls', { tool_id: 'echo' }, { headers, principal: 'ann' });
    const other = await kit.post('/v1/calls', { tool_id: 'echo', arguments: { x: 1 } }, { headers, principal: 'ann' });
    expect(other).toMatchObject({ status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } });
    expect((await kit.post('/v1/calls', { tool_id: 'echo', arguments: { x: 1 } }, { headers, principal: 'bob' })).status).toBe(200);
  });

  test('in the body is only passed to the tool', async () => {
    const kit = createKit();
    const body = { tool_id: 'echo', idempotency_key: 'of the tool' };
    await kit.post('/v1/calls', body, { headers });
    await kit.post('/v1/calls', body);
    expect(kit.calls.map(({ key }) => key)).toEqual(['of the tool', 'of the tool']);
  });

  test('is forgotten after its time', async () => {
    const kit = createKit({ limits: { keptAnswerMs: 1 } });
    await kit.post('/v1/calls', { tool_id: 'echo' }, { headers });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await kit.post('/v1/calls', { tool_id: 'echo' }, { headers });
    expect(kit.calls).toHaveLength(2);
  });

  test('too long is refused', async () => {
    const answer = await createKit().post('/v1/calls', { tool_id: 'echo' }, { headers: { 'idempotency-key': 'x'.repeat(256) } });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'OUT_OF_RANGE', field: 'idempotency-key' } } });
  });
});

test('a call is cancelled when its client disconnects, unless it has a key', async () => {
  const kit = createKit();
  const [bare, keyed] = [new AbortController(), new AbortController()];
  const cancelled = kit.post('/v1/calls', { tool_id: 'wait' }, { signal: bare.signal });
  const kept = kit.post('/v1/calls', { tool_id: 'wait' }, { signal: keyed.signal, headers: { 'idempotency-key': 'k' } });
  await until(() => kit.calls.length === 2);
  bare.abort();
  keyed.abort();
  expect((await cancelled).body).toMatchObject({ status: 'error', error: { code: 'CANCELLED' } });
  kit.waiting.open();
  expect((await kept).body).toMatchObject({ status: 'success' });
});

test('calls and turns are announced before they run', async () => {
  const reported: Parameters<Announce>[0][] = [];
  const kit = createKit({ announce: (call) => void reported.push(call) });
  const { body } = await kit.post('/v1/calls', { tool_id: 'echo', arguments: { x: 1 } }, { principal: 'ann' });
  await kit.post('/v1/turns', { turn_id: 'one', calls: [{ call_id: 'a', tool_id: 'echo' }] }, { principal: 'bob' });
  expect(reported).toEqual([
    { callId: body['call_id'], toolName: 'echo', server: undefined, principal: 'ann', arguments: { x: 1 } },
    { turnId: 'one', principal: 'bob' },
  ]);
});

test('outputs beyond the limit of an answer are left out and marked', async () => {
  const kit = createKit({ limits: { answerChars: 1_000 } });
  expect((await kit.post('/v1/calls', { tool_id: 'large', arguments: { chars: 500 } })).body['output']).toHaveLength(500);
  const cut = await kit.post('/v1/calls', { tool_id: 'large', arguments: { chars: 5_000 } });
  expect(cut.body).toMatchObject({ status: 'success', altered: 'truncated' });
  expect(cut.body).not.toHaveProperty('output');
  const calls = [1, 2, 3].map((index) => ({ call_id: `c${index}`, tool_id: 'large', arguments: { chars: 400 } }));
  const turn = await kit.post('/v1/turns', { calls });
  expect(turn.body['results'].map(({ output }: { output?: string }) => output?.length)).toEqual([400, undefined, undefined]);
});
