import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Proxy {
  readonly port: number;
  /** From the next commit on, the server's answers do not arrive and the connection breaks: the client cannot know whether it was committed. */
  loseCommits(times: number): void;
  readonly lost: () => number;
}

/** Between a client and the server at `port`. */
export async function startProxy(port: number): Promise<Proxy> {
  let toLose = 0;
  let lost = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let deaf = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => {
      if (toLose > 0 && data.includes('COMMIT')) {
        toLose -= 1;
        lost += 1;
        deaf = true;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      // It was committed: the answer is here, and goes no further.
      if (deaf) client.destroy();
      else client.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    loseCommits: (times) => (toLose = times),
    lost: () => lost,
  };
}
