/**
 * Owns one port for two protocols: the engine speaks HTTP/2 without TLS, anyone who looks at a worker's health speaks HTTP/1.
 *
 * Invariants
 * 1. A connection that says nothing is ended.
 * 2. After `close` no socket is left.
 */
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';

export interface TwoProtocolsOptions {
  readonly host: string;
  readonly port: number;
  /** Of the engine, and anyone who else speaks HTTP/2. */
  readonly http2: (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  readonly http1: Parameters<typeof createHttpServer>[1];
  /** A connection that has said nothing by then is ended. @default 10000 */
  readonly silentMs?: number | undefined;
}

export interface TwoProtocols {
  readonly url: string;
  /** Takes no new connections. */
  stop(): void;
  /** Those there are end within the limit. */
  close(limitMs: number): Promise<void>;
}

/** How every HTTP/2 connection begins. */
const preface = 'PRI ';

export async function listenForBoth({ host, port, http2, http1, silentMs = 10_000 }: TwoProtocolsOptions): Promise<TwoProtocols> {
  const modern = createHttp2Server(http2);
  const plain: Server = createHttpServer(http1);
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // What goes wrong with a connection ends that connection.
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
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, limitMs);
      await closed;
      clearTimeout(late);
    },
  };
}
