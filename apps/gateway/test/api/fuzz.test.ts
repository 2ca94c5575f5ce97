/** Any request is answered in the documented shape, and never with 500. */
import {
  anything,
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  dictionary,
  json,
  jsonValue,
  oneof,
  record,
  string,
  uint8Array,
} from 'fast-check';
import { expect, test } from 'vitest';
import { createKit } from './kit.ts';

const kit = createKit({ limits: { bodyBytes: 20_000 }, history: {} });

const types = ['application/json', 'application/yaml', 'text/plain', 'application/json; charset=utf-16', '', 'x'];

const texts = oneof(
  json(),
  string({ unit: 'binary', maxLength: 200 }),
  array(
    constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      'calls',
      'call_id',
      'tool_id',
      'echo',
      'arguments',
      '$from',
      '&a',
      '*a',
      '- ',
      '\n',
      ' ',
      '1',
      'null',
      '__proto__',
      '<<',
    ),
    { maxLength: 40 },
  ).map((parts) => parts.join('')),
);

/** Almost valid plans. */
const names = constantFrom('echo', 'ecko', 'fail', '', '__proto__', 'constructor');
const ids = constantFrom('a', 'b', 'c', '', '__proto__', 'toString');
const some = oneof(jsonValue(), names, ids, constant(Number.MAX_SAFE_INTEGER), constant(-1));
const call = record(
  {
    call_id: oneof(ids, some),
    tool_id: oneof(names, some),
    arguments: oneof(record({ $from: ids, path: string() }, { requiredKeys: [] }), some),
    depends_on: oneof(array(ids), some),
    defaults: oneof(dictionary(ids, some), some),
    optional: some,
    policy: oneof(
      record(
        { timeout_ms: some, retry_policy: record({ max_attempts: some }, { requiredKeys: [] }), fallback: some },
        { requiredKeys: [] },
      ),
      some,
    ),
  },
  { requiredKeys: [] },
);
const plans = record(
  { turn_id: oneof(ids, some), calls: oneof(array(call, { maxLength: 5 }), some), timeout_ms: oneof(constant(200), some) },
  { requiredKeys: [] },
);
const calls = record(
  {
    tool_id: oneof(names, some),
    arguments: some,
    call_id: some,
    idempotency_key: some,
    policy: call.map(({ policy }) => policy),
    timeout_ms: oneof(constant(50), some),
  },
  { requiredKeys: [] },
);
const settings = record(
  {
    timeout_ms: oneof(constantFrom(1, 0, -1, 1e9), some),
    retry_policy: oneof(record({ max_attempts: oneof(constantFrom(1, 3, 1e9), some), initial_delay_ms: constantFrom(0, 1) }), some),
    circuit_breaker: oneof(constantFrom(false), some),
    alternatives: oneof(constantFrom(['echo'], ['fail'], ['none']), some),
  },
  { requiredKeys: [] },
);
const whatIfs = record(
  { policy: settings, tools: dictionary(constantFrom('fail', 'echo', '__proto__'), settings), turn: some },
  { requiredKeys: [] },
);
const circuits = record({ command: oneof(constantFrom('open', 'close', 'auto', 'reset', 'opened'), some) }, { requiredKeys: [] });

const paths = constantFrom('/v1/turns', '/v1/turns?wait=false', '/v1/calls', '/v1/tools/echo/circuit');

// The kit fails for undocumented answers, including a 500.
test('any bytes, as any type', async () => {
  const property = asyncProperty(paths, oneof(texts, uint8Array({ maxLength: 300 })), constantFrom(...types), async (path, body, type) => {
    const { status } = await kit.post(path, body, { headers: { 'content-type': type }, principal: 'operator' });
    expect(status).toBeLessThan(500);
  });
  await assert(property, { numRuns: 300 });
}, 60_000);

test('almost valid plans, calls and commands', async () => {
  const bodies = oneof(plans, calls, circuits, anything());
  const property = asyncProperty(paths, bodies, async (path, body) => {
    let text: string | undefined;
    try {
      text = JSON.stringify(body, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    } catch {
      text = '{}';
    }
    const { status } = await kit.post(path, text ?? '', { principal: 'operator' });
    expect(status).toBeLessThan(500);
  });
  await assert(property, { numRuns: 400 });
}, 120_000);

test('almost valid settings of a what-if', async () => {
  await kit.post('/v1/turns', {
    turn_id: 'one',
    calls: [
      { call_id: 'a', tool_id: 'fail' },
      { call_id: 'b', tool_id: 'echo' },
    ],
  });
  const answerTo = async (body: Parameters<typeof kit.post>[1]): Promise<number> => (await kit.post('/v1/turns/one/what-if', body)).status;
  expect(await answerTo({ policy: { timeout_ms: 500 } })).toBe(200);
  expect(await answerTo({ policy: { timeout_ms: 'soon' } })).toBe(422);
  const property = asyncProperty(whatIfs, async (body) => {
    expect([200, 422]).toContain(await answerTo(body));
  });
  await assert(property, { numRuns: 100 });
}, 60_000);

test('any query and header', async () => {
  const value = oneof(
    string(),
    constantFrom('0', '1', '-1', '1e3', '99999999999999999999', 'true', 'success', '2026-01-01', '2026-99-99', '٣'),
  );
  const keys = oneof(constantFrom('limit', 'cursor', 'since', 'before', 'outcome', 'state', 'run', 'after', 'wait'), string());
  const property = asyncProperty(
    constantFrom(
      '/v1/turns',
      '/v1/turns/one',
      '/v1/turns/one/events',
      '/v1/turns/one/export',
      '/v1/session',
      '/v1/tools',
      '/v1/tools/echo',
      '/v1/upstreams',
      '/readyz',
      '/openapi.json',
    ),
    dictionary(keys, value, { maxKeys: 3 }),
    string().filter((text) => /^[\u0020-\u007e]*$/.test(text)),
    async (path, query, header) => {
      const answer = await kit.get(`${path}?${new URLSearchParams(query).toString()}`, {
        headers: { 'last-event-id': header, accept: header },
      });
      expect(answer.status).toBeLessThan(500);
    },
  );
  await assert(property, { numRuns: 300 });
}, 60_000);

test('any path and method', async () => {
  const known = ['v1', 'turns', 'tools', 'calls', 'events', 'circuit', 'cancel', 'one', 'echo', '..', '%2F', '%', '%00', '%ff', ''];
  const step = oneof({ weight: 4, arbitrary: constantFrom(...known) }, string().map(encodeURIComponent));
  const property = asyncProperty(
    constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
    array(step, { maxLength: 5 }),
    async (method, steps) => {
      const { status } = await kit.send(method, `/${steps.join('/')}`, method === 'POST' ? { body: {} } : {});
      expect(status).toBeLessThan(500);
    },
  );
  await assert(property, { numRuns: 400 });
}, 60_000);

test('Object.prototype is not polluted', () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>)['calls']).toBeUndefined();
});
