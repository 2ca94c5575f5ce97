/** Owns many calls over few connections with little overhead: one socket is a modern host that makes one call after the other. */
import { connect, type Socket } from 'node:net';
import { envelope } from '../fixtures/client/raw-client.ts';

export interface Caller {
  /** Returns the body of the answer to a call; the HTTP status if there is none. */
  call(tool: string, values?: object): Promise<string>;
  /** Starts a call and disconnects before it is answered. */
  abandon(tool: string, values?: object): Promise<void>;
  close(): void;
}

const meta = envelope({});

export function openCaller(url: string): Caller {
  const { hostname, port, pathname, host } = new URL(url);
  let socket: Socket | undefined;
  let answered: ((text: string) => void) | undefined;
  let lost: ((error: Error) => void) | undefined;
  let rest: Buffer[] = [];
  let id = 0;

  const receive = (chunk: Buffer): void => {
    rest.push(chunk);
    const all = rest.length === 1 ? chunk : Buffer.concat(rest);
    rest = [all];
    const body = wholeBody(all);
    if (body === undefined) return;
    rest = [];
    answered?.(body);
  };
  const dial = async (): Promise<Socket> => {
    const fresh = connect(Number(port), hostname).setNoDelay(true);
    fresh.on('data', receive);
    fresh.on('error', () => undefined);
    fresh.on('close', () => {
      if (socket !== fresh) return;
      socket = undefined;
      lost?.(new Error('The connection was closed.'));
    });
    await new Promise<void>((resolve) => {
      fresh.once('connect', () => {
        resolve();
      });
    });
    return fresh;
  };
  const write = (tool: string, values: object): void => {
    id += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: values, _meta: meta } });
    socket?.write(
      `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n` +
        `mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: ${tool}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
  return {
    async call(tool, values = {}) {
      socket ??= await dial();
      return await new Promise((resolve, reject) => {
        answered = resolve;
        lost = reject;
        write(tool, values);
      });
    },
    async abandon(tool, values = {}) {
      socket ??= await dial();
      answered = undefined;
      lost = undefined;
      write(tool, values);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const left = socket;
      socket = undefined;
      left.destroy();
      rest = [];
    },
    close: () => socket?.destroy(),
  };
}

/** Returns the body once it is complete. */
function wholeBody(bytes: Buffer): string | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.subarray(0, end).toString('latin1').toLowerCase();
  const length = /content-length: (\d+)/.exec(head)?.[1];
  const body = bytes.subarray(end + 4);
  if (length !== undefined) return body.length >= Number(length) ? body.toString('utf8') : undefined;
  return body.subarray(-5).toString('latin1') === '0\r\n\r\n' ? body.toString('utf8') : undefined;
}
