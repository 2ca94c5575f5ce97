/** Owns a name server for one test: it answers with the addresses of the deployment's services, as the one of a container network does. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const headerBytes = 12;
const addressType = 1;
const ttlSeconds = 1;

export interface NameServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** `addressesOf`: none for an unknown name. */
export async function startNameServer(addressesOf: (name: string) => readonly string[]): Promise<NameServer> {
  const socket: Socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query, addressesOf), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    stop: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function answerTo(query: Buffer, addressesOf: (name: string) => readonly string[]): Buffer {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const question = query.subarray(headerBytes, at + 5);
  const isAddress = query.readUInt16BE(at + 1) === addressType;
  const known = addressesOf(labels.join('.'));
  const addresses = isAddress ? known : [];
  const header = Buffer.alloc(headerBytes);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(known.length === 0 ? 0x81_83 : 0x81_80, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const answers = addresses.map((address) => {
    const record = Buffer.alloc(16);
    // A pointer to the name in the question.
    record.writeUInt16BE(0xc0_00 + headerBytes, 0);
    record.writeUInt16BE(addressType, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(ttlSeconds, 6);
    record.writeUInt16BE(4, 10);
    address.split('.').forEach((part, index) => record.writeUInt8(Number(part), 12 + index));
    return record;
  });
  return Buffer.concat([header, question, ...answers]);
}
