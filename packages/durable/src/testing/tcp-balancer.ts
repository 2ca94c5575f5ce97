/**
 * Owns one address in front of several workers, like a load balancer or a Kubernetes Service in production: connections go to the worker with the fewest,
 * and skip workers that do not answer.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { LOOPBACK } from './loopback-ports.ts';

/** A TCP load balancer for tests, in front of several workers. */
export interface TcpBalancer {
  /** The address to register for the workers. */
  readonly url: string;
  /** Sets the loopback ports of the workers. Open connections stay. */
  use(ports: readonly number[]): void;
  /** The number of open connections to each port. */
  open(): ReadonlyMap<number, number>;
  /** Cuts every connection and closes. */
  stop(): Promise<void>;
}

const connectTo = async (port: number): Promise<Socket | undefined> => {
  const socket = connect(port, LOOPBACK);
  try {
    await once(socket, 'connect');
    return socket.setNoDelay(true);
  } catch {
    socket.destroy();
    return undefined;
  }
};

const join = (one: Socket, other: Socket): void => {
  one.pipe(other);
  for (const event of ['error', 'close']) one.on(event, () => other.destroy());
};

/** Starts a balancer on a free loopback port. */
export const startTcpBalancer = async (ports: readonly number[] = []): Promise<TcpBalancer> => {
  let targets = ports;
  const clients = new Set<Socket>();
  const counts = new Map<number, number>();
  const count = (port: number): number => counts.get(port) ?? 0;

  const reach = async (): Promise<readonly [number, Socket] | undefined> => {
    for (const port of targets.toSorted((a, b) => count(a) - count(b))) {
      counts.set(port, count(port) + 1);
      // oxlint-disable-next-line no-await-in-loop -- the next one only if this one does not answer
      const socket = await connectTo(port);
      if (socket !== undefined) return [port, socket];
      counts.set(port, count(port) - 1);
    }
    return undefined;
  };

  const accept = async (client: Socket): Promise<void> => {
    client.setNoDelay(true);
    client.on('error', () => client.destroy());
    const reached = await reach();
    if (reached === undefined) return void client.destroy();
    const [port, worker] = reached;
    worker.once('close', () => counts.set(port, count(port) - 1));
    join(client, worker);
    join(worker, client);
    if (client.destroyed) worker.destroy();
  };

  const server = createServer((client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    void accept(client);
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://${LOOPBACK}:${port}`,
    use: (next) => {
      targets = next;
    },
    open: () => new Map(counts),
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const client of clients) client.destroy();
      await closed;
    },
  };
};
