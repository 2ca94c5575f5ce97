/** Following a turn at a gateway whose streams break off: taken up again with a pause, and ended by what the gateway says of the turn. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { turnEvents, turnReport } from '../../src/run/gateway-client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A gateway that answers as it is told; answers what it was asked. */
async function gatewayOf(events: Answer, state: () => object) {
  const asked: { readonly path: string; readonly after: string | undefined; readonly at: number }[] = [];
  server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push({ path, after: request.headers['last-event-id'] as string | undefined, at: performance.now() });
    if (path.endsWith('/events')) return events(request, response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(state()));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const streams = (): typeof asked => asked.filter(({ path }) => path.endsWith('/events'));
  return { gateway: { url: `http://127.0.0.1:${port}`, token: undefined }, streams };
}

const event = (seq: number): string => `${JSON.stringify({ event_type: 'CallStarted', seq })}\n`;
const end = (seq: number): string => `${JSON.stringify({ event_type: 'TurnCompleted', outcome: 'success', summary: '', seq })}\n`;

async function seqs(gateway: Parameters<typeof turnEvents>[0]): Promise<readonly number[]> {
  const told: number[] = [];
  for await (const { seq } of turnEvents(gateway, 't')) told.push(seq);
  return told;
}

test('a stream that ends without the end of its turn is taken up again behind its last event, after a pause', async () => {
  const answers = [`${event(1)}${event(2)}`, '', '', event(3), `${end(4)}${event(5)}`];
  const { gateway, streams } = await gatewayOf(
    (_request, response) => response.end(answers.shift()),
    () => ({ state: 'running' }),
  );
  expect(await seqs(gateway)).toEqual([1, 2, 3, 4]);
  expect(streams().map(({ after }) => after)).toEqual([undefined, '2', '2', '2', '3']);
  const pauses = streams().map(({ at }, index, all) => at - (all[index - 1]?.at ?? at));
  // Twice as long each time that nothing came, from the beginning again after something did.
  for (const [index, leastMs] of [0, 100, 200, 400, 100].entries())
    expect([index, (pauses[index] ?? 0) >= leastMs - 5]).toEqual([index, true]);
});

test('one that is cut in the middle of a line loses nothing', async () => {
  let times = 0;
  const { gateway, streams } = await gatewayOf(
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
  expect(await seqs(gateway)).toEqual([1, 2, 3]);
  expect(streams()).toHaveLength(2);
});

test('a turn that was interrupted ends, and has no report', async () => {
  const { gateway, streams } = await gatewayOf(
    (_request, response) => response.end(event(1)),
    () => ({ state: 'interrupted' }),
  );
  expect(await seqs(gateway)).toEqual([1]);
  expect(streams()).toHaveLength(1);
  expect(await turnReport(gateway, 't')).toBeUndefined();
});

test('a gateway that has gone is said to have gone', async () => {
  const { gateway } = await gatewayOf(
    (_request, response) => {
      response.write(event(1));
      server?.close();
      setTimeout(() => server?.closeAllConnections(), 20);
    },
    () => ({ state: 'running' }),
  );
  await expect(seqs(gateway)).rejects.toThrow(/there is no gateway at http/);
});
