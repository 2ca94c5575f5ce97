/** A loopback server for the handler: unchanged, and a second time for clients without OpenMetrics. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScrapeServer {
  readonly host: string;
  /** Content types and encodings of the answers so far, by path. */
  readonly answered: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export async function serveScrapes(handler: (request: Request) => Response): Promise<ScrapeServer> {
  const answered = new Map<string, string>();
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const path = incoming.url ?? '/';
    const headers = new Headers({ 'accept-encoding': incoming.headers['accept-encoding'] ?? '' });
    if (path === '/metrics') headers.set('accept', incoming.headers.accept ?? '');
    const response = handler(new Request(`http://localhost${path}`, { headers }));
    answered.set(path, `${response.headers.get('content-type') ?? ''} ${response.headers.get('content-encoding') ?? ''}`.trim());
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  };
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
