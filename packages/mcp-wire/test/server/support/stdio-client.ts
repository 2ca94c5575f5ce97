/** Owns a stdio transport over two streams in memory, and the client's end of them. */
import { PassThrough } from 'node:stream';
import {
  type JsonObject,
  type ServerHandler,
  stdioTransport,
  type StdioTransport,
  type StdioTransportOptions,
} from '@holdfast/mcp-wire/server';
import { eventually } from './http-server.ts';

export interface StdioTalk {
  readonly transport: StdioTransport;
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly faults: readonly unknown[];
  /** All received messages, in order. */
  readonly messages: readonly JsonObject[];
  readonly say: (message: unknown) => void;
  /** The first message, received or future, that matches. */
  readonly find: (isSo: (message: JsonObject) => boolean) => Promise<JsonObject>;
  readonly answerTo: (id: string | number) => Promise<JsonObject>;
  readonly performHandshake: (version?: string) => Promise<JsonObject>;
}

export function talk(handler: ServerHandler, options: Partial<StdioTransportOptions> = {}): StdioTalk {
  const input = new PassThrough();
  const output = new PassThrough();
  const faults: unknown[] = [];
  const messages: JsonObject[] = [];
  let rest = '';
  output.setEncoding('utf8');
  output.on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) messages.push(JSON.parse(line) as JsonObject);
  });
  const transport = stdioTransport(handler, { input, output, onFault: (error) => void faults.push(error), ...options });
  const self: StdioTalk = {
    transport,
    input,
    output,
    faults,
    messages,
    say: (message) => void input.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`),
    async find(isSo) {
      await eventually(() => messages.some(isSo));
      return messages.find(isSo) as JsonObject;
    },
    answerTo: (id) => self.find((message) => message['id'] === id && message['method'] === undefined),
    async performHandshake(version = '2025-11-25') {
      const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      self.say({ jsonrpc: '2.0', id: 'handshake', method: 'initialize', params });
      const answer = await self.answerTo('handshake');
      self.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
      return answer['result'] as JsonObject;
    },
  };
  return self;
}
