/** Owns the answer to a request that is malformed or does not arrive in time. */
import type { Duplex } from 'node:stream';

const lines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasAnswered(socket)) {
    socket.destroy();
    return;
  }
  const status = Object.hasOwn(lines, error.code ?? '') ? lines[error.code as string] : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

/** In the middle of a response, the error would be read as a part of it. */
const hasAnswered = (socket: Duplex): boolean =>
  ((socket as { readonly _httpMessage?: { readonly headersSent: boolean } })._httpMessage?.headersSent ?? false) === true;
