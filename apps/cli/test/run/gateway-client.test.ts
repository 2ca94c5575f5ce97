/** Follows a turn on a gateway whose streams break: reconnects with a delay, and ends when the turn has ended. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { controlCircuit, gatewayAddress, turnEvents, turnReport } from '../../src/run/gateway-client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A gateway with the given responses, which records its requests. */
async function startGateway(events: Answer, state: () => object) {
  const requests: { readonly path: string; readonly after: string | undefined; readonly at: number }[] = [];
  server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, after: request.headers['last-event-id'] as string | undefined, at: performance.now() });
    if (path.endsWith('/events')) return events(request, response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(state()));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const streams = (): typeof requests => requests.filter(({ path }) => path.endsWith('/events'));
  return { gateway: { url: `http://127.0.0.1:${port}`, token: undefined }, streams };
}

const event = (seq: number): string => `${JSON.stringify({ event_type: 'CallStarted', seq })}\n`;
const end = (seq: number): string => `${JSON.stringify({ event_type: 'TurnCompleted', outcome: 'success', summary: '', seq })}\n`;

async function readSeqs(gateway: Parameters<typeof turnEvents>[0]): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const { seq } of turnEvents(gateway, 't')) seqs.push(seq);
  return seqs;
}

test('reconnects a stream that ends before its turn, after its last event, with a delay', async () => {
  const answers = [`${event(1)}${event(2)}`, '', '', event(3), `${end(4)}${event(5)}`];
  const { gateway, streams } = await startGateway(
    (_request, response) => response.end(answers.shift()),
    () => ({ state: 'running' }),
  );
  expect(await readSeqs(gateway)).toEqual([1, 2, 3, 4]);
  expect(streams().map(({ after }) => after)).toEqual([undefined, '2', '2', '2', '3']);
  const pauses = streams().map(({ at }, index, all) => at - (all[index - 1]?.at ?? at));
  // The delay doubles without events, and resets after an event.
  for (const [index, minMs] of [0, 100, 200, 400, 100].entries()) expect([index, (pauses[index] ?? 0) >= minMs - 5]).toEqual([index, true]);
});

test('a stream that breaks in the middle of a line loses no events', async () => {
  let times = 0;
  const { gateway, streams } = await startGateway(
    (_request, response) => {
      times += 1;
      if (times > 1) response.end(`${event(2)}${end(3)}`);
      else {
        response.write(`${event(1)}{"event_type":"Call`);
        setTimeout(() => response.destroy(), 20);
      }
    },
    () => ({ state: 'running' }),
  );
  expect(await readSeqs(gateway)).toEqual([1, 2, 3]);
  expect(streams()).toHaveLength(2);
});

test('an interrupted turn ends the stream and has no report', async () => {
  const { gateway, streams } = await startGateway(
    (_request, response) => response.end(event(1)),
    () => ({ state: 'interrupted' }),
  );
  expect(await readSeqs(gateway)).toEqual([1]);
  expect(streams()).toHaveLength(1);
  expect(await turnReport(gateway, 't')).toBeUndefined();
});

test('reports a gateway that has gone away', async () => {
  const { gateway } = await startGateway(
    (_request, response) => {
      response.write(event(1));
      server?.close();
      setTimeout(() => server?.closeAllConnections(), 20);
    },
    () => ({ state: 'running' }),
  );
  await expect(readSeqs(gateway)).rejects.toThrow(/there is no gateway at http/);
});

test.each([
  ['', "'' is not a URL"],
  ['localhost:7340', 'is not a URL'],
])('an address %j of a gateway is rejected', (url, message) => {
  expect(() => gatewayAddress(url, undefined)).toThrow(message);
});

test('a token comes from the environment, or the variable is named', () => {
  vi.stubEnv('SOME_TOKEN', 'secret');
  expect(gatewayAddress('http://h:1', 'SOME_TOKEN')).toEqual({ url: 'http://h:1', token: 'secret' });
  vi.stubEnv('SOME_TOKEN', '');
  expect(() => gatewayAddress('http://h:1', 'SOME_TOKEN')).toThrow('SOME_TOKEN is not set');
  vi.unstubAllEnvs();
});

test('a rejected command names the likely one', async () => {
  const error = { hint: 'A client has a circuit once it has called the tool.', suggestion: 'alice' };
  server = createServer((_request, response) => {
    response.writeHead(404).end(JSON.stringify({ detail: "No circuit of x belongs to a client 'alcie'", error }));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(controlCircuit({ url, token: undefined }, 'x', { command: 'reset', client: 'alcie' })).rejects.toThrow(
    "belongs to a client 'alcie'. Did you mean alice? A client has a circuit once",
  );
});
