/**
 * Owns one port for two protocols: the engine uses HTTP/2 without TLS, health checks use HTTP/1.
 *
 * Invariants
 * 1. A connection that sends nothing is ended.
 * 2. After `close` no socket is left.
 */
import type { RequestListener, Server } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';

export interface TwoProtocolsOptions {
  readonly host: string;
  readonly port: number;
  /** Handles HTTP/2 requests, such as those of the engine. */
  readonly http2: (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  readonly http1: RequestListener;
  /** A connection that sends nothing for this long is ended. @default 10000 */
  readonly silentMs?: number | undefined;
}

export interface TwoProtocols {
  readonly url: string;
  /** Accepts no new connections. */
  stop(): void;
  /** Waits for open connections within the limit, then ends them. */
  close(limitMs: number): Promise<void>;
}

/** An import of `node:http` would also load Node's fetch: 14 MB that are not needed here. */
const { createServer: createHttpServer } = process.getBuiltinModule('node:http');

/** The start of every HTTP/2 connection. */
const preface = 'PRI ';

export async function listenForBoth({ host, port, http2, http1, silentMs = 10_000 }: TwoProtocolsOptions): Promise<TwoProtocols> {
  const modern = createHttp2Server(http2);
  const plain: Server = createHttpServer(http1);
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // An error ends only its own connection.
    socket.on('error', () => socket.destroy());
    socket.setTimeout(silentMs, () => socket.destroy());
    socket.once('readable', () => {
      const begin = socket.read() as Buffer | null;
      if (begin === null) return;
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      socket.unshift(begin);
      (begin.toString('latin1', 0, preface.length) === preface ? modern : plain).emit('connection', socket);
    });
  });
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, bare, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const taken = (server.address() as AddressInfo).port;
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const stop = (): void => {
    if (server.listening) server.close();
  };
  return {
    url: `http://${bare.includes(':') ? `[${bare}]` : bare}:${taken}`,
    stop,
    async close(limitMs) {
      stop();
      plain.closeIdleConnections();
      const forceClose = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, limitMs);
      await closed;
      clearTimeout(forceClose);
    },
  };
}
