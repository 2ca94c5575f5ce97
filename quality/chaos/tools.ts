/** Owns the services behind the tools. They are never killed, so they know what really happened: how often each call arrived, and under which idempotency keys. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** By call (`turn-1 c3`): how often each idempotency key arrived. */
export type Requests = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** What the calls of a plan send. */
export interface Arguments {
  readonly turn: string;
  readonly call: string;
  readonly wait_ms: number;
}

export interface Tools {
  readonly url: string;
  readonly requests: Requests;
  stop(): Promise<void>;
}

/** `POST /look`, `/save` and `/pay` answer after the wait that their body asks for. */
export async function startTools(): Promise<Tools> {
  const requests = new Map<string, Map<string, number>>();
  const server: Server = createServer((request, response) => {
    const key = String(request.headers['idempotency-key']);
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { turn, call, wait_ms: waitMs } = JSON.parse(body) as Arguments;
      const name = `${turn} ${call}`;
      const keys = requests.get(name) ?? new Map<string, number>();
      requests.set(name, keys.set(key, (keys.get(key) ?? 0) + 1));
      const answer = JSON.stringify({ done: name });
      setTimeout(() => response.setHeader('content-type', 'application/json').end(answer), waitMs);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
