/** Owns sending raw bytes to a port, which no client library would send. */
import { connect, type Socket } from 'node:net';

export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends bytes and resolves with the first complete reply, or with everything until the connection is closed. */
export function raw(port: number, bytes: string | Buffer, limitMs = 10_000): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let all = '';
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`No complete reply within ${limitMs} ms: ${JSON.stringify(all)}`));
    }, limitMs);
    const finish = (): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(parse(all));
    };
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      all += part;
      if (isWhole(all.replace(/^HTTP\/1\.1 1\d\d [^]*?\r\n\r\n/, ''))) finish();
    });
    socket.on('close', finish);
    socket.on('error', () => {});
    socket.write(bytes);
  });
}

export function held(port: number, bytes = ''): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.on('error', () => {});
      if (bytes !== '') socket.write(bytes);
      resolve(socket);
    });
  });
}

export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    socket.resume();
    socket.once('close', () => resolve());
  });

export interface RequestParts {
  readonly method?: string;
  readonly target?: string;
  readonly host?: string | null;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Builds a request; a body gets its content-length unless a header overrides it. */
export function lines({ method = 'POST', target = '/mcp', host = '127.0.0.1', headers = [], body }: RequestParts): string {
  const length =
    body === undefined || headers.some((line) => /^(?:content-length|transfer-encoding):/i.test(line))
      ? []
      : [`content-length: ${Buffer.byteLength(body)}`];
  return [`${method} ${target} HTTP/1.1`, ...(host === null ? [] : [`host: ${host}`]), ...headers, ...length, '', body ?? ''].join('\r\n');
}

export const handshake = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
export const json = 'content-type: application/json';

function isWhole(text: string): boolean {
  const at = text.indexOf('\r\n\r\n');
  const head = text.slice(0, at);
  if (at === -1) return false;
  if (text.startsWith('HTTP/1.1 204')) return true;
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return text.length - at - 4 >= Number(length);
  return /\r\ntransfer-encoding: chunked/i.test(head) && text.endsWith('0\r\n\r\n');
}

function parse(whole: string): RawReply {
  const text = whole.replace(/^HTTP\/1\.1 1\d\d [^]*?\r\n\r\n/, '');
  const at = text.indexOf('\r\n\r\n');
  const head = at === -1 ? text : text.slice(0, at);
  const body = at === -1 ? '' : text.slice(at + 4);
  const isChunked = /\r\ntransfer-encoding: chunked/i.test(head);
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), head, body: isChunked ? unchunked(body) : body };
}

function unchunked(body: string): string {
  let text = '';
  for (let at = 0; ;) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.slice(at, end), 16);
    if (end === -1 || !(size > 0)) return text;
    text += body.slice(end + 2, end + 2 + size);
    at = end + 4 + size;
  }
}
