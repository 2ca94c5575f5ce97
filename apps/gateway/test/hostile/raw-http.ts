/** Owns sending raw bytes to a listener and reading its answer. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends bytes and returns the answer, when it is complete or the connection has ended. */
export async function exchange(url: string, bytes: string, limitMs = 8_000): Promise<RawAnswer> {
  const socket = await open(url);
  return await new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`Nothing more came; so far: ${text.slice(0, 500)}`));
    }, limitMs);
    const done = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(read(text));
    };
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (isWhole(text)) done();
    });
    socket.on('close', done);
    socket.on('error', done);
    socket.write(bytes);
  });
}

export async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => {
      resolve();
    });
    socket.once('error', reject);
  });
  return socket;
}

function isWhole(text: string): boolean {
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  const start = text.indexOf('\r\n\r\n');
  return start >= 0 && length !== undefined && Buffer.byteLength(text.slice(start + 4)) >= Number(length);
}

function read(text: string): RawAnswer {
  const start = text.indexOf('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0),
    head: start < 0 ? text : text.slice(0, start),
    body: start < 0 ? '' : text.slice(start + 4),
  };
}

export function rawRequest(url: string, { method = 'POST', path = '/mcp', headers = {}, body = '' }: RequestParts = {}): string {
  const { host } = new URL(url);
  const all: Record<string, string> = {
    host,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).filter(([, value]) => value !== '');
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

export interface RequestParts {
  readonly method?: string;
  readonly path?: string;
  /** An empty string removes a header. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
