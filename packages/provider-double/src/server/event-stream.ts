/** The binary frames of AWS event streams: lengths, headers, payload, two checksums. */
import { crc32 } from 'node:zlib';
import type { StreamEvent } from '../answers/cut.ts';

/** Header value of type string. */
const textType = 7;

function header(name: string, value: string): Buffer {
  const key = Buffer.from(name);
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([textType]), length, text]);
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

export function eventStreamFrame({ event = '', data }: StreamEvent): Buffer {
  const headers = Buffer.concat([
    header(':event-type', event),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const payload = Buffer.from(JSON.stringify(data));
  const lengths = Buffer.concat([number(16 + headers.length + payload.length), number(headers.length)]);
  const message = Buffer.concat([lengths, number(crc32(lengths)), headers, payload]);
  return Buffer.concat([message, number(crc32(message))]);
}

export function serverSentEvent({ event, data }: StreamEvent): Buffer {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return Buffer.from(`${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
}
