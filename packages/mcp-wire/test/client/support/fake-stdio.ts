/** A server over streams in this process; each test writes its messages. */
import { PassThrough } from 'node:stream';
import { type ConnectOptions, type JsonObject, type McpConnection, stdioLink } from '../../../src/client/index.ts';
import { connected, ending } from './connections.ts';

export interface ReceivedMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

export interface Fake {
  readonly to: McpConnection;
  readonly received: ReceivedMessage[];
  readonly write: (text: string | Buffer) => void;
  readonly say: (...messages: object[]) => void;
  readonly end: () => void;
  readonly stray: () => string | undefined;
  /** The id of the last request. */
  readonly lastId: () => number;
}

export const handshakes: Readonly<Record<string, JsonObject>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'fake' } },
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: {} },
};

/** Answers handshakes; each test handles everything else. */
export async function fake(options: Partial<ConnectOptions> = {}, answerHandshake = true): Promise<Fake> {
  const input = new PassThrough();
  const output = new PassThrough();
  const received: ReceivedMessage[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const say: Fake['say'] = (...messages) => {
    output.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  };
  let rest = '';
  input.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString('utf8')}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as ReceivedMessage;
      received.push(message);
      const handshake = answerHandshake ? handshakes[message.method ?? ''] : undefined;
      if (handshake !== undefined) say({ id: message.id, result: handshake });
    }
  });
  const close = async (): Promise<void> => end();
  ending(close);
  const link = stdioLink({ input, output, ended, close, maxMessageBytes: 10_000 });
  const to = await connected(link, { eras: ['legacy'], ...options });
  const lastId = (): number => received.findLast(({ id, method }) => id !== undefined && method !== undefined)?.id ?? -1;
  return { to, received, say, end, lastId, stray: () => link.stray?.(), write: (text) => void output.write(text) };
}

export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Handshakes are answered by the function, other requests are not answered. */
export async function greetedBy(
  answer: (message: ReceivedMessage) => object | undefined,
  timeoutMs = 5000,
  eras: ConnectOptions['eras'] = ['legacy', 'modern'],
): Promise<Pick<Fake, 'to' | 'received' | 'say'>> {
  const [input, output, received] = [new PassThrough(), new PassThrough(), [] as ReceivedMessage[]];
  const say = (message: object): void => void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  input.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString('utf8').trim().split('\n')) {
      const message = JSON.parse(line) as ReceivedMessage;
      received.push(message);
      const answered = message.method === 'initialize' || message.method === 'server/discover' ? answer(message) : undefined;
      if (answered !== undefined) say({ id: message.id, ...answered });
    }
  });
  const link = stdioLink({ input, output, ended: new Promise(() => {}), close: async () => {}, maxMessageBytes: 10_000 });
  return { to: await connected(link, { timeoutMs, eras }), received, say };
}
