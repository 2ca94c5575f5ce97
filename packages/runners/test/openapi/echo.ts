import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface EchoServer {
  readonly url: string;
  /** What was received, in order. */
  readonly seen: Echo[];
  /** The response; by default what was received. */
  answer: (echo: Echo) => {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Buffer;
  };
  close(): Promise<void>;
}

/** A real server that answers with what it received. */
export async function startEcho(): Promise<EchoServer> {
  const seen: Echo[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const echo = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      seen.push(echo);
      const { status = 200, headers = { 'content-type': 'application/json' }, body = JSON.stringify(echo) } = echoServer.answer(echo);
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const echoServer: EchoServer = {
    url: `http://127.0.0.1:${port}`,
    seen,
    answer: () => ({}),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return echoServer;
}
