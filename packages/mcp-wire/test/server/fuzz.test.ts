/** Almost valid messages: each is answered as the protocol requires, and nothing breaks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordingHandler } from './support/handler.ts';
import { performHandshake, modernMeta, startHttp } from './support/http-server.ts';
import { talk } from './support/stdio-client.ts';

const methods = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
  'server/discover',
  'subscriptions/listen',
  'notifications/cancelled',
  'notifications/initialized',
  '__proto__',
  '',
];
const anything = fc.jsonValue({ maxDepth: 3 });
const meta = fc.oneof(
  fc.constant(modernMeta),
  fc.constant({ ...modernMeta, progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' }),
  fc.record({
    'io.modelcontextprotocol/protocolVersion': anything,
    'io.modelcontextprotocol/clientCapabilities': anything,
    progressToken: anything,
  }),
  anything,
);
const params = fc.oneof(
  anything,
  fc.record(
    {
      name: fc.oneof(fc.constantFrom('echo', 'progress', 'log', 'refuse', 'cyclic'), anything),
      arguments: anything,
      uri: fc.oneof(fc.constantFrom('test://a', 'secret:b'), anything),
      level: fc.oneof(fc.constantFrom('debug', 'error'), anything),
      requestId: fc.oneof(fc.nat(20), anything),
      notifications: fc.oneof(fc.record({ toolsListChanged: anything, resourceSubscriptions: anything }), anything),
      protocolVersion: anything,
      capabilities: anything,
      clientInfo: anything,
      _meta: meta,
    },
    { requiredKeys: [] },
  ),
);
const message = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      { jsonrpc: fc.constant('2.0'), id: fc.nat(20), method: fc.constantFrom(...methods), params },
      { requiredKeys: ['jsonrpc', 'method'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      { jsonrpc: anything, id: anything, method: anything, params: anything, result: anything, error: anything },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: anything },
);

test('over stdio every line is either an answer or a notification, and the connection stays usable', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 30 }),
      fc.constantFrom(undefined, '2025-11-25', '2025-03-26'),
      async (sent, version) => {
        const { say, answerTo, performHandshake: greetStdio, messages, faults, transport } = talk(recordingHandler());
        if (version !== undefined) await greetStdio(version);
        for (const one of sent) say(`${JSON.stringify(one)}\n`);
        say({ jsonrpc: '2.0', id: 'last', method: 'tools/list', params: { _meta: modernMeta } });
        expect(await answerTo('last')).toHaveProperty('result');
        await transport.close(1000);
        for (const message of messages.flat()) {
          expect(message).toMatchObject({ jsonrpc: '2.0' });
          expect(Number('result' in message) + Number('error' in message) + Number('method' in message)).toBe(1);
        }
        expect(faults).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
}, 60_000);

test('over HTTP no body causes a server error', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { sessions: 10_000 });
  const session = await performHandshake(server);
  const headers = fc.oneof(
    fc.constant(session.headers),
    fc.constant({}),
    fc.record(
      {
        'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-11-25', '1.0', ''),
        'mcp-method': fc.constantFrom(...methods, 'x'),
        'mcp-name': fc.constantFrom('echo', '=?base64?!?=', ''),
      },
      { requiredKeys: [] },
    ),
  );
  await fc.assert(
    fc.asyncProperty(message, headers, async (body, sent) => {
      const stream = await server.open({ headers: sent, body: JSON.stringify(body) });
      if (stream.headers['content-type'] === 'text/event-stream') {
        await stream.until(1);
        stream.abort();
      }
      await stream.ended;
      expect([200, 202, 400, 404]).toContain(stream.status);
    }),
    { numRuns: 400 },
  );
  expect(server.faults).toEqual([]);
  expect(Object.keys(Object.prototype)).toEqual([]);
}, 60_000);
