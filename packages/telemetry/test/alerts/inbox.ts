/** A receiver on loopback that accepts only what the real one would accept, and stores it. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Letter {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Inbox extends AsyncDisposable {
  readonly url: string;
  readonly letters: Letter[];
  /** The first matching request, received or future. */
  waitFor(fits: (letter: Letter) => boolean): Promise<Letter>;
}

export async function openInbox(answer: (letter: Letter) => Reply): Promise<Inbox> {
  const letters: Letter[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const letter = { path: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(chunks).toString() };
      const { status, headers = {}, body = '' } = incoming.method === 'POST' ? answer(letter) : { status: 405 };
      letters.push(letter);
      outgoing.writeHead(status, headers).end(body);
      for (const look of waiting) look();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    letters,
    waitFor: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = letters.find(fits);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
